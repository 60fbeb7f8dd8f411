"""The model of skills: exact where displacements are linear, bounded where data are thin."""

import numpy as np
import pytest

from first_occupancy.continuous.skill_models import skill_model
from first_occupancy.core.episodes import Episodes


def spiral_log(size=400, seed=0):
    """Return one-step episodes of two skills: one turns the plane, the other shrinks it."""
    rng = np.random.default_rng(seed)
    turn = np.array([[0.98, 0.2], [-0.2, 0.98]])
    starts, which = rng.normal(size=(size, 2)), rng.integers(2, size=size)
    after = np.where(which[:, None] == 0, starts @ turn, 0.9 * starts)
    return Episodes(list(np.stack([starts, after], axis=1)), list(np.eye(2)[which][:, None])), turn


def test_linear_skills_are_predicted_exactly():
    log, turn = spiral_log()
    model = skill_model(log)
    places = np.random.default_rng(1).uniform(-1, 1, (50, 2)) / model.scale
    turned = model.moved(places, np.eye(2)[np.zeros(50, int)]) * model.scale
    shrunk = model.moved(places, np.eye(2)[np.ones(50, int)]) * model.scale
    assert turned == pytest.approx((places * model.scale) @ turn, abs=1e-3)
    assert shrunk == pytest.approx(0.9 * places * model.scale, abs=1e-3)


def test_predictions_stay_near_what_was_recorded():
    log, _ = spiral_log()
    model = skill_model(log)
    far = np.array([[100.0, 100.0]])
    move = model.moved(far, np.eye(2)[:1]) - far
    longest = np.abs(model.arrivals - model.places).max()
    assert np.abs(move).max() <= 2 * longest


def test_support_counts_steps_of_the_same_skill():
    log, _ = spiral_log()
    model = skill_model(log, width=0.7)
    where = np.zeros((1, 2))
    near = np.linalg.norm(model.places, axis=1) <= 0.7
    for skill in (0, 1):
        expected = int((near & (model.actions[:, skill] == 1)).sum())
        assert model.support(where, np.eye(2)[[skill]]).tolist() == [expected]
    assert not model.jumps(where).any()


def test_a_skill_that_never_acted_is_refused(error_of):
    log = Episodes([[[0.0], [1.0], [2.0]]], [[[1.0, 0.0], [1.0, 0.0]]])
    message = "skill_model: every skill must have acted, got no step of skill 1"
    assert error_of(lambda: skill_model(log)) == message
