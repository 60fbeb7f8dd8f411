"""Observations become states: numbers, keys, cells, nearest places."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.interop.states import (
    DiscreteStates,
    KeyedStates,
    states_of,
    unstacked,
    whole_key,
)
from grid_states import GridStates

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_numbers_count_from_where_the_space_begins():
    class Odd(gymnasium.Env):
        observation_space = gymnasium.spaces.Discrete(3, start=5)

    states = states_of(Odd())
    assert [states(seen) for seen in (5, np.int32(6), np.array([7]))] == [0, 1, 2]
    assert (states.num_states, states.observation(2)) == (3, 7)


def test_keyed_states_remember_what_they_were_first_shown():
    states = KeyedStates()
    shown = [{"image": np.array([1, 2]), "n": 3}, {"n": 3, "image": np.array([1, 2])}]
    other = {"image": np.array([1, 0]), "n": 3}
    assert [states.add(seen) for seen in (*shown, other)] == [0, 0, 1]
    assert states(other) == 1
    assert KeyedStates().names == []
    assert (doubtful := KeyedStates()).add("1") != doubtful.add(1)
    assert doubtful.names is None
    assert states.names == [repr(key) for key in states.keys]
    gaps = [np.array([1, np.nan]), np.array([1, np.nan], np.float32), {"speed": float("nan")}]
    assert [states.add(seen) for seen in (*gaps, np.array([1, 2.0]), *gaps)] == [
        2,
        2,
        3,
        4,
        2,
        2,
        3,
    ]
    buffer = np.zeros(2)
    arrays = KeyedStates()
    arrays.add(buffer)
    buffer[:] = 1
    assert arrays.add(buffer) == 1
    assert arrays.observation(0).tolist() == [0, 0]


def test_arrays_of_jax_are_keys_like_those_of_numpy():
    states = KeyedStates()
    shown = [jnp.arange(3), np.arange(3), {"image": jnp.ones((2, 2))}, (jnp.array(1), "go")]
    assert [states.add(seen) for seen in shown] == [0, 0, 1, 2]
    assert states.add({"image": np.ones((2, 2))}) == 1
    assert states((np.int32(1), "go")) == 2


def test_a_log_of_observations_is_numbered_as_one_by_one():
    rows = {"cell": np.array([7, 9, 7]), "time": np.arange(3)}
    cells = KeyedStates(lambda seen: int(seen["cell"]))
    assert cells.add_all(rows).tolist() == [0, 1, 0]
    assert GridStates([0], [3], [3]).add_all([[2.5], [0.5]]).tolist() == [2, 0]
    assert DiscreteStates(9, 5).add_all(np.array([6, 5])).tolist() == [1, 0]
    assert KeyedStates().add_all([]).dtype == int


def test_arrays_of_different_shape_have_different_keys():
    assert whole_key(np.zeros((2, 1))) != whole_key(np.zeros((1, 2)))
    assert whole_key((np.int64(1), "a")) == (1, "a")


MISTAKES = {
    "range": (
        lambda: DiscreteStates(3)(3),
        "DiscreteStates: observation must be in 0..2, got 3",
    ),
    "no number": (
        lambda: DiscreteStates(3)(0.5),
        "DiscreteStates: observation must be a single integer, got 0.5",
    ),
    "continuous": (
        lambda: states_of(gymnasium.make("MountainCarContinuous-v0")),
        "states_of: needs an environment with Discrete observations, got "
        "Box([-1.2  -0.07], [0.6  0.07], (2,), float32); "
        "use KeyedStates(key) with a key that rounds, or fo.landmark_world(log)",
    ),
    "unseen": (
        lambda: KeyedStates()(4),
        "KeyedStates: key must be one of the 0 seen before, got 4; explore more",
    ),
    "unhashable": (
        lambda: KeyedStates(lambda seen: [seen]).add(4),
        "KeyedStates: key must return a hashable value, such as a tuple, got <class 'list'>",
    ),
    "parts": (
        lambda: unstacked({"cell": [1, 2], "time": [0]}),
        "unstacked: all parts of observations must have the same length, got 2 and 1",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
