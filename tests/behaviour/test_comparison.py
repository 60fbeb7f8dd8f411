"""Comparisons are tables of fits, and name the model that made the data."""

import jax
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.comparison import compare
from first_occupancy.behaviour.held_out import folds_by_parity
from simulated_choices import simulated

pytestmark = pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
KEY = jax.random.key(0)
SUBJECTS = simulated(models.planning_model(3), {"discount": 0.85, "inverse_temperature": 12.0})
MODELS = [models.random_walk(), models.planning_model(0), models.planning_model(3)]


def test_the_model_that_made_the_data_wins():
    found = compare(MODELS, SUBJECTS, KEY, folds=folds_by_parity)
    assert found.best == "FRP, K = 3"
    assert found.winners == ("FRP, K = 3",) * 3
    rows = found.table()
    assert [row["model"] for row in rows] == ["random walk", "FRP, K = 0", "FRP, K = 3"]
    assert [row["parameters"] for row in rows] == [0, 2, 2]
    assert rows[2]["wins"] == 3
    assert rows[2]["held_out"] < rows[2]["log_likelihood"] < 0
    lines = repr(found).splitlines()
    assert lines[0].split() == list(rows[0])
    assert len({len(line) for line in lines}) == 1
    assert (found.scores[:, 2] - found.scores[:, 0] > 10).all()


def test_without_folds_models_are_compared_by_the_bic(error_of):
    found = compare(MODELS[:2], SUBJECTS, KEY, folds=None)
    np.testing.assert_allclose(found.scores[:, 1], -found.fits[1].bic / 2)
    assert error_of(lambda: compare(MODELS[:1] * 2, SUBJECTS, KEY)) == (
        "compare: models must have different names, got ['random walk', 'random walk']"
    )
