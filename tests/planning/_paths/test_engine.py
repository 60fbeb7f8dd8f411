"""The engine of deterministic policies: promises are kept, in steps and in time."""

from itertools import pairwise

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.engine import PathEngine, certain_steps, path_graph, step_times
from strategies import random_paths

TIMES = np.array([[1.0, 2.0], [3.0, 1.0]])
NOBODY = np.zeros(0, int)


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


def test_edges_are_listed_backwards():
    steps = np.array([[1, 2, 2], [1, 0, 2]])
    graph = path_graph("plan", steps)
    assert graph.num_states == 3
    np.testing.assert_array_equal(graph.by_state, steps.T)
    # Both policies lead from 0 to 1; nothing leads from 2 elsewhere.
    starts, behind = graph.backwards
    lists = [sorted(behind[one:end]) for one, end in pairwise(starts)]
    assert lists == [[1], [0, 0], [1]]


def test_messages_begin_with_the_caller_and_know_a_transposed_array():
    with pytest.raises(InputError, match=r"^somebody: .*it is \[N S\], a row for each policy"):
        path_graph("somebody", np.array([[5], [0], [1]]))


def test_durations_too_far_apart_for_floats_arrive_or_are_refused():
    # The way from 1 leads through 2, which is no nearer to the goal, as far as floats can tell.
    table, times = np.array([[0, 2, 0]]), np.array([[1.0, 1e-3, 1e20]])
    with pytest.raises(InputError, match="durations must not differ"):
        path_graph("plan", table, times).cut(np.array([0]))
    table = np.array([[0, 0, 0], [0, 2, 1]])
    times = np.array([[1.0, 1e20, 1e20], [1.0, 1e-3, 1e-3]])
    assert path_graph("plan", table, times).cut(np.array([0])).policy.tolist() == [-1, 0, 0]


def test_steps_take_the_time_of_the_action_that_each_policy_takes():
    world = SparseMDP(np.eye(2)[[[1, 0], [0, 1]]], durations=TIMES)
    dynamics = Dynamics(world, np.array([[1, 0]]), 0.5, NOBODY)
    assert certain_steps(dynamics).tolist() == [[0, 0]]
    np.testing.assert_allclose(step_times(dynamics), [[2, 3]])


def test_who_draws_actions_of_different_durations_makes_no_certain_steps():
    world = SparseMDP([np.eye(2)[[1, 1]]] * 2, durations=[1.0, 10.0])
    for probability, certain in ((0.5, False), (1.0, True)):
        policy = np.array([[[probability, 1 - probability]] * 2])
        steps = certain_steps(Dynamics(world, policy, 0.5, NOBODY))
        assert (steps is not None) == certain
        # Undiscounted, only the mean counts.
        assert certain_steps(Dynamics(world, policy, 1.0, NOBODY)) is not None
