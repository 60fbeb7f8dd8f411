"""What each target counts, and the thresholds it takes."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations.features.targets import (
    FirstOccupancy,
    SoftFirstOccupancy,
    Successor,
    counted,
)


def test_what_is_counted():
    features = jnp.array([[0.2, 0.7], [0.95, 0.1]])
    hard = counted(FirstOccupancy(jnp.array([0.9, 0.7])), features)
    np.testing.assert_array_equal(hard, [[0, 1], [1, 0]])
    for target in (SoftFirstOccupancy(), Successor()):
        np.testing.assert_array_equal(counted(target, features), features)


def test_thresholds_must_make_sense(as_users_run_it):
    for make, message in (
        (
            lambda: FirstOccupancy(jnp.ones((2, 2))),
            "FirstOccupancy: thresholds must be one number or a row of them, got shape [2, 2]",
        ),
        (
            lambda: FirstOccupancy(jnp.array([1.0, jnp.nan])),
            "FirstOccupancy: thresholds must be numbers, got NaN",
        ),
    ):
        with pytest.raises(InputError) as error:
            make()
        assert str(error.value) == message
