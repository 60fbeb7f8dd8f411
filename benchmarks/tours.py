"""How good are tours of many goals, and what do they cost?

Three maps, ten draws each: a start and goals at random cells, lengths in steps. Ours is
`best_order` with the extra `tours`; the peer is OR-tools' routing solver (guided local search) with
ten times the time that our search took, for the same lengths, in the same run. The ratio is the
mean length of our tours over that of the peer's. Further rows compare the tours without the extra
(SciPy's search), and say how good the tours are known to be. Needs the packages pyvrp and ortools.
"""

import time
from collections.abc import Iterator

import numpy as np
from measuring import Row, compared, main
from worlds import random_maze

from first_occupancy import planning
from first_occupancy.environments import Maze, maze
from first_occupancy.planning._tours.assignments import assigned_tour
from first_occupancy.planning.paths import prepare

DISCOUNT = 0.99
SIZES = (20, 40, 80, 200)
WITHOUT_UP_TO = 40
"""Goals up to which the tours without the extra are compared: with more they take minutes."""


def measure(quick: bool) -> Iterator[Row]:
    """Yield mean lengths of tours by number of goals."""
    draws = 1 if quick else 10
    for count in SIZES[:2] if quick else SIZES:
        rows = [_measured(world, count, seed) for world in MAPS.values() for seed in range(draws)]
        mean = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
        size = f"{count} goals, {len(MAPS)} maps, {draws} draws each, mean {mean['ours']:.1f} steps"
        yield compared(
            "tour of many goals",
            size,
            ours=("best_order with PyVRP", mean["seconds"]),
            peer=(f"OR-tools, mean {mean['peer']:.1f} steps", mean["peer_seconds"]),
            ratio=mean["ours"] / mean["peer"],
            unit="times as long",
            at_most=1.005,
        )
        yield compared(
            "tour of many goals: how good it is known to be",
            size,
            ours=("bound by linear programming", mean["bound_seconds"]),
            peer=("the tour itself", mean["seconds"]),
            ratio=100 * mean["gap"],
            unit="percent longer than any tour must be, at most",
        )
        if count <= WITHOUT_UP_TO:
            yield compared(
                "tour of many goals, without the extra",
                size,
                ours=("SciPy's search", mean["without_seconds"]),
                peer=("best_order with PyVRP", mean["seconds"]),
                ratio=mean["without"] / mean["ours"],
                unit="times as long",
            )


def warehouse(aisles: int, blocks: int) -> Maze:
    """Return a warehouse: blocks of shelves, two cells deep and three wide, between aisles."""
    width = 4 * blocks + 3
    lines = ["." * width]
    for _ in range(aisles):
        lines += [".###" * blocks + "..."] * 2 + ["." * width]
    return maze(lines)


def rooms(side: int, size: int) -> Maze:
    """Return a grid of rooms with a door in every wall between two of them."""
    rng, step = np.random.default_rng(1), size + 1
    letters = np.full((side * step + 1, side * step + 1), ".")
    letters[::step], letters[:, ::step] = "#", "#"
    for i in range(side):
        for j in range(1, side):
            letters[i * step + 1 + rng.integers(size), j * step] = "."
            letters[j * step, i * step + 1 + rng.integers(size)] = "."
    return maze(["".join(line) for line in letters])


MAPS = {
    "warehouse": warehouse(12, 12),
    "scattered": random_maze(45, walls=0.25),
    "rooms": rooms(4, 10),
}


def _measured(world: Maze, count: int, seed: int) -> dict[str, float]:
    """Return lengths and times of one draw."""
    start, goals, steps = _draw(world, count, seed)
    logs = np.full((world.num_states, count), -1.0)
    logs[start], logs[goals] = steps[0, 1:] * np.log(DISCOUNT), steps[1:, 1:] * np.log(DISCOUNT)
    begin = time.perf_counter()
    tour = planning.best_order(start, goals, logs)
    seconds = time.perf_counter() - begin
    assert tour.solver == "pyvrp", "needs the extra 'tours'"
    lengths = steps.astype(float)
    lengths[:, 0] = 0
    begin = time.perf_counter()
    from first_occupancy.planning._tours.bounds import shortest_possible

    bound = shortest_possible(lengths)
    bound_seconds = time.perf_counter() - begin
    search_seconds = seconds - bound_seconds
    found = {
        "ours": tour.log_discount / np.log(DISCOUNT),
        "seconds": search_seconds,
        "bound_seconds": bound_seconds,
    }
    found["gap"] = found["ours"] / bound - 1
    found["peer"] = _length(_by_ortools(steps, 10 * search_seconds), steps)
    found["peer_seconds"] = 10 * search_seconds
    if count <= WITHOUT_UP_TO:
        begin = time.perf_counter()
        found["without"] = _length(assigned_tour(lengths), steps)
        found["without_seconds"] = time.perf_counter() - begin
    return found


def _draw(world: Maze, count: int, seed: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Return a start, goals, and the steps between them all, the start first."""
    rng = np.random.default_rng(seed)
    graph = prepare(world.next_states)

    def steps_to(goal: int) -> np.ndarray:
        return graph.cut(np.array([goal])).time

    middle = int(
        np.argmax([np.isfinite(steps_to(s)).sum() for s in range(0, world.num_states, 200)])
    )
    together = np.flatnonzero(np.isfinite(steps_to(200 * middle)))
    cells = rng.choice(together, count + 1, replace=False)
    steps = np.stack([steps_to(int(cell))[cells] for cell in cells], axis=1)
    return int(cells[0]), cells[1:], steps.astype(int)


def _length(order: list[int], steps: np.ndarray) -> int:
    way = [0, *order]
    return int(steps[way[:-1], way[1:]].sum())


def _by_ortools(steps: np.ndarray, seconds: float) -> list[int]:
    """Return the tour that OR-tools finds in this time."""
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    lengths = steps.copy()
    lengths[:, 0] = 0  # returning is free
    manager = pywrapcp.RoutingIndexManager(len(steps), 1, 0)
    routing = pywrapcp.RoutingModel(manager)
    routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(lengths.tolist()))
    search = pywrapcp.DefaultRoutingSearchParameters()
    first, local = (
        routing_enums_pb2.FirstSolutionStrategy,
        routing_enums_pb2.LocalSearchMetaheuristic,
    )
    search.first_solution_strategy = first.PATH_CHEAPEST_ARC
    search.local_search_metaheuristic = local.GUIDED_LOCAL_SEARCH
    search.time_limit.FromMilliseconds(round(1000 * seconds))
    found = routing.SolveWithParameters(search)
    order, node = [], found.Value(routing.NextVar(routing.Start(0)))
    while not routing.IsEnd(node):
        order.append(manager.IndexToNode(node))
        node = found.Value(routing.NextVar(node))
    return order


if __name__ == "__main__":
    main(measure)
