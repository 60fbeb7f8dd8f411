"""Chains of base policies: discounted, timed, and with states to avoid."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._dynamics import Dynamics

NOBODY = np.zeros(0, int)
ROWS = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0.2, 0.8]]])
TIMES = np.array([[1.0, 2.0], [3.0, 1.0]])


def jumps_of(rows, worth):
    """Return the jump chain of a policy whose moves are worth so much each, by its definition."""
    moves = rows * worth[:, None]
    staying = moves.diagonal().copy()
    np.fill_diagonal(moves, 0)
    return moves / (1 - staying)[:, None]


def test_moves_are_discounted_by_how_long_they_take():
    dynamics = Dynamics(SparseMDP(ROWS, durations=TIMES), None, 0.5, NOBODY)
    for action, jumps in enumerate(dynamics.jumps):
        expected = jumps_of(ROWS[:, action], 0.5 ** TIMES[:, action])
        np.testing.assert_allclose(jumps.moves.toarray(), expected)
        np.testing.assert_allclose(jumps.losses, 1 - expected.sum(axis=1))
        assert jumps.times is None


def test_a_policy_that_draws_actions_mixes_their_discounts():
    policy = np.array([[[0.25, 0.75], [1, 0]]])
    (jumps,) = Dynamics(SparseMDP(ROWS, durations=TIMES), policy, 0.5, NOBODY).jumps
    kernel = np.einsum("sa,sa,sat->st", policy[0], 0.5**TIMES, ROWS)
    np.testing.assert_allclose(jumps.moves.toarray(), jumps_of(kernel, np.ones(2)))


def test_undiscounted_moves_have_times_until_they_leave():
    policy = np.array([[[0.25, 0.75], [0.5, 0.5]]])
    (jumps,) = Dynamics(SparseMDP(ROWS, durations=TIMES), policy, 1.0, NOBODY).jumps
    chain = np.einsum("sa,sat->st", policy[0], ROWS)
    elapsed = np.einsum("sa,sa,sat->st", policy[0], TIMES, ROWS)
    for state, other in ((0, 1), (1, 0)):
        waiting = elapsed[state, state] / (1 - chain[state, state])
        moving = elapsed[state, other] / chain[state, other]
        np.testing.assert_allclose(jumps.times.toarray()[state, other], waiting + moving)


def test_what_enters_a_state_to_avoid_is_lost():
    dynamics = Dynamics(fo.MDP(ROWS), None, 0.5, np.array([1]))
    for jumps in dynamics.jumps:
        assert jumps.moves.nnz == 0
        assert jumps.losses.tolist() == [1, 1]
    for action, chain in enumerate(dynamics.absorbing_chains):
        np.testing.assert_allclose(chain.toarray(), [ROWS[0, action], [0, 1]])


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
    np.testing.assert_allclose(found.expected_discount, best, rtol=1e-9)
    brings = fo.evaluate(found, world, discount=discount)
    np.testing.assert_allclose(brings.optimal, best, rtol=1e-9)


def simulated(world, policy, start, goal, runs, rng):
    """Return which walks arrive, and after how long, if the choice is followed."""
    rows = np.stack([chain.toarray() for chain in world.action_chains], axis=1)
    here, times, arrived = np.full(runs, start), np.zeros(runs), np.zeros(runs, bool)
    walking = np.arange(runs)
    while len(walking):
        walking = walking[policy[here[walking]] >= 0]
        actions = policy[here[walking]]
        times[walking] += world.durations[here[walking], actions]
        sums = rows[here[walking], actions].cumsum(axis=1)
        here[walking] = (rng.random((len(walking), 1)) >= sums / sums[:, -1:]).sum(axis=1)
        arrived[walking] = here[walking] == goal
        walking = walking[here[walking] != goal]
    return arrived, times


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_probability_and_time_of_arrival_are_those_of_walks_at_every_discount(discount):
    for seed in range(20):
        rng = np.random.default_rng([5, seed])
        size, goal, runs = int(rng.integers(4, 12)), 3, 2000
        rows = np.zeros((size, 3, size))
        for row in rows.reshape(-1, size):
            row[rng.choice(size, 3, replace=False)] = rng.dirichlet(np.ones(3))
        rows[0], rows[0, :, 0] = 0, 1  # a trap
        world = fo.SparseMDP(rows, durations=rng.choice([0.5, 1, 2, 5], (size, 3)))
        plan = fo.plan(world, goal, discount=discount)
        arrived, times = simulated(world, np.asarray(plan.policy), 1, goal, runs, rng)
        chance, late = float(plan.probability[1]), times[arrived]
        slack = 4 * np.sqrt(chance * (1 - chance) / runs) + 1e-6
        assert abs(arrived.mean() - chance) < slack
        assert abs(late.mean() - float(plan.expected_time[1])) < 4 * late.std() / np.sqrt(len(late))
