"""Grids and nearest places, against histograms and plain distances."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.interop.discretisers import NearestStates, grid_states, k_means_states


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
    "dictionary": (
        lambda: grid_states([0], [1], 3)({"place": [0.5]}),
        "GridStates: observation must be 1 finite numbers, got a dictionary; pass key= to take "
        "numbers out of it",
    ),
    "means of dictionaries": (
        lambda: k_means_states({"place": np.zeros((5, 2))}, 2),
        "k_means_states: observations must be numbers of shape [B O], got dictionaries; pass key= "
        "to take numbers out of them",
    ),
    "too many means": (
        lambda: k_means_states(np.zeros((5, 2)), 2),
        "k_means_states: num_states must be in 1..1, the number of different observations, got 2",
    ),
    "half a mean": (
        lambda: k_means_states(np.arange(10.0)[:, None], 2.5),
        "k_means_states: num_states must be in 1..10, the number of different observations, "
        "got 2.5",
    ),
    "ragged observations": (
        lambda: k_means_states([[0.0, 1.0], [2.0]], 2),
        "k_means_states: observations must be arrays of numbers, as many in each; pass key= to "
        "take numbers out of other observations",
    ),
    "words": (
        lambda: grid_states([0], [1], 3)("here"),
        "GridStates: observations must be arrays of numbers, as many in each; pass key= to take "
        "numbers out of other observations",
    ),
    "too many cells": (
        lambda: grid_states([0] * 40, [1] * 40, 1000),
        "grid_states: cells are numbered up to 2^63, got 1e+120 cells; use fewer per axis, or "
        "k_means_states",
    ),
    "too wide": (
        lambda: grid_states([-1.7e308], [1.7e308], 3),
        "grid_states: low must be below high, and both finite, got [-1.7e+308] and [1.7e+308]",
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


def test_numbers_are_taken_out_of_observations_of_any_kind():
    seen = [{"place": jnp.array([x, 0.5]), "image": np.zeros(3)} for x in (0.1, 0.9)]

    def key(observation):
        return observation["place"]

    states = grid_states([0, 0], [1, 1], (2, 1), key=key)
    assert [states(each) for each in seen] == [0, 1]
    assert states.add_all({"place": np.array([[0.1, 0.5], [0.9, 0.5]])}).tolist() == [0, 1]
    nearest = k_means_states(seen, 2, key=key)
    assert nearest(seen[0]) != nearest(seen[1])
    together = {"place": np.array([[0.1, 0.5], [0.9, 0.5]])}
    again = k_means_states(together, 2, key=key)
    np.testing.assert_array_equal(np.sort(again.centres, 0), np.sort(nearest.centres, 0))


@pytest.mark.parametrize(
    "column", [(0, 5e-324, 1e-323), (1e300, -1e300, 0), (1, 1 + 1e-9, 2), (0, 1e-170, 1e-165)]
)
def test_observations_of_any_size_are_told_apart(column):
    rows = np.array(column)[:, None]
    states = k_means_states(rows, 3)
    assert sorted(states(row) for row in rows) == [0, 1, 2]


def test_observations_whose_distance_underflows_may_share_a_state():
    rows = np.array([[0], [1e-200], [1]])
    states = k_means_states(rows, 3)
    assert states(rows[0]) == states(rows[1]) != states(rows[2])
