"""Cheapest paths with few switches, against sweeps over all pairs of states."""

import numpy as np

from first_occupancy.planning._paths.few_switches import cut_with_switches
from first_occupancy.planning._paths.timed_switches import cut_with_timed_switches
from first_occupancy.planning.paths import prepare


def by_all_pairs(by_state, durations, goals, max_switches):
    """Return the times of the best plans, with every leg of every policy written out."""
    size, count = by_state.shape
    legs = np.full((size, size), np.inf)
    for policy in range(count):
        for start in range(size):
            here, time = start, 0.0
            for _ in range(size):
                time, here = time + durations[here, policy], by_state[here, policy]
                legs[start, here] = min(legs[start, here], time)
    time = np.full(size, np.inf)
    time[goals] = 0
    for _ in range(max_switches + 1):
        time = np.minimum(time, (legs + time[None]).min(axis=1))
    return time


def test_times_are_those_of_sweeps_over_all_pairs():
    rng = np.random.default_rng(9)
    for _ in range(120):
        size, count = int(rng.integers(2, 20)), int(rng.integers(1, 4))
        by_state = rng.integers(0, size, (size, count)).astype(np.int32)
        durations = rng.random((size, count)) + 0.01
        goals = rng.choice(size, int(rng.integers(1, 3)), replace=False)
        for switches in (0, 1, 3):
            cuts = cut_with_timed_switches(by_state, durations, goals, switches)
            exact = by_all_pairs(by_state, durations, goals, switches)
            np.testing.assert_allclose(cuts.time, exact, rtol=1e-12)
            assert ((cuts.subgoal >= 0) == np.isfinite(exact)).all()
            assert (cuts.policy[goals] == -1).all()


def test_ties_are_broken_as_where_every_move_takes_one_step():
    rng = np.random.default_rng(11)
    for _ in range(120):
        size, count = int(rng.integers(2, 20)), int(rng.integers(1, 5))
        by_state = rng.integers(0, size, (size, count)).astype(np.int32)
        goal, graph = int(rng.integers(size)), prepare(by_state.T)
        for switches in (0, 1, 3):
            timed = cut_with_timed_switches(
                by_state, np.ones((size, count)), np.array([goal]), switches
            )
            unit = cut_with_switches(graph.by_state, graph.backwards, goal, switches)
            assert timed.policy.tolist() == unit.policy.tolist()
            assert timed.subgoal.tolist() == unit.subgoal.tolist()
