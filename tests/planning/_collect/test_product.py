"""Exact values over states and what is left, compared with plain value iteration."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._collect.product import (
    best_returns_of_parts,
    best_values,
    values_of_agent,
)
from once_only import kernels, optimum, random_graph, random_rewards


def prepared(noise=0.3, discount=0.9, count=5, last=None):
    rng = np.random.default_rng(4)
    world = random_graph(rng, 20, noise=noise, durations=True, ties=False)
    rewards = random_rewards(rng, 20, count)
    trip = fo.collect(world, rewards, start=0, discount=discount, last=last)
    return world, rewards, trip.strategy, trip.strategy.planner._dynamics.moves


@pytest.mark.parametrize("discount", [0.5, 0.99, 0.9999])
def test_the_best_values_are_those_of_value_iteration(discount):
    world, rewards, strategy, moves = prepared(discount=discount)
    values, missing = best_values(strategy.targets, moves, None)
    best = optimum(kernels(world, discount), rewards)
    np.testing.assert_allclose(values[-1], best, rtol=1e-9)
    assert (values[-1] + missing >= best * (1 - 1e-12)).all()
    assert missing < 1e-6


@pytest.mark.parametrize("last", [None, 3])
def test_the_values_of_the_agent_are_those_of_its_chain(last):
    """A linear system over all states and sets, with the policy that the agent follows."""
    world, _, strategy, moves = prepared(count=3, last=last)
    values = values_of_agent(strategy, moves)
    dense, orders, targets = kernels(world, 0.9), strategy.orders, strategy.targets
    count, size = len(targets.states), world.num_states
    matrix, gained = np.zeros((8 * size, 8 * size)), np.zeros(8 * size)
    for mask in range(1 << count):
        for state in range(size):
            row = mask * size + state
            number = strategy.numbers.get(state)
            if number is not None and (mask >> number) & 1:
                matrix[row, (mask ^ (1 << number)) * size + state] = 1
                gained[row] = targets.rewards[number]
                continue
            left = tuple(number for number in orders.all if (mask >> number) & 1)
            target = orders.choose(state, left).target
            if target < 0 and state == last:
                gained[row] = strategy.rewards.get(state, 0.0)
                continue
            policy = targets.policies[target, state]
            if policy >= 0:
                matrix[row, mask * size : (mask + 1) * size] = dense[policy, state]
    rows = (1 << count) * size
    solved = np.linalg.solve(np.eye(rows) - matrix[:rows, :rows], gained[:rows])
    np.testing.assert_allclose(values.ravel(), solved, rtol=1e-9, atol=1e-14)


def test_parts_bound_the_best_return_from_above():
    world, rewards, strategy, moves = prepared()
    best = optimum(kernels(world, 0.9), rewards)
    whole = best_returns_of_parts(strategy, moves, [0, 1], 20 * 2**5)
    np.testing.assert_allclose(whole, best[:2], rtol=1e-9)
    before = whole
    for most in (300, 150, 1):
        bounds = best_returns_of_parts(strategy, moves, [0, 1], most)
        assert (bounds >= before * (1 - 1e-12)).all()
        before = bounds
    alone = sum(strategy.targets.discounts[:2, n] * strategy.targets.rewards[n] for n in range(5))
    np.testing.assert_allclose(before, alone, rtol=1e-9)
