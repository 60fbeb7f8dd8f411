"""Frequencies and exceedance probabilities agree with integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from first_occupancy.behaviour.model_selection import model_frequencies


def test_two_models_are_compared_as_a_beta_distribution_says():
    evidences = np.array([[3.0, 0.0], [5.0, 0.0], [0.0, 4.0], [6.0, 0.0], [2.0, 0.0]])
    found = model_frequencies(evidences)
    above_half = beta(*found.concentrations).sf(0.5)
    assert found.exceedance[0] == pytest.approx(above_half, abs=0.01)
    assert found.concentrations.sum() == pytest.approx(2 + len(evidences))
    np.testing.assert_allclose(found.responsibilities.sum(axis=1), 1)


def test_the_omnibus_risk_is_that_of_an_integral_over_frequencies():
    rng = np.random.default_rng(0)
    evidences = np.stack([rng.normal(1.0, 3.0, 10), np.zeros(10)], axis=1)
    found = model_frequencies(evidences)

    def likelihood(share):
        return np.prod(share * np.exp(evidences[:, 0]) + (1 - share) * np.exp(evidences[:, 1]))

    different, equal = quad(likelihood, 0, 1)[0], likelihood(0.5)
    exact = equal / (equal + different)
    # The variational bound is below the evidence, so the risk is a little too high.
    assert exact < found.omnibus_risk < exact + 0.15
    mixed = found.exceedance * (1 - found.omnibus_risk) + found.omnibus_risk / 2
    np.testing.assert_allclose(found.protected, mixed)


def test_models_that_explain_all_subjects_equally_are_equally_likely():
    found = model_frequencies(np.zeros((8, 3)))
    np.testing.assert_allclose(found.frequencies, 1 / 3)
    assert found.omnibus_risk > 0.5
    np.testing.assert_allclose(found.protected, 1 / 3, atol=0.01)


def test_one_clear_winner_exceeds_all_others():
    evidences = np.zeros((12, 3))
    evidences[:, 1] = 10
    found = model_frequencies(evidences)
    assert found.protected[1] > 0.99
    assert found.omnibus_risk < 0.01


def test_mistakes_are_named(error_of):
    assert error_of(lambda: model_frequencies(np.zeros((3, 1)))) == (
        "model_frequencies: log_evidences must be finite numbers for at least two models, "
        "got shape [3, 1]"
    )
