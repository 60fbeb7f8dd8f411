"""A group draws uncertain subjects together, and its evidence is an integral."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.fitting import fit
from first_occupancy.behaviour.hierarchical import fit_group
from first_occupancy.behaviour.parameters import named
from simulated_choices import simulated

pytestmark = pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
KEY = jax.random.key(0)
MODEL = models.planning_model(2)
TRUE = jax.nn.sigmoid(2.0 + 0.3 * jax.random.normal(KEY, (12,)))
SUBJECTS = simulated(
    MODEL,
    {"discount": TRUE, "inverse_temperature": jnp.full(12, 8.0)},
    num_subjects=12,
    num_trials=10,
)


@pytest.mark.whole
def test_estimates_are_drawn_together_and_nearer_to_the_truth():
    alone, group = fit(MODEL, SUBJECTS, KEY), fit_group(MODEL, SUBJECTS, KEY, max_rounds=5)
    truth = np.log(TRUE / (1 - TRUE))
    errors = [
        np.abs(np.asarray(found.numbers[:, 0]) - truth).mean() for found in (alone, group.subjects)
    ]
    assert errors[1] < errors[0]
    spreads = [float(found.numbers[:, 0].std()) for found in (alone, group.subjects)]
    assert spreads[1] < spreads[0]
    assert repr(group).startswith("GroupFit(FRP, K = 2: log evidence -")
    assert set(group.medians) == {"discount", "inverse_temperature"}


@pytest.mark.whole
def test_the_evidence_is_the_integral_over_the_group():
    group = fit_group(MODEL, SUBJECTS, KEY, max_rounds=2)
    steps = jnp.linspace(-4, 4, 41)
    grid = jnp.stack(jnp.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    numbers = group.group.mean[None] + group.group.spread[None] * grid
    prepared = MODEL.valuation.prepare(SUBJECTS)

    @jax.jit
    @jax.vmap
    def likelihoods(at):
        one = jax.vmap(MODEL.log_probabilities_of_one, in_axes=(None, 0, None, 0))
        found = one(named(MODEL.parameters, at), SUBJECTS.choices, SUBJECTS.layouts, prepared)
        chosen = models.of_chosen(found, SUBJECTS.choices)
        return jnp.where(SUBJECTS.choices.counted, chosen, 0.0).sum(axis=1)

    logs = likelihoods(numbers)
    weights = jax.nn.log_softmax(-0.5 * (grid**2).sum(axis=1))
    expected = jax.nn.logsumexp(logs + weights[:, None], axis=0)
    # Laplace's method is off by a few per cent of a nat per parameter.
    np.testing.assert_allclose(group.log_evidences, expected, atol=0.4)


def test_a_group_needs_subjects_and_parameters(error_of):
    assert error_of(lambda: fit_group(models.random_walk(), SUBJECTS, KEY)) == (
        "fit_group: needs at least two subjects and one parameter, got 12 and 0"
    )
