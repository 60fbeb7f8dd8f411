"""Bonuses of a row, by hand."""

import jax.numpy as jnp
import pytest

from first_occupancy_paper.explorers import bonuses


def test_bonuses_of_a_row():
    row = jnp.array([0.5, 0.0, 1.5])
    assert float(bonuses.printed(50.0)(row)) == 100
    assert float(bonuses.inverse(50.0)(row)) == 25
    assert float(bonuses.negative(50.0)(row)) == -100
    assert float(bonuses.none()(row)) == 0
    assert float(bonuses.inverse(50.0, floor=0.1)(jnp.zeros(3))) == pytest.approx(500)
