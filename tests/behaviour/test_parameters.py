"""Parameters stay within their bounds, and transforms can be undone."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour.parameters import Parameter, named

INFINITY = float("inf")


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-2.0, 3.0), (0.0, INFINITY), (-INFINITY, INFINITY)]
)
def test_transforms_keep_bounds_and_order_and_have_the_typical_value_in_the_middle(low, high):
    parameter = Parameter("x", low, high, 0.5)
    line = jnp.linspace(-5, 5, 11)
    values = parameter.from_line(line)
    assert bool(((values > low) & (values < high)).all())
    assert bool((jnp.diff(values) > 0).all())
    np.testing.assert_allclose(parameter.from_line(parameter.middle), 0.5)
    assert named([parameter], line[:, None])["x"].tolist() == values.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("x", 0.0, 1.0, 2.0),
            "Parameter: x must have a typical value between its bounds and a positive spread, "
            "got 2.0 in (0.0, 1.0), 1.0",
        ),
        (
            ("x", -INFINITY, 1.0, 0.0),
            "Parameter: x must have a lower bound if it has an upper",
        ),
    ],
)
def test_mistakes_are_named(arguments, message, error_of):
    assert error_of(lambda: Parameter(*arguments)) == message
