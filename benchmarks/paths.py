"""What does a plan cost in a maze of millions of cells, without S x S arrays?

Deterministic policies, eight moves, a fifth of the cells walls. The peer is SciPy's
breadth-first search alone, in compiled code: it finds the order of the distances, and no
policies, subgoals or fewest switches. Both have the world prepared once. Each size runs
in a process of its own, so that its peak memory can be seen.

Why the time grows more than linearly: seconds of the processor, which other work on the machine
lengthens less than the clock's, from 1,000 x 1,000 to 4,000 x 4,000, 16 times the states.

    SciPy's search, the first part of a plan    .028 to .66     1.48 x linear
    the rest of the plan                        .098 to 1.77    1.13 x linear
    the system, for fresh memory                .001 to .05     up to .97 where pages are scarce

A plan touches some 100 bytes of each state, 64 of them edges: 80 MB at the smaller size, 1.3 GB at
the larger, which no cache holds, with a front of 5,400 states on average instead of 1,200 to come
back to. Huge pages (NumPy asks for them, and 1.5 GB were in some) are used already. Numbering the
states tile by tile, 16 x 16 or 64 x 64, made no difference: the search took 93 and 85 ns a state
instead of 84, against 45 in the smaller maze.
"""

import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from measuring import Row, best_times, compared, main, once
from scipy.sparse.csgraph import breadth_first_order
from worlds import backwards_of, random_maze

from first_occupancy.environments import Maze
from first_occupancy.planning.paths import PathGraph, plan_paths, prepare

GIB = 2**30
LIMITS = {1000: 1.5e9, 4000: 12e9}
"""Bytes that a square maze with sides of so many cells may take."""


def measure(quick: bool) -> Iterable[Row]:
    """Yield rows on time, on memory and on growth."""
    sides = (100, 200) if quick else (1000, 4000)
    found = {side: _in_own_process(side) for side in sides}
    for side, times in found.items():
        yield from _rows(side, times, LIMITS.get(side))
    small, large = (found[side] for side in sides)
    cells = large["states"] / small["states"]
    yield compared(
        "paths: how the time grows with the maze",
        f"{sides[0]} x {sides[0]} to {sides[1]} x {sides[1]}",
        ours=("plan_paths, larger", large["plan"]),
        peer=(
            f"linear from smaller (SciPy: x {large['search'] / (small['search'] * cells):.2f})",
            small["plan"] * cells,
        ),
        ratio=large["plan"] / (small["plan"] * cells),
        unit="x linear growth",
        at_most=1,
    )


def _rows(side: int, times: dict[str, float], limit: float | None) -> Iterable[Row]:
    size = f"{side:,} x {side:,}, {int(times['states']):,} states, 8 policies"
    yield compared(
        "paths: converged plan, policies and subgoals",
        size,
        ours=("plan_paths", times["plan"]),
        peer=("SciPy breadth_first_order", times["search"]),
        ratio=times["plan"] / times["search"],
        unit="x SciPy's time",
        at_most=5 if side == 1000 else None,
    )
    yield compared(
        "paths: peak memory, the maze's drawing included",
        size,
        ours=("maze, prepare, plan_paths", times["prepare"] + times["plan"]),
        peer=("maze", times["maze"]),
        ratio=times["bytes"] / GIB,
        unit="GiB",
        at_most=limit and limit / GIB,
    )
    yield compared(
        "paths: at most 2 switches",
        size,
        ours=("plan_paths, max_switches=2", times["limited"]),
        peer=("plan_paths", times["plan"]),
        ratio=times["limited"] / times["plan"],
        unit="x the converged plan's time",
    )


def _in_own_process(side: int) -> dict[str, float]:
    # Spawned, not forked: memory that this process has used would count.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as pool:
        return pool.submit(_times, side).result()


def _times(side: int) -> dict[str, float]:
    made: dict[str, Maze | PathGraph] = {}
    maze_seconds = once(lambda: made.update(world=random_maze(side, moves=8)))
    next_states = made.pop("world").next_states
    prepare_seconds = once(lambda: made.update(graph=prepare(next_states)))
    graph = made.pop("graph")
    assert isinstance(graph, PathGraph)
    goals = np.random.default_rng(1).integers(graph.num_states, size=2)
    plan = partial(plan_paths, graph, discount=0.95)
    peak = _peak_after(lambda: plan(goals[0]))
    calls, backwards = {}, backwards_of(graph)
    for goal in map(int, goals):
        calls[f"search {goal}"] = partial(breadth_first_order, backwards, goal)
        calls[f"plan {goal}"] = partial(plan, goal)
    best = best_times(calls, repeats=10 if side <= 1000 else 4)
    total = {
        what: sum(seconds for name, seconds in best.items() if name.startswith(what)) / len(goals)
        for what in ("search", "plan")
    }
    limited = once(lambda: plan(int(goals[0]), max_switches=2))
    sizes = {"states": float(graph.num_states), "bytes": peak}
    return total | sizes | {"maze": maze_seconds, "prepare": prepare_seconds, "limited": limited}


def _peak_after(call: Callable[[], object]) -> float:
    """Return the most bytes that this process has ever held, once the call is done."""
    once(call)
    # Not `getrusage`: there a new process begins with its parent's peak. Linux only.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(measure)
