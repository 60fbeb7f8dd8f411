"""What does a plan cost in worlds as users have them: large and noisy, or graphs with weights?

Noisy mazes: `fo.plan` with the largest `tolerance` of a ladder whose plan has a mean share of the
optimum of .999, over states whose optimum exceeds 1e-6. The peer is QuantEcon's modified policy
iteration on sparse matrices, with the largest `epsilon` of the same ladder whose policy has the
same share. Both policies are evaluated exactly, outside the timing; both have the world prepared
once; memory is that of a process of its own, above what imports take.

Graphs: nodes have five random edges on average, with random weights. The peer is SciPy's Dijkstra
search, bare distances: no policies, no subgoals.

Small worlds: from the call to the `Plan`, whose arrays go to the device when they are read. The
peers are SciPy's breadth-first search alone, in the maze of `dense_planning`, and NetworkX's
shortest paths in two smaller mazes.
"""

import multiprocessing
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import jax
import networkx as nx
import numpy as np
from dense_planning import maze_of_the_issue
from measuring import Row, best_times, compared, main, once
from quantecon.markov import DiscreteDP
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, dijkstra
from worlds import backwards_of, random_maze

import first_occupancy as fo
from first_occupancy.environments import Maze
from first_occupancy.planning.paths import prepare

MIB = 2**20
ENOUGH, LEAST = 0.999, 1e-6
LADDER = tuple(digit * 10.0**-power for power in range(8) for digit in (1, 0.5, 0.2))


def measure(quick: bool) -> Iterator[Row]:
    """Yield rows on noisy mazes, on weighted graphs and on a small world."""
    side = 30 if quick else 150
    for noise in (0.1, 0.3):
        for discount in (0.95, 0.99):
            yield from _noisy(side, noise, discount, at_least=2, most=300 * MIB)
    if not quick:
        yield from _noisy(1000, 0.1, 0.99, at_least=1, most=4096 * MIB)
    yield _graph(20_000 if quick else 1_000_000)
    yield from _small()


def _noisy(
    side: int, noise: float, discount: float, *, at_least: float, most: float
) -> Iterator[Row]:
    found = in_own_process(partial(_timed, side, noise, discount))
    size = f"{side} x {side}, S = {found['states']:.0f}, noise {noise:g}, discount {discount:g}"
    yield compared(
        "noisy maze, one goal",
        size,
        ours=(
            f"refined plan, share {found['share']:.5f}, tolerance {found['tolerance']:g}",
            found["seconds"],
        ),
        peer=(f"QuantEcon MPI, share {found['peer_share']:.5f}", found["peer_seconds"]),
        ratio=found["peer_seconds"] / found["seconds"],
        unit="times as fast",
        at_least=at_least,
    )
    ours = in_own_process(partial(_memory_of_ours, side, noise, discount))
    peers = in_own_process(partial(_memory_of_quantecon, side, noise, discount))
    yield compared(
        "noisy maze, peak memory above the imports",
        size,
        ours=("refined plan, world included", found["seconds"]),
        peer=(f"QuantEcon MPI {peers / MIB:.0f} MiB", found["peer_seconds"]),
        ratio=ours / MIB,
        unit="MiB",
        at_most=most / MIB,
    )


