"""The car as an environment moves as ours does, and as Gymnasium's."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.environments import mountain_car
from first_occupancy.interop.gym import car_environment, finite_environments
from gym_worlds import made

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_the_car_moves_as_ours_and_as_gymnasiums():
    ours, theirs = made("MountainCar"), gymnasium.make("MountainCarContinuous-v0").unwrapped
    state, _ = ours.reset(seed=4)
    theirs.reset(seed=4)
    for action in np.random.default_rng(0).uniform(-1.2, 1.2, (200, 1)).astype(np.float32):
        theirs.state = state.copy()
        expected = mountain_car.step(jnp.asarray(state), action[0])
        state, reward, ended, cut, _ = ours.step(action)
        np.testing.assert_allclose(state, expected, rtol=0, atol=1e-8)
        np.testing.assert_allclose(state, theirs.step(action)[0], rtol=0, atol=1e-7)
        assert (reward, ended) == (0, False)
    assert cut


def test_the_car_ends_at_a_goal():
    environment = made("MountainCar", goal=-0.35)
    environment.reset(seed=0)
    for _ in range(100):
        state, reward, ended, _, _ = environment.step(np.ones(1, np.float32))
        assert (reward, ended) == ((1, True) if state[0] >= -0.35 else (0, False))
        if ended:
            break
    assert ended


MISTAKES = {
    "the car's goal": (
        lambda: made("MountainCar", goal=0.7),
        "MountainCarEnvironment: goal must be right of the starts, above -0.4 and at most 0.6, "
        "got 0.7",
    ),
    "the car's action": (
        lambda: car_environment.MountainCarEnvironment().step(np.zeros(2)),
        "step: action must have shape [1], got [2]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(finite_environments, "gymnasium", None)
    expected = r"Environment: needs Gymnasium: pip install .*\[interop\]"
    with pytest.raises(InputError, match=expected):
        car_environment.MountainCarEnvironment()
