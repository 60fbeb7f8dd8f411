"""Exploring finds the world there is, and says what it left untried."""

import numpy as np
import pytest

from first_occupancy.environments import four_rooms
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment
from first_occupancy.interop.gym.exploration import explore
from first_occupancy.interop.gym.finite_environments import MazeEnvironment
from first_occupancy.interop.learned_worlds import learned_world
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of
from gym_worlds import small
from oracles import assert_frequencies_are


def test_exploring_a_world_without_chance_finds_its_mdp():
    environment = MazeEnvironment(four_rooms(), goals=[(1, 9)])
    seen = explore(environment, states_of(environment), num_steps=5000, seed=0)
    assert 67 * 4 <= len(seen) < 600
    world, truth = learned_world(seen), environment.mdp
    assert not world.untried.any()
    np.testing.assert_array_equal(world.mdp.transition, truth.transition)
    possible = np.asarray(truth.transition) > 0
    np.testing.assert_array_equal(
        np.asarray(world.mdp.reward)[possible], np.asarray(truth.reward)[possible]
    )
    np.testing.assert_array_equal(world.mdp.start_distribution, truth.start_distribution)


def test_exploring_numbers_states_as_they_are_met():
    environment = small()
    states = KeyedStates(environment.world.cell)
    world = learned_world(explore(environment, states, num_steps=200, seed=0))
    order = [environment.world.state(*cell) for cell in states.keys]
    assert sorted(order) == list(range(8))
    truth = np.asarray(environment.mdp.transition)[np.ix_(order, range(4), order)]
    np.testing.assert_array_equal(world.mdp.transition, truth)


def test_exploring_stops_when_time_is_up_and_says_what_is_untried():
    environment = small()
    seen = explore(environment, states_of(environment), num_steps=7, seed=0)
    assert len(seen) == 7
    world = learned_world(seen)
    assert world.untried.sum() >= 8 * 4 - 7 - 4
    where = np.argwhere(world.untried)
    assert all(world.mdp.transition[s, a, s] == 1 for s, a in where)


def test_under_noise_frequencies_come_near_the_truth():
    environment = small(noise=0.4)
    seen = explore(environment, states_of(environment), num_steps=4000, seed=0, tries=60)
    world, truth = learned_world(seen), environment.mdp
    assert world.tries[~world.ended].min() >= 60
    for state, action in zip(*np.nonzero(world.tries), strict=True):
        mine = (seen.states == state) & (seen.actions == action)
        shares = np.eye(8)[seen.next_states[mine]].mean(axis=0)
        np.testing.assert_allclose(world.mdp.transition[state, action], shares)
        assert_frequencies_are(seen.next_states[mine], truth.transition[state, action])


MISTAKES = {
    "continuous actions": (
        lambda: explore(MountainCarEnvironment(), KeyedStates(), num_steps=1, seed=0),
        "explore: needs an environment with Discrete actions, got Box(-1.0, 1.0, (1,), float32)",
    ),
    "no tries": (
        lambda: explore(small(), DiscreteStates(8), num_steps=0, seed=0),
        "explore: num_steps must be at least 1, got 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
