"""Value iteration, policy iteration, and generalised policy improvement."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from first_occupancy.core import MDP, absorbing, chain, constant_policies
from first_occupancy.environments import four_rooms, maze
from first_occupancy.planning import gpi
from first_occupancy.planning.dynamic_programming import policy_iteration, value_iteration
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy, successor
from oracles import fr_by_linear_solves
from strategies import distributions, seeds

DISCOUNT = 0.9


def random_world(seed, size=3, num_actions=2):
    rng = np.random.default_rng(seed)
    return MDP(distributions(rng, size, num_actions, size), rng.random((size, num_actions, size)))


def policy_values(world, actions, discount=DISCOUNT):
    """Return the values of a deterministic policy from a linear system."""
    states = np.arange(world.num_states)
    chain = np.asarray(world.transition)[states, actions]
    paid = (chain * np.asarray(world.reward)[states, actions]).sum(axis=1)
    return np.linalg.solve(np.eye(len(chain)) - discount * chain, paid)


def best_values(world, discount=DISCOUNT):
    """Return the largest value of each state over all deterministic policies."""
    policies = itertools.product(range(world.num_actions), repeat=world.num_states)
    return np.max([policy_values(world, list(p), discount) for p in policies], axis=0)


@given(seeds)
def test_value_and_policy_iteration_find_the_best_of_all_policies(seed):
    world = random_world(seed)
    best = best_values(world)
    for solution in (
        value_iteration.solve(world, discount=DISCOUNT, error=1e-10),
        policy_iteration.solve(world, discount=DISCOUNT),
    ):
        np.testing.assert_allclose(solution.values, best, atol=1e-10)
        np.testing.assert_allclose(policy_values(world, solution.policy), best, atol=1e-9)


@given(seeds, st.sampled_from([1.0, 0.1, 1e-3]))
def test_value_iteration_stops_within_the_error_it_was_given(seed, error):
    world = random_world(seed)
    solution = value_iteration.solve(world, discount=DISCOUNT, error=error)
    best = best_values(world)
    assert np.abs(solution.values - best).max() <= error / 2
    assert (best - policy_values(world, solution.policy)).max() <= error
    assert solution.iterations <= value_iteration.iterations_needed(DISCOUNT, error)


def test_an_error_of_zero_gives_every_digit_of_far_values():
    world = absorbing(four_rooms(noise=0.1).mdp, 0)
    values = value_iteration.solve(world, discount=0.3, error=0.0).values
    again = np.asarray(world.transition) * (np.asarray(world.reward) + 0.3 * np.asarray(values))
    assert values.max() > 0.9
    assert values[1:].min() < 1e-8
    np.testing.assert_allclose(again.sum(axis=2).max(axis=1), values, rtol=1e-14)


@pytest.mark.parametrize("sweeps", [0, 1, 2, 5])
def test_limited_value_iteration_is_that_many_sweeps(sweeps):
    world = random_world(3, size=5)
    values = np.zeros(5)
    for _ in range(sweeps):
        worth = np.asarray(world.transition) * (np.asarray(world.reward) + DISCOUNT * values)
        values = worth.sum(axis=2).max(axis=1)
    solution = value_iteration.solve(world, discount=DISCOUNT, error=0.0, max_iterations=sweeps)
    np.testing.assert_allclose(solution.values, values, rtol=1e-13)
    assert solution.iterations == sweeps
    worth = np.asarray(world.transition) * (np.asarray(world.reward) + DISCOUNT * values)
    assert solution.policy.tolist() == worth.sum(axis=2).argmax(axis=1).tolist()


def test_policy_iteration_does_not_alternate_between_equally_good_actions():
    world = MDP(np.repeat(np.eye(3)[[1, 2, 0]][:, None, :], 4, axis=1), np.ones((3, 4, 3)))
    solution = policy_iteration.solve(world, discount=DISCOUNT)
    assert solution.policy.tolist() == [0, 0, 0]
    assert solution.iterations == 1
    np.testing.assert_allclose(solution.values, 10, rtol=1e-12)


def test_the_papers_bounds_at_discount_95_and_error_a_tenth():
    assert value_iteration.iterations_needed(0.95, 0.1) == 180
    assert policy_iteration.iterations_needed(0.95, 0.1) == 106


def test_baselines_can_be_mapped_over_discounts():
    world, many = random_world(4), jnp.array([0.0, 0.5, 0.9])
    for method in (value_iteration, policy_iteration):
        values = jax.vmap(lambda d, m=method: m.solve(world, discount=d).values)(many)
        expected = [best_values(world, float(discount)) for discount in many]
        np.testing.assert_allclose(values, expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_choosing_a_policy_for_one_goal_is_planning_without_switches(seed):
    stack = jnp.asarray(distributions(np.random.default_rng(seed), 3, 6, 6))
    frs = first_occupancy.solve(stack, discount=DISCOUNT)
    for goal in range(6):
        plan = plan_to_goal(frs, goal, max_switches=0)
        chosen = gpi.choose_policy(frs, jnp.eye(6)[goal])
        follows = np.asarray(plan.policy >= 0)
        assert follows.any()
        assert np.asarray(chosen)[follows].tolist() == np.asarray(plan.policy)[follows].tolist()


def test_choosing_a_policy_takes_the_best_expected_reward():
    frs = jnp.array([[[1.0, 0.5], [0.1, 1.0]], [[1.0, 0.6], [0.0, 1.0]]])
    assert gpi.choose_policy(frs, jnp.array([1.0, 1.0])).tolist() == [1, 0]
    assert gpi.choose_policy(frs, jnp.array([-1.0, 1.0])).tolist() == [1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_gpi_with_srs_is_at_least_as_good_as_every_base_policy(seed):
    world = random_world(seed, size=5, num_actions=3)
    reward = jnp.asarray(np.random.default_rng(seed).normal(size=5))
    base = constant_policies(world)
    srs = jnp.stack(
        [
            successor.state_action.solve(world.transition, policy, discount=DISCOUNT)
            for policy in base
        ]
    )
    actions = gpi.choose_action(srs, reward)
    improved = np.asarray(world.transition)[np.arange(5), actions]

    def worth(matrix):
        return np.linalg.solve(np.eye(5) - DISCOUNT * np.asarray(matrix), np.asarray(reward))

    each = np.stack([worth(followed) for followed in chain(world, base)])
    assert (worth(improved) >= each.max(axis=0) - 1e-12).all()
    assert (worth(improved) > each.max(axis=0) + 1e-3).any()
    assert [int(gpi.act(srs, reward, state)) for state in range(5)] == actions.tolist()


def test_the_set_max_policy_is_the_best_on_average_over_starts():
    stack = np.random.default_rng(2).dirichlet(np.ones(4), size=(3, 4))
    frs = first_occupancy.solve(jnp.asarray(stack), discount=DISCOUNT)
    exact = np.stack([fr_by_linear_solves(matrix, DISCOUNT) for matrix in stack])
    chosen = set()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        reward, start = rng.normal(size=4), rng.dirichlet(np.ones(4))
        expected = int(np.argmax([start @ fr @ reward for fr in exact]))
        assert gpi.set_max(frs, jnp.asarray(reward), jnp.asarray(start)) == expected
        chosen.add(expected)
    assert len(chosen) > 1


@pytest.mark.parametrize("x64", [False, True])
def test_policy_iteration_finds_the_way_from_far_away(x64):
    with jax.enable_x64(x64):
        corridor = maze(["." * 300])
        right = corridor.action_names.index("right")
        solution = policy_iteration.solve(absorbing(corridor.mdp, 299), discount=0.95)
        assert (np.asarray(solution.policy)[:299] == right).all()


def test_policy_iteration_takes_a_fifth_more_pay_in_single_precision_too():
    with jax.enable_x64(False):
        pays = np.array([[[1.0], [1.2]]], np.float32)
        found = policy_iteration.solve(MDP(np.ones_like(pays), pays), discount=0.9999)
        assert found.policy.tolist() == [1]
        np.testing.assert_allclose(found.values, 1.2 / (1 - 0.9999), rtol=1e-2)
