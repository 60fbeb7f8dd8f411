"""Simulated episodes of the agent."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._collect.simulated_returns import simulated_returns


def returns_of(trip, episodes=3, seed=0):
    moves = trip.strategy.planner._dynamics.moves
    return simulated_returns(trip.agent(), moves, trip.starts, episodes, seed)


def test_without_chance_every_episode_collects_the_expected_return():
    world = fo.maze(["S....", ".#.#.", "....."])
    for last in (None, (0, 0)):
        trip = fo.collect(world, {(0, 4): 1.0, (2, 0): 0.4, (0, 0): 0.3}, discount=0.9, last=last)
        np.testing.assert_allclose(returns_of(trip), trip.expected_return, rtol=1e-6)


def test_many_rewards_are_collected_as_promised_at_least():
    world = fo.maze(["." * 9] * 9, noise=0.1)
    rewards = {int(s): 1.0 for s in np.random.default_rng(0).choice(81, 22, replace=False)}
    trip = fo.collect(world, rewards, start=0, discount=0.95)
    assert trip.known == "lower bound"
    assert trip.promised == trip.expected_return
    found = trip.simulate(30)
    assert trip.promised <= found.mean + 4 * found.standard_error
    assert found.mean - 4 * found.standard_error <= trip.upper_bound


def test_starts_are_drawn():
    world = fo.maze(["....."])
    trip = fo.collect(world, {4: 1.0}, start={4: 0.5, 3: 0.5}, discount=0.5)
    assert set(returns_of(trip, 20).round(6)) == {1.0, 0.5}
    assert trip.expected_return == pytest.approx(0.75)
