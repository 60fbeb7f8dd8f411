"""The local model: exact where displacements are linear in the action, and jumps kept apart."""

import numpy as np
import pytest

from corridors import STEP, corridor_log
from first_occupancy.continuous.local_models import local_model
from first_occupancy.core.episodes import Episodes


def test_free_moves_are_exact():
    model = local_model(corridor_log(), stride=4.0)
    places = np.linspace(2, 8, 30)[:, None] / model.scale
    actions = np.linspace(-1, 1, 30)[:, None]
    found = model.moved(places, actions) * model.scale
    assert np.allclose(found, places * model.scale + STEP * actions, atol=0.01)


def test_walls_stop():
    model = local_model(corridor_log(), stride=4.0)
    found = model.moved(np.array([[10.0]]) / model.scale, np.array([[1.0]])) * model.scale
    assert found[0, 0] == pytest.approx(10.0, abs=0.05)


def test_without_displacements_places_are_those_recorded():
    model = local_model(corridor_log(), stride=4.0, displaced=False)
    found = model.moved(np.array([[5.0]]) / model.scale, np.array([[1.0]]))
    near = np.abs(model.arrivals[:, 0] - found[0, 0]).min()
    assert near < 0.5


def test_a_typical_step_has_length_one():
    log = corridor_log()
    model = local_model(log, stride=4.0)
    lengths = np.linalg.norm(model.arrivals - model.places, axis=1)
    assert np.median(lengths) == pytest.approx(1, rel=0.05)


def test_support_counts_near_steps():
    model = local_model(corridor_log(), stride=4.0)
    where, action = np.array([[5.0]]) / model.scale, np.array([[1.0]])
    far = np.hypot(
        (model.places - where)[:, 0] / model.width,
        (model.actions - action)[:, 0] / model.action_width,
    )
    assert model.support(where, action).tolist() == [int((far <= 1).sum())]


def test_places_are_visited_near_recorded_observations():
    model = local_model(corridor_log(), stride=4.0)
    places = np.linspace(-2, 12, 200)[:, None] / model.scale
    nearest = np.abs(places - model.places.T).min(axis=1)
    assert model.visited(places).tolist() == (nearest <= 2).tolist()
    assert model.visited(np.array([[10.1], [10.5]]) / model.scale).tolist() == [True, False]


def test_jumps_are_told_by_the_nearest_observations():
    rng = np.random.default_rng(0)
    seen, done = [], []
    for _ in range(300):
        start = rng.uniform(0, 4)
        # Beyond 3, a step leads back to 0.5 or to 1.5.
        after = rng.choice([0.5, 1.5]) if start > 3 else start + 0.05
        seen.append([[start], [after]])
        done.append([[1.0]])
    model = local_model(Episodes(seen, done), stride=4.0)
    places = np.array([[2.5], [2.9], [3.1], [3.9]]) / model.scale
    assert model.jumps(places).tolist() == [False, False, True, True]


def test_a_log_in_which_nothing_moves_is_refused(error_of):
    log = Episodes([np.ones((5, 2))], [np.ones((4, 1))])
    message = "landmark_world: observations of the log must move, got constant ones"
    assert error_of(lambda: local_model(log, stride=4.0)) == message


def test_logs_that_mostly_stand_still_have_a_scale():
    path = np.repeat([0.0, 4.0, 8.0], 3)[:, None]
    model = local_model(Episodes([path], [np.ones((8, 1))]), stride=1.0)
    assert model.scale == pytest.approx(4.0)
    assert not model.jumped.any()
