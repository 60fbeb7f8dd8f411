"""The agent that takes rewards: it acts as planned, counts accidents, and takes changes."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._collect.agent import simulated_returns

WORLD = fo.maze(["S....", ".#.#.", "....."])
REWARDS = {(0, 4): 1.0, (2, 0): 0.4, (2, 4): 0.3}


@pytest.fixture(autouse=True)
def _double():
    with jax.enable_x64(True):
        yield


def walked(agent, world, start, discount, rng=None, most=500):
    """Return the discounted rewards that an agent takes, and the states it is in."""
    here, weight, collected, states = start, 1.0, 0.0, [start]
    for _ in range(most):
        taken = len(agent.taken)
        action, _ = agent.predict(here)
        collected += weight * sum(worth for _, worth in agent.taken[taken:])
        if agent.target is None:
            break
        if rng is not None and rng.random() < world.noise:
            action = rng.integers(4)
        here, weight = int(world.next_states[action, here]), weight * discount
        states.append(here)
    return collected, states


@pytest.mark.parametrize("last", [None, (0, 0), (2, 4)])
def test_it_collects_what_is_stated_in_a_deterministic_world(last):
    trip = fo.collect(WORLD, REWARDS, discount=0.9, last=last)
    agent = trip.agent()
    for _ in range(2):
        collected, _ = walked(agent, WORLD, WORLD.start, 0.9)
        assert collected == pytest.approx(trip.expected_return, rel=1e-12)
        assert tuple(state for state, _ in agent.taken) == trip.order[: len(agent.taken)]
        assert (agent.left, agent.target) == ({}, None)
        agent.reset()


def test_it_collects_what_is_stated_under_noise():
    world = fo.maze(["S....", ".#.#.", "....."], noise=0.4)
    trip = fo.collect(world, REWARDS, discount=0.9)
    agent, rng = trip.agent(), np.random.default_rng(0)
    returns = []
    for _ in range(600):
        agent.reset()
        returns.append(walked(agent, world, world.start, 0.9, rng)[0])
    error = np.std(returns) / np.sqrt(len(returns))
    assert abs(np.mean(returns) - trip.expected_return) < 4 * error


def test_rewards_may_appear_vanish_and_move_on_the_way():
    agent = fo.collect(WORLD, REWARDS, discount=0.9).agent()
    here = WORLD.start
    for _ in range(2):
        action, _ = agent.predict(here)
        here = int(WORLD.next_states[action, here])
    agent.change({(0, 4): 0.0, (2, 4): 0.0, (0, 2): 1.0, (2, 2): 0.5})
    assert agent.left == {WORLD.state(2, 0): 0.4, 2: 1.0, WORLD.state(2, 2): 0.5}
    fresh = fo.collect(WORLD, {(2, 0): 0.4, (0, 2): 1.0, (2, 2): 0.5}, start=here, discount=0.9)
    collected, _ = walked(agent, WORLD, here, 0.9)
    assert collected == pytest.approx(fresh.expected_return, rel=1e-12)
    with pytest.raises(fo.InputError, match="change: rewards must be at least 0"):
        agent.change({(0, 4): -1})


def test_it_takes_observations_and_begins_again_with_an_episode():
    trip = fo.collect(WORLD, REWARDS, discount=0.9)
    agent = trip.agent(observe=lambda seen: tuple(seen["cell"]))
    agent.predict({"cell": [2, 0]})
    assert agent.taken == [(WORLD.state(2, 0), 0.4)]
    action, memory = agent.predict({"cell": [0, 0]}, "memory", episode_start=np.array([True]))
    assert (agent.taken, memory) == ([], "memory")
    assert action == int(trip.stops[0].way.plan.policy[0])


def test_in_environments_it_acts_by_their_numbers_and_at_random_in_the_end():
    space = SimpleNamespace(start=1)
    trip = fo.collect(WORLD, {(0, 2): 1.0}, discount=0.9)
    agent = trip.agent(SimpleNamespace(action_space=space))
    assert agent.predict(0)[0] == 1 + trip.world.action_names.index("right")
    drawn = {agent.predict(2)[0] for _ in range(100)}
    assert (drawn, agent.target) == ({1, 2, 3, 4}, None)
    with pytest.raises(fo.InputError, match="observe must be a function"):
        trip.agent(observe=3)


@pytest.mark.parametrize("kind", ["actions", "probabilities"])
def test_it_takes_the_actions_of_base_policies(kind):
    moves = np.repeat(np.arange(4)[::-1, None], WORLD.num_states, axis=1)
    policies = moves if kind == "actions" else np.eye(4)[moves]
    trip = fo.collect(WORLD, REWARDS, discount=0.9, policies=policies)
    collected, _ = walked(trip.agent(), WORLD, WORLD.start, 0.9)
    assert collected == pytest.approx(trip.expected_return, rel=1e-12)


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
