"""Simulated subjects choose as their model says, and learn from what they do."""

import jax
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.simulation import simulate, starts_of
from simulated_choices import GOAL, LAYOUTS, simulated, starts

VALUES = {"discount": 0.7, "step_size": 0.3, "inverse_temperature": 3.0}
MODELS = {
    "SR": models.successor_model(),
    "Q": models.q_model(),
    "FRP": models.planning_model(2),
}


@pytest.mark.parametrize("name", MODELS)
def test_choices_are_as_frequent_as_their_probabilities(name):
    model = MODELS[name]
    values = {each.name: VALUES[each.name] for each in model.parameters}
    subjects = simulated(model, values, num_subjects=2, num_trials=40)
    logs = np.asarray(model.log_probabilities(values, subjects))
    counted = np.asarray(subjects.choices.counted)
    chances = np.exp(logs[counted])
    taken = np.eye(4)[np.asarray(subjects.choices.actions)[counted]]
    # Standardised: chances summed against what was done, by how likely it was.
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 1.0)):
        inside = (chances > low) & (chances <= high)
        spread = np.sqrt((chances * (1 - chances))[inside].sum())
        assert abs((taken - chances)[inside].sum()) < 4 * spread


def test_trials_begin_where_they_are_told_and_end_in_the_goal():
    begins = starts(3, 10)
    subjects = simulate(
        models.planning_model(6),
        {"discount": 0.9, "inverse_temperature": 200.0},
        LAYOUTS,
        begins,
        jax.random.key(1),
        num_moves=40,
    )
    again = starts_of(subjects)
    np.testing.assert_array_equal(again.states, begins.states)
    np.testing.assert_array_equal(again.layouts, begins.layouts)
    for subject in range(3):
        own = subjects.choices.of(subject)
        assert own.trials[own.next_states == GOAL].tolist() == list(range(10))
        assert np.bincount(own.trials[own.counted]).max() < 30


def test_the_same_key_makes_the_same_subjects(error_of):
    one, same, other = (
        simulated(MODELS["SR"], VALUES, num_trials=4, seed=seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.choices.states, same.choices.states)
    assert one.choices.states.shape != other.choices.states.shape or not np.array_equal(
        one.choices.states, other.choices.states
    )
    assert error_of(
        lambda: simulate(
            MODELS["SR"], VALUES, LAYOUTS, starts(1, 1), jax.random.key(0), num_moves=0
        )
    ) == ("simulate: num_moves must be at least 1, got 0")
