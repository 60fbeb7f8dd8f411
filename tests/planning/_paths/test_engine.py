"""The engine of deterministic policies: promises are kept, in steps and in time."""

import numpy as np
import pytest

from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.engine import PathEngine
from strategies import random_paths


def engine(steps, times, discount):
    """Return the engine of a world in which each policy is an action."""
    durations = None if times is None else times.T
    world = SparseMDP(list(np.eye(steps.shape[1])[steps]), durations=durations)
    return PathEngine(Dynamics(world, None, discount, np.zeros(0, int)), steps)


def walk(steps, times, policy, goals, start):
    """Return the time of looking the plan up in every state, walking on until it ends."""
    here, time = start, 0.0
    for _ in range(steps.shape[1] + 1):
        if here in goals:
            return time
        if policy[here] < 0:
            return np.inf
        time, here = time + times[policy[here], here], steps[policy[here], here]
    return np.inf


@pytest.mark.parametrize("switches", [None, 0, 2])
@pytest.mark.parametrize("timed", [False, True])
def test_following_takes_the_time_that_is_reported(switches, timed):
    rng = np.random.default_rng(10)
    for seed in range(60):
        steps, goal = random_paths(seed)
        times = rng.random(steps.shape) + 0.1 if timed else np.ones(steps.shape)
        goals = np.unique([goal, *rng.choice(steps.shape[1], int(rng.integers(0, 2)))])
        found = engine(steps, times if timed else None, 0.9).plan(
            Request(goals, switches, rounds=0)
        )
        taken = [walk(steps, times, found.policy, goals, s) for s in range(steps.shape[1])]
        np.testing.assert_allclose(found.time, taken, rtol=1e-9)
        np.testing.assert_allclose(found.achieved, 0.9 ** np.array(taken), rtol=1e-9)
        assert (found.achieved >= np.exp(found.log_promised) * (1 - 1e-12)).all()
        assert found.gap == (0 if switches is None else None)


def test_without_a_discount_everything_reachable_is_certain_and_paths_are_shortest():
    steps, goal = random_paths(3)
    sure = engine(steps, None, 1.0).plan(Request(np.array([goal])))
    soon = engine(steps, None, 0.9).plan(Request(np.array([goal])))
    np.testing.assert_array_equal(sure.policy, soon.policy)
    np.testing.assert_array_equal(sure.time, soon.time)
    np.testing.assert_array_equal(np.exp(sure.log_promised), np.isfinite(sure.time))


def test_at_discount_zero_only_the_goal_has_a_plan():
    steps, goal = random_paths(3)
    found = engine(steps, None, 0.0).plan(Request(np.array([goal])))
    assert (found.policy == -1).all()
    np.testing.assert_array_equal(np.exp(found.log_promised), np.arange(steps.shape[1]) == goal)
