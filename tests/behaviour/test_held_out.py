"""Held-out choices have no influence on the parameters they are tested with."""

import jax
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.fitting import fit
from first_occupancy.behaviour.held_out import (
    choice_log_likelihoods,
    folds_by_layout,
    folds_by_parity,
    folds_by_time,
    held_out,
)
from simulated_choices import simulated

pytestmark = pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
KEY = jax.random.key(0)
MODEL = models.planning_model(2)
SUBJECTS = simulated(MODEL, {"discount": 0.8, "inverse_temperature": 12.0}, num_trials=12)


def test_each_fold_is_predicted_from_the_others():
    whole = fit(MODEL, SUBJECTS, KEY)
    found = held_out(whole, SUBJECTS, folds=folds_by_layout(SUBJECTS))
    layouts, counted = SUBJECTS.choices.layouts, SUBJECTS.choices.counted
    for fold in range(4):
        apart = fit(MODEL, SUBJECTS, KEY, fitted=layouts != fold)
        logs = choice_log_likelihoods(apart, SUBJECTS)
        expected = np.where((layouts == fold) & counted, logs, 0).sum(axis=1)
        np.testing.assert_allclose(found.by_fold[fold], expected, atol=0.02)
    np.testing.assert_allclose(found.log_likelihoods, found.by_fold.sum(axis=0))
    assert found.log_likelihood < whole.log_likelihood
    assert repr(found).endswith("of 3 subjects, 4 folds)")


def test_folds_are_layouts_or_stretches_of_trials():
    counted, trials = SUBJECTS.choices.counted, SUBJECTS.choices.trials
    assert np.unique(folds_by_parity(SUBJECTS)[counted]).tolist() == [0, 1]
    by_time = folds_by_time(SUBJECTS, num_folds=3)
    assert (by_time[counted] == trials[counted] // 4).all()


def test_a_single_fold_is_refused(error_of):
    folds = np.zeros(SUBJECTS.choices.counted.shape, int)
    whole = fit(MODEL, SUBJECTS, KEY, num_starts=1)
    assert error_of(lambda: held_out(whole, SUBJECTS, folds=folds)) == (
        "held_out: folds must be at least two, got 1"
    )
