"""Grouped choices have the same likelihoods, for all parameters."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.grouping import grouped
from first_occupancy.behaviour.models import Model, of_chosen
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.subjects import Subjects
from simulated_choices import LAYOUTS, simulated

SUBJECTS = simulated(models.random_walk(), {}, num_trials=12)
VALUES = {
    "discount": 0.8,
    "inverse_temperature": 7.0,
    "turn_1": -0.4,
    "turn_2": -2.0,
    "turn_3": 0.3,
}


@pytest.mark.parametrize(
    "model",
    [
        models.habit_model(LAYOUTS),
        models.planning_model(1),
        Model("both", PlannedValues(2), Softmax(turns=4, perseverance=True)),
        models.mixture_model(models.planning_model(0), models.planning_model(2)),
    ],
    ids=lambda model: model.name,
)
def test_sums_over_groups_are_sums_over_choices(model):
    values = VALUES | {"perseverance": 0.5, "second_discount": 0.6, "weight": 0.3}
    counted = np.asarray(SUBJECTS.choices.counted)
    early = np.asarray(SUBJECTS.choices.layouts) < 2
    weights = np.stack([counted, counted & early], axis=1).astype(float)
    prepared = model.valuation.prepare(SUBJECTS)
    choices, fewer, sums = grouped(model, SUBJECTS.choices, prepared, weights)
    assert sums.shape[2] < weights.shape[2]
    np.testing.assert_array_equal(sums.sum(axis=2), weights.sum(axis=2))

    plain = of_chosen(model.log_probabilities(values, SUBJECTS), SUBJECTS.choices)
    expected = (weights * np.where(counted, plain, 0)[:, None]).sum(axis=2)
    few = Subjects(choices, LAYOUTS, SUBJECTS.names)
    logs = of_chosen(model.log_probabilities(values, few, prepared=fewer), choices)
    found = (sums * np.asarray(jnp.where(sums.any(axis=1), logs, 0))[:, None]).sum(axis=2)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_rule_with_memory_keeps_choices_after_different_actions_apart():
    number = {}
    for turns in (0, 4):
        model = Model("", PlannedValues(2), Softmax(turns=turns))
        weights = np.asarray(SUBJECTS.choices.counted, float)[:, None]
        prepared = model.valuation.prepare(SUBJECTS)
        number[turns] = (grouped(model, SUBJECTS.choices, prepared, weights)[2] > 0).sum()
    assert number[0] < number[4]
    assert not models.successor_model().valuation.separable