def in_own_process(call: partial) -> Any:
    """Return what a call returns in a fresh process, of which the memory can be measured."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        return process.submit(call).result()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _world(side: int, noise: float) -> Maze:
    maze = random_maze(side, walls=0.25)
    return fo.maze(maze.drawing, noise=noise)


def _optimum(world: Maze, goal: int, discount: float) -> np.ndarray:
    return np.asarray(fo.plan(world, goal, discount=discount, refine=None).expected_discount)


def _share(values: np.ndarray, optimum: np.ndarray) -> float:
    known = optimum > LEAST
    return float((values[known] / optimum[known]).mean())


def _timed(side: int, noise: float, discount: float) -> dict[str, float]:
    """Time both on the same problem, in turn, each with the loosest setting that is enough."""
    jax.config.update("jax_enable_x64", True)
    world = _world(side, noise)
    goal = world.num_states // 2
    optimum = _optimum(world, goal, discount)
    planner = fo.Planner(world, discount=discount)
    problem = _problem(world, goal, discount)

    def plan(tolerance: float) -> np.ndarray:
        return np.maximum(planner.plan(goal, tolerance=tolerance).policy, 0)

    def solve(epsilon: float) -> np.ndarray:
        options = {"epsilon": epsilon, "max_iter": 5000}
        return problem.solve(method="modified_policy_iteration", **options).sigma

    def loosest(call: Callable[[float], np.ndarray]) -> tuple[float, float]:
        for setting in LADDER:
            share = _share(_followed(world, goal, discount, call(setting)), optimum)
            if share >= ENOUGH:
                break
        return setting, share

    (tolerance, share), (epsilon, peer_share) = loosest(plan), loosest(solve)
    calls = {"plan": lambda: plan(tolerance), "solve": lambda: solve(epsilon)}
    times = best_times(calls, repeats=20 if side < 500 else 2)
    return {
        "states": world.num_states,
        "tolerance": tolerance,
        "share": share,
        "seconds": times["plan"],
        "peer_share": peer_share,
        "peer_seconds": times["solve"],
    }


def _memory_of_ours(side: int, noise: float, discount: float) -> float:
    jax.config.update("jax_enable_x64", True)
    fo.plan(_world(20, noise), 0, discount=discount)  # imports what planning needs
    before = _peak()
    world = _world(side, noise)
    fo.plan(world, world.num_states // 2, discount=discount, tolerance=1e-2)
    return _peak() - before


def _memory_of_quantecon(side: int, noise: float, discount: float) -> float:
    _problem(_world(20, noise), 0, discount).solve(method="modified_policy_iteration")
    before = _peak()
    world = _world(side, noise)
    problem = _problem(world, world.num_states // 2, discount)
    problem.solve(method="modified_policy_iteration", epsilon=1e-2, max_iter=5000)
    return _peak() - before


def _problem(world: Maze, goal: int, discount: float) -> DiscreteDP:
    """Return the world as QuantEcon likes it: arriving pays 1, and the goal itself nothing."""
    size, count = world.num_states, world.num_actions
    stacked = sparse.csr_matrix(sparse.vstack(world.action_chains))
    pairs = np.arange(size * count)
    # Sorted by state, as QuantEcon would sort it otherwise.
    states, actions = pairs // count, pairs % count
    rows = stacked[actions * size + states]
    reward = np.asarray(rows[:, [goal]].todense()).ravel()
    reward[states == goal] = 0
    stays = sparse.csr_matrix(([1.0], ([0], [goal])), (1, size))
    begin, end = goal * count, (goal + 1) * count
    parts = [rows[:begin], *[stays] * count, rows[end:]]
    rows = sparse.vstack([part for part in parts if part.shape[0]], format="csr")
    return DiscreteDP(reward, rows, discount, states, actions)


def _followed(world: Maze, goal: int, discount: float, actions: np.ndarray) -> np.ndarray:
    chain = world.policy_chains(actions[None].astype(int))[0]
    return fo.first_occupancy.solve_columns(chain, np.array([goal]), discount=discount)[:, 0]


def _graph(edges: int) -> Row:
    rng = np.random.default_rng(0)
    size = edges // 5
    begins, ends = rng.integers(0, size, (2, edges))
    weights = sparse.coo_array((rng.random(edges) + 0.01, (begins, ends)), (size, size)).tocsr()
    weights.setdiag(0)
    weights.eliminate_zeros()
    graph, backwards = fo.from_scipy(weights), sparse.csr_array(weights.T)
    planner = fo.Planner(graph, discount=0.99)
    calls = {
        "plan": lambda: planner.plan(0),
        "search": lambda: dijkstra(backwards, indices=0),
    }
    times = best_times(calls, repeats=3)
    whole = once(lambda: fo.plan(fo.from_scipy(weights), 0, discount=0.99))
    return compared(
        "weighted graph, one goal",
        f"{weights.nnz} edges, {size} nodes",
        ours=(f"fo.Planner.plan (from the matrix on: {whole:.2f} s)", times["plan"]),
        peer=("SciPy's Dijkstra, distances only", times["search"]),
        ratio=times["plan"] / times["search"],
        unit="x its time",
        at_most=2,
    )


def _small() -> Iterator[Row]:
    world = maze_of_the_issue()
    planner, goal = fo.Planner(world, discount=0.95), world.num_states // 2
    backwards = backwards_of(prepare(world.next_states))
    search = partial(breadth_first_order, backwards, goal)
    calls = {
        "with preparation": lambda: fo.Planner(world, discount=0.95).plan(goal),
        "prepared": lambda: planner.plan(goal),
        "prepared, and its arrays read": lambda: _read(planner.plan(goal)),
    }
    for which, call in calls.items():
        target = 8 if which == "prepared" else None
        yield _compared(f"small world, {which}", world, call, ("SciPy's search", search), target)
    for side in (16, 32):
        world = random_maze(side)
        planner, goal = fo.Planner(world, discount=0.95), world.num_states // 2
        network = nx.DiGraph()
        for ahead in world.next_states:
            network.add_edges_from(zip(ahead.tolist(), range(world.num_states), strict=True))
        paths = ("NetworkX's paths", partial(nx.single_source_shortest_path, network, goal))
        yield _compared("small world, prepared", world, partial(planner.plan, goal), paths, 1)
        whole = partial(fo.plan, world, goal, discount=0.95)
        yield _compared("small world, with preparation", world, whole, paths, 2)


def _read(plan: fo.Plan) -> None:
    jax.block_until_ready((plan.policy, plan.subgoal, plan.expected_discount))


def _compared(
    what: str,
    world: Maze,
    ours: Callable[[], object],
    peer: tuple[str, Callable[[], object]],
    target: float | None,
) -> Row:
    name, search = peer
    times = best_times({"ours": ours, "peer": search}, repeats=300)
    return compared(
        f"{what}, from call to Plan",
        f"S = {world.num_states}",
        ours=("fo.plan", times["ours"]),
        peer=(name, times["peer"]),
        ratio=times["ours"] / times["peer"],
        unit="x its time",
        at_most=target,
    )


if __name__ == "__main__":
    main(measure)
