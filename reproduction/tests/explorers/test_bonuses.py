"""Bonuses of a row, by hand."""

import jax.numpy as jnp
import pytest

from first_occupancy_paper.explorers.bonuses import NormBonus


def test_bonuses_of_a_row():
    row = jnp.array([0.5, 0.0, 1.5])
    assert float(NormBonus(50.0)(row)) == 100
    assert float(NormBonus(50.0, inverted=True)(row)) == 25
    assert float(NormBonus(-50.0)(row)) == -100
    assert float(NormBonus()(row)) == 0
    assert float(NormBonus(50.0, inverted=True, floor=0.1)(jnp.zeros(3))) == pytest.approx(500)
