"""Observations become states: numbers, keys, cells, nearest places."""

import numpy as np
import pytest

from first_occupancy.interop import extras
from first_occupancy.interop.discretisers import NearestStates, grid_states, k_means_states
from first_occupancy.interop.gym.minigrid_poses import PoseObservations
from first_occupancy.interop.states import (
    DiscreteStates,
    KeyedStates,
    states_of,
    unstacked,
    whole_key,
)

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


def test_a_log_of_observations_is_numbered_as_one_by_one():
    rows = {"cell": np.array([7, 9, 7]), "time": np.arange(3)}
    cells = KeyedStates(lambda seen: int(seen["cell"]))
    assert cells.add_all(rows).tolist() == [0, 1, 0]
    assert grid_states([0], [3], 3).add_all([[2.5], [0.5]]).tolist() == [2, 0]
    assert DiscreteStates(9, 5).add_all(np.array([6, 5])).tolist() == [1, 0]
    assert KeyedStates().add_all([]).dtype == int


def test_arrays_of_different_shape_have_different_keys():
    assert whole_key(np.zeros((2, 1))) != whole_key(np.zeros((1, 2)))
    assert whole_key((np.int64(1), "a")) == (1, "a")


def test_grid_cells_are_those_of_a_histogram():
    rng = np.random.default_rng(0)
    rows = rng.uniform([-1, 0], [2, 5], (200, 2))
    states = grid_states([-1, 0], [2, 5], (3, 4))
    histogram, _, _ = np.histogram2d(*rows.T, bins=(3, 4), range=[(-1, 2), (0, 5)])
    found = np.bincount([states(row) for row in rows], minlength=12)
    np.testing.assert_array_equal(found, histogram.ravel())
    assert [states(states.observation(s)) for s in range(12)] == list(range(12))
    assert (states([-9, -9]), states([9, 9])) == (0, 11)


def test_k_means_finds_well_separated_crowds():
    rng = np.random.default_rng(0)
    middles = np.array([[0, 0], [10, 0], [0, 500], [10, 500]], float)
    crowd = np.repeat(np.arange(4), 50)
    rows = middles[crowd] + rng.normal(size=(200, 2)) * [0.5, 25]
    states = k_means_states(rows, 4, seed=1)
    found = np.array([states(row) for row in rows])
    for one in range(4):
        assert len(np.unique(found[crowd == one])) == 1
        mean = rows[crowd == one].mean(axis=0)
        np.testing.assert_allclose(states.observation(int(found[crowd == one][0])), mean)
    np.testing.assert_array_equal(k_means_states(rows, 4, seed=1).centres, states.centres)


def test_nearest_is_nearest():
    rng = np.random.default_rng(0)
    centres, rows = rng.normal(size=(7, 3)), rng.normal(size=(40, 3))
    scale = np.array([1.0, 5.0, 0.1])
    states = NearestStates(centres, scale)
    distances = np.square((rows[:, None] - centres) / scale).sum(axis=-1)
    assert [states(row) for row in rows] == distances.argmin(axis=1).tolist()


MISTAKES = {
    "no grid": (
        lambda: PoseObservations(gymnasium.make("CartPole-v1")),
        "PoseObservations: needs a MiniGrid environment, got CartPoleEnv",
    ),
    "range": (
        lambda: DiscreteStates(3)(3),
        "DiscreteStates: observation must be in 0..2, got 3",
    ),
    "no number": (
        lambda: DiscreteStates(3)(0.5),
        "DiscreteStates: observation must be one number, got 0.5",
    ),
    "continuous": (
        lambda: states_of(gymnasium.make("MountainCarContinuous-v0")),
        "states_of: needs an environment with Discrete observations, got "
        "Box([-1.2  -0.07], [0.6  0.07], (2,), float32); "
        "use KeyedStates(key), discretisers.grid_states or discretisers.k_means_states",
    ),
    "unseen": (
        lambda: KeyedStates()(4),
        "KeyedStates: needs a state seen before, one of 0, got 4; explore more",
    ),
    "unhashable": (
        lambda: KeyedStates(lambda seen: [seen]).add(4),
        "KeyedStates: key must return something hashable, as a tuple is, got <class 'list'>",
    ),
    "parts": (
        lambda: unstacked({"cell": [1, 2], "time": [0]}),
        "unstacked: all parts of observations must be equally many, got 2 and 1",
    ),
    "box": (
        lambda: grid_states([0], [np.inf], 3),
        "grid_states: low must be below high, and both finite, got [0.0] and [inf]",
    ),
    "lengths": (
        lambda: grid_states([0], [1, 2], 3),
        "grid_states: low and high must be equally long, got (1,) and (2,)",
    ),
    "counts": (
        lambda: grid_states([0, 0], [1, 1], (3, 0)),
        "grid_states: counts must be whole numbers from 1, one or 2, got (3, 0)",
    ),
    "place": (
        lambda: grid_states([0], [1], 3)([np.nan]),
        "GridStates: observation must be 1 finite numbers, got [nan]",
    ),
    "too many means": (
        lambda: k_means_states(np.zeros((5, 2)), 2),
        "k_means_states: num_states must be in 1..1, the number of different observations, got 2",
    ),
    "means of what": (
        lambda: k_means_states(np.zeros(5), 2),
        "k_means_states: observations must be finite numbers of shape [B O], got shape [5]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch, error_of):
    monkeypatch.setattr(extras, "gymnasium", None)
    message = "states_of: needs Gymnasium: pip install 'first-occupancy[interop]'"
    assert error_of(lambda: states_of(None)) == message
