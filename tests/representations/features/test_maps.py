"""Feature maps against their formulas, and what they say of bad input."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations.features.maps import (
    apply_to_rows,
    radial_basis,
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
            lambda: radial_basis([0.0], [1.0], 0),
            "radial_basis: counts must be at least 1, one for all or one for each of 1 axes, got 0",
        ),
        (
            lambda: radial_basis([0.0], [1.0], 2.5),
            "radial_basis: counts must be whole numbers, got 2.5",
        ),
    ],
)
def test_maps_say_what_is_wrong(as_users_run_it, make, message):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message
