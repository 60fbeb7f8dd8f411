"""Scores of paths, by hand and for subjects that follow values or none."""

import numpy as np
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.path_scores import score_path
from first_occupancy.behaviour.subjects import Trial, grid_layouts, subjects_from_paths
from first_occupancy.representations import first_occupancy, successor
from simulated_choices import GOAL, LAYOUTS, simulated


def test_neighbours_are_ranked_by_their_values():
    layouts = grid_layouts(np.ones((1, 2, 3), bool), goal=2)
    paths = {"a": [Trial(0, [0, 1, 4, 5, 2])], "b": [Trial(0, [3, 0])]}
    subjects = subjects_from_paths(layouts, paths)
    values = np.array([1.0, 4.0, 9.0, 0.0, 1.0, 5.0])
    found = score_path(subjects, values)
    # 0: to 1, not 3. 1: to 4, which ties with 0 below 2. 4: to 5, above 1 and 3. 5: to 2, not 4.
    np.testing.assert_allclose(found.best, [3 / 4, 1 / 2 + 1 / 2])
    np.testing.assert_allclose(found.rank, [(1 + 0.25 + 1 + 1) / 4, 0.5])
    assert found.num_choices.tolist() == [4, 1]


def test_those_who_follow_an_fr_score_higher_than_a_random_walk():
    walk = LAYOUTS.random_walk.at[GOAL, GOAL].set(1.0)
    columns = [each.solve(walk, discount=0.9)[:, GOAL] for each in (first_occupancy, successor)]
    planner = {"discount": 0.8, "inverse_temperature": 20.0}
    directed = simulated(models.planning_model(3), planner, num_trials=20)
    lost = simulated(models.random_walk(), {}, num_trials=20)
    for column in columns:
        assert (score_path(directed, column).rank > 0.7).all()
        number = score_path(lost, column).num_choices
        away = np.abs(score_path(lost, column).rank - 0.5)
        assert (away < 4 * 0.5 / np.sqrt(number)).all()


@pytest.mark.parametrize("values", [np.zeros(3), np.full(64, np.nan)])
def test_values_of_other_cells_are_refused(values, error_of):
    subjects = simulated(models.random_walk(), {}, num_subjects=1, num_trials=1)
    assert error_of(lambda: score_path(subjects, values)).startswith(
        f"score_path: values must be 64 numbers, one per cell, got shape [{len(values)}]"
    )
