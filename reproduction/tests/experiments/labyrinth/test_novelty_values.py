"""The value of novelty, by hand and choice by choice."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour.subjects import Trial, grid_layouts, subjects_from_paths
from first_occupancy.behaviour.valuations import Valuation
from first_occupancy_paper.experiments.labyrinth.novelty_values import NoveltyValues

CORRIDOR = grid_layouts(np.ones((1, 1, 5), bool), goal=4)
PATHS = {"a": [Trial(0, [0, 1, 0, 1, 2]), Trial(0, [2, 3, 2])], "b": [Trial(0, [3, 2, 1, 0])]}
SUBJECTS = subjects_from_paths(CORRIDOR, PATHS)
VALUES = {"discount": 0.8, "recovery": 3.0}


def test_moves_since_the_last_visit_are_counted():
    since = np.asarray(NoveltyValues().prepare(SUBJECTS))[0]
    never = np.inf
    expected = [
        [0, never, never, never, never],
        [1, 0, never, never, never],
        [0, 1, never, never, never],
        [1, 0, never, never, never],
        [2, 1, 0, never, never],
        [3, 2, 1, 0, never],
    ]
    np.testing.assert_array_equal(since, expected)


@pytest.mark.parametrize("later_visits", [False, True])
def test_values_are_sums_over_places_of_what_is_new_there(later_visits):
    valuation = NoveltyValues(later_visits)
    of_one = SUBJECTS.choices.of(0)
    prepared = valuation.prepare(SUBJECTS)[0]
    found = np.asarray(valuation.along(VALUES, of_one, CORRIDOR, prepared))
    table = np.linalg.inv(np.eye(5) - 0.8 * np.asarray(CORRIDOR.random_walk))
    table = table if later_visits else table / np.diag(table)
    novelty = 1 - np.exp(-np.asarray(prepared)[1] / 3)
    # At the second choice the subject is in cell 1: east leads to 2, west to 0.
    np.testing.assert_allclose(found[1, 1], table[2] @ novelty)
    np.testing.assert_allclose(found[1, 3], table[0] @ novelty)
    slowly = Valuation.along(valuation, VALUES, of_one, CORRIDOR, None)
    np.testing.assert_allclose(found, slowly, rtol=1e-10)


def test_places_that_were_never_seen_are_new():
    memory = NoveltyValues().begin(VALUES, CORRIDOR)
    values = NoveltyValues().options(VALUES, memory, CORRIDOR, jnp.asarray(1))
    assert bool((values > 0).all())
    looked = NoveltyValues().look(memory, CORRIDOR, jnp.asarray(2), jnp.asarray(0))
    assert float(looked[0][2]) == 0
