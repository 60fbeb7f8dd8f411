"""How long does a plan for a deadline take, and how large is it? Next to QuantEcon's induction.

A noisy maze without walls, 130 x 130 cells, and the largest probability of reaching one cell within
1,000 steps, for every number of steps left. QuantEcon gets the same transitions as a sparse problem
with an absorbing goal, prepared beforehand.

And what is a plan for 1,000 steps in a noisy maze of 100,000 cells: time, and memory in a process
of its own.
"""

import resource
import time
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from measuring import Row, best_times, compared, main
from quantecon.markov import DiscreteDP, backward_induction
from scipy.sparse import csr_matrix

import first_occupancy as fo
from first_occupancy.core.timed_moves import timed_moves
from first_occupancy.planning.deadlines import DeadlinePlan

AT_LEAST, MOST_MB, STEPS, MOST_GIB = 2, 40, 1000, 2


def measure(quick: bool) -> Iterable[Row]:
    """Yield a row for each of two noises, and one for a large maze."""
    side = 30 if quick else 130
    for noise in (0.1, 0.5):
        world = fo.maze(["." * side] * side, noise=noise)
        goal = world.num_states // 2 + side // 2
        peer = quantecon(world, goal)

        def ours(world: fo.Maze = world, goal: int = goal) -> DeadlinePlan:
            return fo.plan(world, goal, deadline=float(STEPS))

        plan = ours()
        gap = float(np.abs(plan.probability - peer()).max())
        size = 9 * plan.num_changes / 1e6
        best = best_times({"ours": ours, "peer": peer}, repeats=3)
        yield compared(
            f"plan for a deadline ({size:.1f} MB stored, target {MOST_MB}; differences {gap:.0e})",
            f"{world.num_states:,} states, noise {noise}, {STEPS:,} steps",
            ours=("fo.plan", best["ours"]),
            peer=("QuantEcon backward_induction", best["peer"]),
            ratio=best["peer"] / best["ours"],
            unit="times faster",
            at_least=AT_LEAST if size <= MOST_MB else np.inf,
        )
    side = 60 if quick else 317
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        seconds, stored, peak = process.submit(large, side).result()
    yield compared(
        f"memory of a plan for a deadline ({stored:.1f} MB stored)",
        f"{side * side:,} states, noise 0.5, {STEPS:,} steps",
        ours=("fo.plan", seconds),
        peer=("limit", seconds),
        ratio=peak,
        unit="GiB",
        at_most=MOST_GIB,
    )


def large(side: int) -> tuple[float, float, float]:
    """Return the seconds a plan takes, the MB it stores, and the peak of the process in GiB."""
    world = fo.maze(["." * side] * side, noise=0.5)
    begin = time.perf_counter()
    plan = fo.plan(world, world.num_states // 2 + side // 2, deadline=float(STEPS))
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return seconds, 9 * plan.num_changes / 1e6, peak


def quantecon(world: fo.Maze, goal: int):
    """Return QuantEcon's backward induction, as a function without arguments."""
    moves, size = timed_moves(world, None).chain, world.num_states
    actions = moves.shape[0] // size
    at_goal = np.arange(moves.shape[0]) % size == goal
    stays = csr_matrix(
        (np.ones(at_goal.sum()), (np.flatnonzero(at_goal), np.full(at_goal.sum(), goal))),
        shape=moves.shape,
    )
    rows = csr_matrix(moves.multiply(~at_goal[:, None])) + stays
    states, numbers = np.tile(np.arange(size), actions), np.repeat(np.arange(actions), size)
    last = (np.arange(size) == goal).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a discount of 1 is fine with a horizon
        problem = DiscreteDP(np.zeros(len(states)), rows, 1.0, states, numbers)
    return lambda: backward_induction(problem, STEPS, last)[0][0]


if __name__ == "__main__":
    main(measure)
