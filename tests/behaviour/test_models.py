"""Likelihoods of all models equal those of plain loops."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import plain_choices as plain
from first_occupancy.behaviour import models
from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.learned_values import OccupancyValues
from first_occupancy.behaviour.subjects import Trial, grid_layouts, subjects_from_paths
from simulated_choices import log_likelihoods

FREE = plain.draw_layouts()
LAYOUTS = grid_layouts(FREE, goal=plain.GOAL)
VALUES = {
    "discount": 0.8,
    "step_size": 0.3,
    "inverse_temperature": 2.0,
    "lapse": 0.1,
    "perseverance": 0.4,
    "turn_1": -0.2,
    "turn_2": -1.0,
    "turn_3": 0.3,
    "trace": 0.6,
    "recurrence": 0.5,
}
EVERYTHING = Softmax(lapse=True, perseverance=True, turns=4)


def recorded(ends=True):
    """Return two subjects with recordings of different lengths, and their paths."""
    paths = {
        name: plain.draw_paths(FREE, seed, num_trials, ends=ends)
        for seed, (name, num_trials) in enumerate({"a": 6, "b": 4}.items())
    }
    trials = {name: [Trial(*each) for each in path] for name, path in paths.items()}
    return subjects_from_paths(LAYOUTS, trials, ends_at_goal=ends), paths


def occupancy(recurrence, chain=None):
    chain = plain.open_random_walk() if chain is None else chain
    return lambda values: plain.PlainOccupancy(values, recurrence, chain)


RETURNING = plain.open_random_walk(ends=False)
CASES = {
    "random": (models.random_walk(), lambda _: plain.Indifferent()),
    "habits": (models.habit_model(LAYOUTS), lambda _: plain.Indifferent()),
    "SR": (models.successor_model(), occupancy(1.0)),
    "SR, all choices": (models.successor_model(choice=EVERYTHING), occupancy(1.0)),
    "FR, returns": (
        models.first_occupancy_model(initial_chain=jnp.asarray(RETURNING)),
        occupancy(0.0, RETURNING),
    ),
    "SR, returns": (
        models.successor_model(initial_chain=jnp.asarray(RETURNING)),
        occupancy(1.0, RETURNING),
    ),
    "lambda": (
        models.lambda_model(initial_chain=jnp.asarray(RETURNING)),
        occupancy(0.5, RETURNING),
    ),
    "SR, traces": (
        models.Model("SR(trace)", OccupancyValues(1.0, traces=True), Softmax()),
        occupancy(1.0),
    ),
    "Q": (models.q_model(), lambda values: plain.PlainQ(values, False)),
    "Q of neighbours": (
        models.q_model(of_neighbours=True),
        lambda values: plain.PlainQ(values, True),
    ),
    "FRP, K = 0": (models.planning_model(0), lambda values: plain.PlainPlanner(values, 0)),
    "FRP, K = 1": (models.planning_model(1), lambda values: plain.PlainPlanner(values, 1)),
    "FRP, K = 3": (
        models.planning_model(3, choice=EVERYTHING),
        lambda values: plain.PlainPlanner(values, 3),
    ),
    "model-based": (models.model_based(), lambda values: plain.PlainPlanner(values, 99)),
}


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_each_choice_has_the_likelihood_of_a_plain_loop(name, ends):
    model, agent = CASES[name]
    if name == "random" and not ends:
        pytest.skip("nothing is learned")
    subjects, paths = recorded(ends)
    values = {each.name: VALUES[each.name] for each in model.parameters}
    logs = model.log_probabilities(values, subjects)
    chosen = np.asarray(models.of_chosen(logs, subjects.choices))
    for row, path in zip(chosen, paths.values(), strict=True):
        plainly = plain.log_likelihoods(agent(values), values, FREE, path)
        np.testing.assert_allclose(row[: len(plainly)], plainly, rtol=1e-10)
    sums = np.asarray(subjects.choices.counted).sum(axis=1)
    expected = [row[:count].sum() for row, count in zip(chosen, sums, strict=True)]
    np.testing.assert_allclose(log_likelihoods(model, values, subjects), expected, rtol=1e-10)
    chances = np.exp(np.asarray(logs)).sum(axis=-1)
    np.testing.assert_allclose(chances[np.asarray(subjects.choices.counted)], 1)


def test_a_mixture_adds_the_values_of_two_models():
    subjects, paths = recorded()
    model = models.mixture_model(models.successor_model(), models.planning_model(2))
    assert model.name == "SR + FRP, K = 2"
    values = {"step_size": 0.3, "discount": 0.8, "second_discount": 0.6}
    values |= {"weight": 0.7, "inverse_temperature": 2.0}
    assert {each.name for each in model.parameters} == set(values)

    class Both(plain.Indifferent):
        def __init__(self):
            self.first = occupancy(1.0)(values)
            self.second = plain.PlainPlanner({"discount": 0.6}, 2)

        def look(self, free, state):
            self.second.look(free, state)

        def value(self, state, action):
            return 0.7 * self.first.value(state, action) + 0.3 * self.second.value(state, action)

        def learn(self, *move):
            self.first.learn(*move)

    expected = sum(plain.log_likelihoods(Both(), values, FREE, paths["a"]))
    np.testing.assert_allclose(log_likelihoods(model, values, subjects)[0], expected)


def test_fr_and_sr_are_proportional_if_trials_end_at_the_goal_and_differ_if_they_go_on():
    chain = jnp.asarray(RETURNING)
    sr, fr = (
        make(initial_chain=chain) for make in (models.successor_model, models.first_occupancy_model)
    )
    for ends in (True, False):
        subjects, _ = recorded(ends)
        values = {"discount": 0.8, "step_size": 0.3, "inverse_temperature": 2.0}
        own = sr.valuation.begin(values, LAYOUTS)[0][plain.GOAL]
        scaled = values | {"inverse_temperature": 2.0 * own}
        same = jnp.allclose(
            log_likelihoods(sr, values, subjects), log_likelihoods(fr, scaled, subjects)
        )
        assert bool(same) == ends


def test_derivatives_exist_through_all_learning():
    subjects, _ = recorded()
    model = models.successor_model(choice=EVERYTHING)
    values = {each.name: VALUES[each.name] for each in model.parameters}
    slopes = jax.grad(lambda at: log_likelihoods(model, at, subjects).sum())(values)
    for name, slope in slopes.items():
        above, below = (
            log_likelihoods(model, values | {name: values[name] + step}, subjects).sum()
            for step in (1e-5, -1e-5)
        )
        np.testing.assert_allclose(slope, (above - below) / 2e-5, rtol=1e-4, atol=1e-6)
