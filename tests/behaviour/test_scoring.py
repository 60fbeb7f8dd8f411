"""Gradient and information of the objective, against finite differences and a linear solve."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour._scoring import _damped_step, _look
from first_occupancy.behaviour.models import of_chosen
from first_occupancy.behaviour.parameters import named
from simulated_choices import LAYOUTS, simulated

SUBJECTS = simulated(models.random_walk(), {}, num_subjects=1, num_trials=6)
CHOICES = SUBJECTS.choices.of(0)
WEIGHTS = jnp.arange(float(len(CHOICES.states))) % 3
PLACE = jnp.array([0.3, -0.4, 1.1])


def test_the_gradient_and_the_information_are_those_of_the_likelihood():
    model = models.successor_model()

    @jax.jit  # one program instead of 150 small ones
    def look(numbers):
        return _look(model, CHOICES, LAYOUTS, None, WEIGHTS, numbers)

    _, likelihood, gradient, information = look(PLACE)
    logs = model.log_probabilities_of_one(named(model.parameters, PLACE), CHOICES, LAYOUTS, None)
    np.testing.assert_allclose(likelihood, WEIGHTS @ of_chosen(logs, CHOICES))
    for place in range(3):
        step = 1e-5 * np.eye(3)[place]
        ahead, behind = look(PLACE + step), look(PLACE - step)
        slope = (ahead.likelihood - behind.likelihood) / 2e-5
        np.testing.assert_allclose(gradient[place], slope, rtol=1e-4, atol=1e-4)
    assert (np.linalg.eigvalsh(information) >= -1e-9).all()
    np.testing.assert_allclose(information, information.T)


def test_a_step_solves_the_damped_equations():
    root = np.random.default_rng(0).normal(size=(3, 3))
    information, gradient = root @ root.T, np.array([0.1, -0.2, 0.05])
    matrix = information + np.diag(0.1 * np.diag(information) + 1e-9)
    found = _damped_step(jnp.asarray(information), jnp.asarray(gradient), jnp.asarray(0.1))
    expected = np.linalg.solve(matrix, gradient)
    expected *= min(1, 2 / np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    far = _damped_step(jnp.asarray(information), jnp.asarray(1e6 * gradient), jnp.asarray(0.1))
    assert float(jnp.abs(far).max()) == pytest.approx(2.0)
