"""Chains of base policies: discounted, timed, and with states to avoid."""

import numpy as np

import first_occupancy as fo
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._dynamics import Dynamics

NOBODY = np.zeros(0, int)
ROWS = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0.2, 0.8]]])
TIMES = np.array([[1.0, 2.0], [3.0, 1.0]])


def test_moves_are_discounted_by_how_long_they_take():
    dynamics = Dynamics(SparseMDP(ROWS, durations=TIMES), None, 0.5, NOBODY)
    for action, kernel in enumerate(dynamics.kernels):
        expected = ROWS[:, action] * 0.5 ** TIMES[:, action, None]
        np.testing.assert_allclose(kernel.toarray(), expected)


def test_a_policy_that_draws_actions_mixes_their_discounts():
    policy = np.array([[[0.25, 0.75], [1, 0]]])
    dynamics = Dynamics(SparseMDP(ROWS, durations=TIMES), policy, 0.5, NOBODY)
    expected = np.einsum("sa,sa,sat->st", policy[0], 0.5**TIMES, ROWS)
    np.testing.assert_allclose(dynamics.kernels[0].toarray(), expected)
    elapsed = np.einsum("sa,sa,sat->st", policy[0], TIMES, ROWS)
    np.testing.assert_allclose(dynamics.elapsed[0].toarray(), elapsed)


def test_states_to_avoid_are_never_left():
    dynamics = Dynamics(fo.MDP(ROWS), None, 0.5, np.array([1]))
    for action, chain in enumerate(dynamics.chains):
        np.testing.assert_allclose(chain.toarray(), [ROWS[0, action], [0, 1]])


def test_steps_take_the_time_of_the_action_that_each_policy_takes():
    world = SparseMDP(np.eye(2)[[[1, 0], [0, 1]]], durations=TIMES)
    dynamics = Dynamics(world, np.array([[1, 0]]), 0.5, NOBODY)
    assert dynamics.steps().tolist() == [[0, 0]]
    np.testing.assert_allclose(dynamics.step_times(), [[2, 3]])


def test_entering_costs_are_paid_where_a_noisy_move_ends():
    """Value iteration over every outcome, one at a time, is the oracle."""
    world, discount = fo.maze(["S.5.", ".>^3", "#.9G"], noise=0.3), 0.8
    found = fo.plan(world, (2, 3), discount=discount, refine=None)
    goal, times, share = world.state(2, 3), world.entry_times, world.noise / 4
    best = np.eye(world.num_states)[goal]
    for _ in range(500):
        worth = discount**times * best
        ways = (1 - world.noise) * worth[world.next_states]
        ways += share * worth[world.next_states].sum(axis=0)[None]
        best = np.where(np.arange(world.num_states) == goal, 1, ways.max(axis=0))
    np.testing.assert_allclose(found.followed, best, rtol=1e-9)
    brings = fo.evaluate(found, world, discount=discount)
    np.testing.assert_allclose(brings.optimal, best, rtol=1e-9)
