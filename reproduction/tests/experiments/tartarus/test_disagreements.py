"""Disagreements are counted by hand, and subjects side with the model that made them."""

import jax
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.fitting import fit
from first_occupancy.behaviour.held_out import HeldOut, folds_by_parity, held_out
from first_occupancy_paper.experiments.tartarus.disagreements import (
    disagreement,
    preferred,
    shares,
)
from simulated_choices import LAYOUTS, simulated

KEY = jax.random.key(0)
SUBJECTS = simulated(
    models.planning_model(3), {"discount": 0.85, "inverse_temperature": 15.0}, num_trials=20
)


def predicting(name, actions):
    """Return predictions that prefer some actions at all choices."""
    logs = np.full(SUBJECTS.choices.allowed.shape, -3.0)
    logs[..., actions] = -0.5
    model = models.Model(name, models.NoValues(), models.Softmax())
    nothing = np.zeros((1, len(SUBJECTS)))
    return HeldOut(model, SUBJECTS.names, nothing[0], nothing, logs)


def test_disagreements_are_counted():
    did, counted = SUBJECTS.choices.actions, SUBJECTS.choices.counted
    found = disagreement(predicting("north", [0]), predicting("south or west", [2, 3]), SUBJECTS)
    np.testing.assert_array_equal(found["did_first"], (counted & (did == 0)).sum(axis=1))
    np.testing.assert_array_equal(found["did_second"], (counted & (did >= 2)).sum(axis=1))
    np.testing.assert_array_equal(found["did_neither"], (counted & (did == 1)).sum(axis=1))
    np.testing.assert_array_equal(found["choices"], SUBJECTS.num_choices)
    np.testing.assert_allclose(shares(found).sum(axis=1), 1)


def test_a_preference_in_common_is_no_disagreement():
    found = disagreement(predicting("a", [0, 1]), predicting("b", [1, 2]), SUBJECTS)
    assert not np.stack([found[f"did_{who}"] for who in ("first", "second", "neither")]).any()
    assert np.isnan(shares(found)).all()
    assert preferred(np.log([[[0.4, 0.4, 0.2]]]))[0, 0].tolist() == [True, True, False]


@pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
def test_planners_side_with_plans():
    folds = folds_by_parity(SUBJECTS)
    found = [
        held_out(fit(model, SUBJECTS, KEY), SUBJECTS, folds=folds)
        for model in (models.habit_model(LAYOUTS), models.planning_model(3))
    ]
    first, second, _ = shares(disagreement(*found, SUBJECTS)).T
    assert (second > first).all()


def test_predictions_of_other_choices_are_refused(error_of):
    found = predicting("a", [0])
    other = simulated(models.random_walk(), {}, num_subjects=2, num_trials=2)
    assert error_of(lambda: disagreement(found, found, other)).startswith(
        "disagreement: first and second must predict the choices of subjects, of shape [2, "
    )
