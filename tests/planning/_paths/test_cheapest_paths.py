"""Cheapest paths against Bellman-Ford, and legs against those of shortest paths."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import bellman_ford

from first_occupancy.core.errors import InputError
from first_occupancy.planning._paths.cheapest_paths import cut_cheapest_paths, timed_edges
from oracles import cuts_by_plain_sweeps
from strategies import random_paths


def walked(by_state, durations, cuts, start):
    """Return the time that following the legs takes, and where it ends."""
    here, time = start, 0.0
    while cuts.policy[here] >= 0:
        policy, subgoal = cuts.policy[here], cuts.subgoal[here]
        while True:
            time, here = time + durations[here, policy], by_state[here, policy]
            if here == subgoal:
                break
    return time, here


@pytest.mark.parametrize("whole", [True, False])
def test_times_are_those_of_bellman_ford_and_legs_take_them(whole):
    rng = np.random.default_rng(8)
    for _ in range(150):
        size, count = int(rng.integers(2, 30)), int(rng.integers(1, 5))
        by_state = rng.integers(0, size, (size, count)).astype(np.int32)
        durations = rng.integers(1, 6, (size, count)) * (1.0 if whole else rng.random())
        goals = rng.choice(size, int(rng.integers(1, 3)), replace=False)
        cuts = cut_cheapest_paths(timed_edges(by_state, durations), goals)
        lengths = np.full((size, size), np.inf)
        for (state, policy), end in np.ndenumerate(by_state):
            lengths[end, state] = min(lengths[end, state], durations[state, policy])
        np.fill_diagonal(lengths, np.inf)
        exact = bellman_ford(csr_array(np.where(np.isinf(lengths), 0, lengths)), indices=goals)
        np.testing.assert_allclose(cuts.time, exact.min(axis=0), rtol=1e-12)
        for start in range(size):
            if np.isfinite(cuts.time[start]):
                time, end = walked(by_state, durations, cuts, start)
                assert end in goals
                np.testing.assert_allclose(time, cuts.time[start], rtol=1e-12, atol=1e-12)
            else:
                assert cuts.policy[start] == cuts.subgoal[start] == -1


def test_with_equal_durations_cuts_are_those_of_shortest_paths_ties_included():
    for seed in range(150):
        table, goal = random_paths(seed)
        by_state = np.ascontiguousarray(table.T)
        ones = np.ones(by_state.shape)
        cuts = cut_cheapest_paths(timed_edges(by_state, ones), np.array([goal]))
        policy, subgoal, steps = cuts_by_plain_sweeps(table, goal)
        assert (cuts.policy.tolist(), cuts.subgoal.tolist()) == (policy, subgoal)
        assert np.where(np.isinf(cuts.time), -1, cuts.time).tolist() == steps


def test_durations_too_far_apart_for_floats_are_refused():
    # States 1 and 2 are a thousandth apart, and both as far from the goal as floats can tell.
    by_state = np.array([[0, 0], [0, 2], [0, 1]], np.int32)
    durations = np.array([[1.0, 1.0], [1e20, 1e-3], [1e20, 1e-3]])
    with pytest.raises(InputError, match="durations must not differ"):
        cut_cheapest_paths(timed_edges(by_state, durations), np.array([0]))
