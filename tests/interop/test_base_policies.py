"""Base policies of every form are the same table."""

from itertools import count

import numpy as np
import pytest

from first_occupancy.interop.base_policies import decider, tabulate
from first_occupancy.interop.skills import skills_of
from first_occupancy.interop.states import DiscreteStates, KeyedStates

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_actions_that_are_several_numbers_pass_as_they_are():
    space = gymnasium.spaces.MultiDiscrete([2, 3])
    act = decider("collect", lambda seen: np.array([1, 2]), 0, space)
    assert act(None, 0, np.random.default_rng(0)).tolist() == [1, 2]


class Model:
    """What Stable-Baselines3's models look like, for one action per observation."""

    def __init__(self, actions):
        self.actions = np.asarray(actions)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        assert deterministic
        return self.actions[observation], state


def test_base_policies_of_every_form_are_the_same_table():
    actions = np.array([1, 0, 2, 1])
    forms = [actions, np.eye(3)[actions], lambda seen: actions[seen], Model(actions)]
    tables = tabulate(forms, DiscreteStates(4), 3)
    for table in tables:
        np.testing.assert_array_equal(table, np.eye(3)[actions])


def test_models_see_observations_that_are_dictionaries():
    class Sees:
        def predict(self, observation, deterministic=False):
            assert observation["image"].shape == (3,)
            return observation["image"].sum(), None

    states = KeyedStates()
    for row in (np.array([0, 0, 1]), np.array([0, 0, 0])):
        states.add({"image": row})
    np.testing.assert_array_equal(tabulate([Sees()], states, 2)[0], [[0, 1], [1, 0]])


def changes_its_mind():
    """Return a policy that acts otherwise at its 21st call, the second in state 4 of 16."""
    turns = count()
    return lambda seen: 3 * (next(turns) == 20)


MISTAKES = {
    "no policy": (
        lambda: skills_of(gymnasium.make("FrozenLake-v1"), discount=0.9, policies=[[0] * 16]),
        "tabulate: policy 0 must be an array, a function or have predict, got <class 'list'>",
    ),
    "no action": (
        lambda: skills_of(
            gymnasium.make("FrozenLake-v1"), discount=0.9, policies=[lambda seen: None]
        ),
        "tabulate: policy 0 must return a whole number as action, got None in state 0",
    ),
    "flips coins": (
        lambda: skills_of(
            gymnasium.make("FrozenLake-v1"),
            discount=0.9,
            policies=[changes_its_mind()],
        ),
        "tabulate: policy 0 must be deterministic, got actions 0 and 3 in state 4; "
        "pass its probabilities as an array [S A], or use watch_skills",
    ),
    "tabulated out of range": (
        lambda: tabulate([np.array([0, 1]), lambda seen: 3], DiscreteStates(2), 2),
        "tabulate: actions of policy 1 must be in 0..1, got 3 at position 0",
    ),
    "no distribution": (
        lambda: tabulate([np.array([[0.5, 0.4], [0, 1]])], DiscreteStates(2), 2),
        "tabulate: policy 0 at state 0 does not sum to one (sums to 0.9)",
    ),
    "shape": (
        lambda: tabulate([np.zeros((3, 2))], DiscreteStates(2), 2),
        "tabulate: policy 0 must have shape [S A] = [2, 2] or [S] = [2], got [3, 2]",
    ),
    "no tables": (
        lambda: tabulate([], DiscreteStates(2), 2),
        "tabulate: needs at least one policy, got none",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
