"""Environments of any make become functions; gymnax and Navix themselves are in `tests/peers`."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import pytest

from first_occupancy.interop.enumeration.functional_environments import (
    FunctionalEnvironment,
    functional,
)
from functional_worlds import corridor


def test_an_object_with_reset_and_step_is_an_environment():
    own = corridor()
    made = functional(SimpleNamespace(reset=own.reset, step=own.step, num_actions=3))
    place = made.reset(jax.random.key(0))
    following, reward, terminated, truncated = made.full_step(jax.random.key(0), place, 1)
    assert (int(following.cell), float(reward), bool(terminated), bool(truncated)) == (2, 0, 0, 0)
    assert functional(own) is own


def test_an_environment_like_those_of_gymnax_is_stepped_without_its_clock():
    class Gymnaxlike:
        num_actions, default_params = 1, 5

        def reset_env(self, key, params):
            return None, SimpleNamespace(place=jnp.array(0), time=0)

        def step_env(self, key, state, action, params):
            following = SimpleNamespace(place=(state.place + 1) % 3, time=state.time + 1)
            return None, following, 1.0, following.place == 2, {}

        def is_truncated(self, state, params):
            return state.time >= params

    made = functional(Gymnaxlike())
    state = made.reset(jax.random.key(0))
    following, reward, terminated, truncated = made.full_step(jax.random.key(0), state, 0)
    assert (reward, bool(terminated), bool(truncated)) == (1.0, False, False)
    assert set(made.key(following)) == {"place"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: functional("FourRooms-misc"),
            "functional: environment must be of gymnax or Navix, or have reset(key), step(key, "
            "state, action) and num_actions, got str",
        ),
        (
            lambda: FunctionalEnvironment(int, lambda *_: (1, 2), 1).full_step(0, 0, 0),
            "FunctionalEnvironment: step must return the next state, the reward, whether it "
            "terminated and perhaps whether it truncated, got 2 values",
        ),
        (
            lambda: FunctionalEnvironment(int, lambda *_: 1, 1).full_step(0, 0, 0),
            "FunctionalEnvironment: step must return the next state, the reward, whether it "
            "terminated and perhaps whether it truncated, got int",
        ),
    ],
)
def test_mistakes_get_one_sentence(call, message, error_of):
    assert error_of(call) == message
