"""How does the cost of a plan grow with states S, policies N, switches K and goals?

One random maze of each size, 20% walls, discount .95, policies that take one move over and over.
Every method gets its world in the form it likes, prepared beforehand; what is timed is
one new goal, and for curves over goals all of them, plans to all included.
"""

from collections.abc import Callable, Iterator

import jax.numpy as jnp
import networkx as nx
import numpy as np
from measuring import Row, best_times, main, once
from peers import quantecon_vi
from scipy.sparse.csgraph import breadth_first_order
from worlds import backwards_of, random_maze

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import Maze
from first_occupancy.planning import frp, paths
from first_occupancy.planning.paths import prepare
from first_occupancy.representations import first_occupancy

DISCOUNT = 0.95


def measure(quick: bool) -> list[Row]:
    """Return the points of all curves."""
    return [
        *_states(quick),
        *_many_states(quick),
        *_policies(quick),
        *_switches(quick),
        *_goals(quick),
    ]


def _states(quick: bool) -> Iterator[Row]:
    for side in (8, 16) if quick else (16, 32, 64):
        world = random_maze(side)
        times = best_times(_one_goal(world), repeats=3)
        yield from _points("states S, one goal", world.num_states, times)


def _many_states(quick: bool) -> Iterator[Row]:
    for side in (32, 64) if quick else (64, 250, 1000):
        world = random_maze(side)
        graph = prepare(world.next_states)
        goal, backwards = world.num_states // 2, backwards_of(graph)
        times = best_times(
            {
                "FRP on paths": lambda: paths.plan_paths(graph, goal, discount=DISCOUNT),
                "SciPy breadth-first search": lambda: breadth_first_order(backwards, goal),
            },
            repeats=3,
        )
        yield from _points("states S, no S x S array", world.num_states, times)


def _policies(quick: bool) -> Iterator[Row]:
    size = 128 if quick else 1024
    random = np.random.default_rng(0)
    for count in (2, 4, 8, 16):
        frs = jnp.asarray(random.random((count, size, size)) ** 8, jnp.float32)
        table = frp.best_legs(frs)
        calls = {
            "fold, once": lambda frs=frs: frp.best_legs(frs).legs,
            "plan, for each goal": lambda table=table: frp.plan_to_goal(table, 0).log_promised,
        }
        yield from _points(f"policies N, S = {size}", count, best_times(calls, repeats=3))


def _switches(quick: bool) -> Iterator[Row]:
    world = random_maze(16 if quick else 48)
    table = frp.best_legs(_frs(world))
    for switches in (1, 4, 16) if quick else (1, 4, 16, 64):
        calls = {
            "dense FRP": lambda: frp.plan_to_goal(table, 0, max_switches=switches).log_promised,
            "FRP on paths": lambda: (
                paths.plan_paths(
                    world.next_states, 0, discount=DISCOUNT, max_switches=switches
                ).log_promised
            ),
        }
        axis = f"switches K, S = {world.num_states}"
        yield from _points(axis, switches, best_times(calls, repeats=3))


def _goals(quick: bool) -> Iterator[Row]:
    world = random_maze(12 if quick else 40)
    frs = _frs(world)
    table = frp.best_legs(frs)
    every = frp.plan_to_every_goal(table)  # also compiles
    every = once(lambda: frp.plan_to_every_goal(table))
    one = _one_goal(world)
    plan = best_times({name: one[name] for name in ("dense FRP", "QuantEcon VI")}, repeats=3)
    on_host = every.on_host()
    look_up = best_times({"look up": lambda: on_host.to(0)})["look up"]
    for goals in (1, 10, 100, 1000):
        times = {
            "dense FRP, each anew": goals * plan["dense FRP"],
            "all plans, then look up": every + goals * look_up,
            "QuantEcon VI, each anew": goals * plan["QuantEcon VI"],
        }
        yield from _points(f"goals, S = {world.num_states}", goals, times)


def _points(axis: str, at: float, times: dict[str, float]) -> Iterator[Row]:
    for method, seconds in times.items():
        yield {"axis": axis, "at": at, "method": method, "seconds": seconds}


def _frs(world: Maze) -> jnp.ndarray:
    frs = first_occupancy.solve(chain(world.mdp, constant_policies(world.mdp)), discount=DISCOUNT)
    return jnp.asarray(frs, jnp.float32)


def _one_goal(world: Maze) -> dict[str, Callable[[], object]]:
    """Return all ways to plan to one goal, each with its world prepared."""
    goal, graph, table = (
        world.num_states // 2,
        prepare(world.next_states),
        frp.best_legs(_frs(world)),
    )
    backwards, network = backwards_of(graph), nx.DiGraph()
    for ahead in world.next_states:
        network.add_edges_from(zip(ahead.tolist(), range(world.num_states), strict=True))
    vi = quantecon_vi(world, DISCOUNT)
    return {
        "dense FRP": lambda: frp.plan_to_goal(table, goal).log_promised,
        "FRP on paths": lambda: paths.plan_paths(graph, goal, discount=DISCOUNT).log_promised,
        "QuantEcon VI": lambda: vi(goal),
        "networkx shortest paths": lambda: nx.single_source_shortest_path_length(network, goal),
        "SciPy breadth-first search": lambda: breadth_first_order(backwards, goal),
        "plain Python loop": lambda: _loop(world.next_states, goal),
    }


def _loop(next_states: np.ndarray, goal: int) -> list[int]:
    """Return the steps to the goal, found as one would in plain Python: sweep until it rests."""
    successors = next_states.T.tolist()
    far = len(successors)
    steps = [far] * far
    steps[goal] = 0
    changed = True
    while changed:
        changed = False
        for state, ahead in enumerate(successors):
            best = 1 + min(steps[each] for each in ahead)
            if best < steps[state]:
                steps[state], changed = best, True
    return steps


if __name__ == "__main__":
    main(measure)
