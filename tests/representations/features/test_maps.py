"""Feature maps against their formulas, and what they say of bad input."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations.features.maps import (
    apply_to_rows,
    one_hot,
    radial_basis,
    thresholds_at_quantile,
    tile_coding,
)


def test_radial_basis_is_a_gaussian_around_each_centre_of_a_grid():
    phi = radial_basis([-1.2, -0.07], [0.6, 0.07], [4, 3], width=0.5)
    centres = np.array([[x, v] for x in (-1.2, -0.6, 0.0, 0.6) for v in (-0.07, 0.0, 0.07)])
    np.testing.assert_allclose(phi.centres, centres, atol=1e-15)
    places = np.random.default_rng(0).uniform([-1.2, -0.07], [0.6, 0.07], (20, 2))
    scaled = (places[:, None] - centres) / (0.5 * np.array([0.6, 0.07]))
    expected = np.exp(-(scaled**2).sum(axis=-1) / 2)
    np.testing.assert_allclose(apply_to_rows(phi, jnp.asarray(places)), expected, rtol=1e-9)
    at_centres = np.asarray(apply_to_rows(phi, phi.centres))
    np.testing.assert_array_equal(np.diag(at_centres), 1)
    np.testing.assert_array_equal(at_centres.argmax(axis=1), np.arange(12))


def test_a_single_centre_is_in_the_middle():
    np.testing.assert_allclose(radial_basis([0.0, 2.0], [1.0, 6.0], 1).centres, [[0.5, 4.0]])


def test_tile_coding_marks_one_tile_per_tiling():
    tiles = tile_coding([0.0, -1.0], [2.0, 1.0], [4, 3], num_tilings=5)
    assert tiles.num_features == 5 * 5 * 4
    rng = np.random.default_rng(1)
    places = np.concatenate([rng.uniform([0, -1], [2, 1], (50, 2)), [[0, -1], [2, 1]]])
    features = np.asarray(apply_to_rows(tiles, jnp.asarray(places)))
    assert set(np.unique(features)) == {0, 1}
    np.testing.assert_array_equal(features.reshape(-1, 5, 20).sum(axis=-1), 1)
    for place, row in zip(places, features, strict=True):
        for tiling, marked in enumerate(row.reshape(5, 20).argmax(axis=-1)):
            along_x = int(place[0] / 0.5 + tiling / 5)
            along_y = int((place[1] + 1) / (2 / 3) + (3 * tiling % 5) / 5 + 1e-12)
            assert marked == along_x * 4 + along_y


def test_near_places_share_tiles_and_outside_counts_as_the_side():
    tiles = tile_coding([0.0], [1.0], 5, num_tilings=8)
    rows = apply_to_rows(tiles, jnp.array([[0.5], [0.55], [0.65], [0.8], [1.0], [7.0]]))
    assert (rows @ rows[0]).tolist() == [8, 6, 2, 0, 0, 0]
    np.testing.assert_array_equal(rows[4], rows[5])


def test_one_hot_takes_a_number_or_a_row_of_one():
    for state in (jnp.array(2), jnp.array([2]), jnp.array([2.0])):
        np.testing.assert_array_equal(one_hot(4)(state), [0, 0, 1, 0])


@pytest.mark.parametrize("num_tilings", [1, 3, 6, 8, 10])
def test_every_tiling_is_shifted_differently_along_every_axis(num_tilings):
    shifts = np.asarray(tile_coding([0.0] * 4, [1.0] * 4, 3, num_tilings=num_tilings).shifts)
    for along_axis in shifts.T:
        np.testing.assert_allclose(np.sort(along_axis), np.arange(num_tilings) / num_tilings)


def test_thresholds_at_a_quantile_leave_that_share_below():
    features = jnp.asarray(np.random.default_rng(0).random((1000, 3)) * [1, 10, 100])
    thresholds = thresholds_at_quantile(features, 0.9)
    np.testing.assert_allclose((features < thresholds[None, :]).mean(axis=0), 0.9, atol=1e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: radial_basis([0.0], [1.0, 2.0], 3),
            "radial_basis: low and high must be rows of equal length, got [[1], [2]]",
        ),
        (
            lambda: radial_basis([0.0, 3.0], [1.0, 2.0], 3),
            "radial_basis: low must be below high along each axis, got [0.0, 3.0] and [1.0, 2.0]",
        ),
        (
            lambda: radial_basis([0.0], [1.0], [3, 3]),
            "radial_basis: counts must be at least 1, one for all or one for each of 1 axes, "
            "got [3, 3]",
        ),
        (
            lambda: radial_basis([0.0], [1.0], 3, width=0.0),
            "radial_basis: width must be positive and finite, got 0.0",
        ),
        (
            lambda: tile_coding([0.0], [1.0], 0),
            "tile_coding: counts must be at least 1, one for all or one for each of 1 axes, got 0",
        ),
        (
            lambda: tile_coding([0.0], [1.0], 2.5),
            "tile_coding: counts must be whole numbers, got 2.5",
        ),
        (
            lambda: tile_coding([0.0], [1.0], 3, num_tilings=0),
            "tile_coding: num_tilings must be at least 1, got 0",
        ),
        (lambda: one_hot(0), "one_hot: num_states must be at least 1, got 0"),
        (
            lambda: thresholds_at_quantile(jnp.ones((2, 2)), 1.5),
            "thresholds_at_quantile: quantile must be at least 0 and at most 1, got 1.5",
        ),
        (
            lambda: thresholds_at_quantile(jnp.ones(2), 0.5),
            "thresholds_at_quantile: features must have shape [T D], got [2]",
        ),
        (
            lambda: thresholds_at_quantile(jnp.zeros((0, 2)), 0.5),
            "thresholds_at_quantile: features must not be empty, got shape [0, 2]",
        ),
        (
            lambda: thresholds_at_quantile(jnp.array([[1.0, jnp.nan]]), 0.5),
            "thresholds_at_quantile: features must be finite, got nan at [0, 1]",
        ),
    ],
)
def test_maps_say_what_is_wrong(as_users_run_it, make, message):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message
