"""Fits find what a general optimiser finds, and say what choices do not determine."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize

from first_occupancy.behaviour import fitting, models
from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.fitting import UndeterminedWarning, fit, fit_parts
from first_occupancy.behaviour.parameters import distribution, named
from simulated_choices import log_likelihoods, simulated

pytestmark = pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
KEY = jax.random.key(0)
TRUTH = {"discount": 0.9, "step_size": 0.3, "inverse_temperature": 20.0}
SUBJECTS = simulated(models.successor_model(), TRUTH)


def objective(model, subject):
    """Return minus the log-likelihood of one subject."""

    def minus(numbers):
        numbers = jnp.asarray(numbers)
        found = log_likelihoods(model, named(model.parameters, numbers), SUBJECTS)[subject]
        return -float(found)

    return minus


def test_fits_are_as_good_as_those_of_a_general_optimiser():
    model = models.successor_model()
    found = fit(model, SUBJECTS, KEY)
    for subject in (0,):
        minus = objective(model, subject)
        other = minimize(minus, np.asarray(found.numbers[subject]) + 0.3, method="Nelder-Mead")
        assert minus(found.numbers[subject]) < other.fun + 1e-3
        np.testing.assert_allclose(found.numbers[subject], other.x, atol=0.05)
    own = log_likelihoods(model, found.values, SUBJECTS)
    np.testing.assert_allclose(found.log_likelihoods, own)
    assert found.num_choices.tolist() == SUBJECTS.num_choices.tolist()


def test_the_information_says_how_far_estimates_are_off():
    model = models.successor_model()
    subjects = simulated(model, TRUTH, num_subjects=20, num_trials=60, seed=1)
    found = fit(model, subjects, KEY, num_starts=2)
    truth = jnp.array([replace(each, typical=TRUTH[each.name]).middle for each in model.parameters])
    away = np.asarray((found.numbers - truth[None]) / found.standard_errors)
    # Sixty standardised errors, whose root mean square has a standard error of about .1.
    assert 0.7 < np.sqrt((away**2).mean()) < 1.4


def test_information_criteria_count_parameters():
    model = models.random_walk()
    found = fit(model, SUBJECTS, KEY)
    np.testing.assert_allclose(found.aic, -2 * found.log_likelihoods)
    biased = fit(models.habit_model(SUBJECTS.layouts), SUBJECTS, KEY)
    np.testing.assert_allclose(biased.aic, 6 - 2 * biased.log_likelihoods)
    expected = 3 * np.log(SUBJECTS.num_choices) - 2 * np.asarray(biased.log_likelihoods)
    np.testing.assert_allclose(biased.bic, expected)
    assert repr(found).startswith("Fit(random walk: log-likelihood -")
    assert "no parameters" in repr(found)


def test_a_parameter_that_choices_do_not_determine_is_named():
    # At inverse temperature 0 no choice depends on the discount.
    model = models.planning_model(2, choice=Softmax(inverse_temperature=0.0))
    with pytest.warns(UndeterminedWarning, match="do not determine discount of FRP, K = 2 for 3 "):
        fit(model, SUBJECTS, KEY)


def test_parts_are_fitted_side_by_side_as_they_are_one_by_one(monkeypatch):
    model = models.planning_model(2)
    layouts, counted = SUBJECTS.choices.layouts, SUBJECTS.choices.counted
    parts = np.stack([counted & (layouts != fold) for fold in range(3)], axis=1)
    starts = np.broadcast_to(distribution(model.parameters)[0], (3, 3, 1, 2))
    prepared = model.valuation.prepare(SUBJECTS)
    together = fit_parts(model, SUBJECTS, parts, starts, prepared)
    # So little memory that parts are fitted one by one.
    monkeypatch.setattr(fitting, "AT_ONCE", 1)
    apart = fit_parts(model, SUBJECTS, parts, starts, prepared)
    for place, (found, other) in enumerate(zip(together, apart, strict=True)):
        alone = fit(model, SUBJECTS, KEY, num_starts=1, fitted=parts[:, place])
        # Ascents end when less than 1e-5 nats are expected of another round.
        np.testing.assert_allclose(found.log_likelihoods, alone.log_likelihoods, atol=1e-3)
        np.testing.assert_allclose(found.log_likelihoods, other.log_likelihoods, atol=1e-3)
        assert found.num_choices.tolist() == parts[:, place].sum(axis=1).tolist()


def test_mistakes_are_named(error_of):
    model = models.random_walk()
    assert error_of(lambda: fit(model, SUBJECTS, KEY, num_starts=0)) == (
        "fit: num_starts must be at least 1, got 0"
    )
    nothing = np.zeros(SUBJECTS.choices.counted.shape, bool)
    assert error_of(lambda: fit(model, SUBJECTS, KEY, fitted=nothing)) == (
        "fit: 0 must have a choice to fit, got none"
    )
    assert error_of(lambda: fit(model, SUBJECTS, 3)) == (
        "fit: key must be jax.random.key(seed), got 3"
    )
