"""Worlds of landmarks: distributions, pessimism, and times of a corridor."""

import numpy as np
import pytest

from corridors import LENGTH, STEP, corridor_log
from first_occupancy.continuous.landmark_worlds import landmark_world


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


def test_expected_times_are_those_of_the_corridor(corridor):
    goal = int(corridor.landmarks[:, 0].argmin())
    plan = corridor.planner(1.0).plan([goal], refine=None)
    times = np.asarray(plan.expected_time)
    far = corridor.landmarks[:, 0] - corridor.landmarks[goal, 0]
    beyond = far > 2
    # Full pushes move by STEP; doubt and sharing out cost a little.
    assert np.asarray(plan.expected_discount)[beyond] == pytest.approx(1)
    ratio = times[beyond] / (far[beyond] / STEP)
    assert ((ratio > 0.85) & (ratio < 1.25)).all()


def test_shared_places_are_distributions_about_the_place(corridor):
    places = np.linspace(1, LENGTH - 1, 50)[:, None] / corridor.model.scale
    shares = corridor.shared(places)
    assert np.allclose(shares.sum(axis=1), 1)
    mean = shares @ (corridor.landmarks / corridor.model.scale)
    assert np.abs(mean - places).max() < corridor.spacing / 2
    regions = corridor.regions(places)
    assert (shares.toarray().argmax(axis=1) == regions).all()


def test_doubt_is_the_bound_for_outcomes_never_seen(corridor):
    supported = corridor.support > 0
    n = corridor.support[supported]
    # With probability doubt per try, n tries show nothing else with a chance of 5%.
    assert np.allclose((1 - corridor.doubt[supported]) ** n, 0.05)
    assert (corridor.doubt[~supported] == 1).all()
    sure = landmark_world(corridor_log(), num_actions=3, confidence=0.0)
    assert (sure.doubt == 0).all()


def test_prototypes_are_recorded_actions_far_apart(corridor):
    assert sorted(np.round(corridor.actions[:, 0], 1)) == pytest.approx([-1, 0, 1], abs=0.31)


def test_it_says_what_it_is_and_what_it_learned(corridor):
    first, *others = repr(corridor).split("\n")
    assert first == f"LandmarkWorld: {corridor.num_states} landmarks, 3 prototype actions"
    assert [each.strip() for each in others] == corridor.report().split("\n")
    apart = f"landmarks are {corridor.spacing * corridor.model.scale[0]:.2g} apart"
    assert apart in corridor.report()
    assert "held-out episodes are predicted within " in corridor.report()
    coarse = landmark_world(corridor_log(), stride=50.0).report()
    assert "beware: " in coarse
    assert "landmarks can hardly tell places apart" in coarse


def test_observations_of_another_kind_are_refused(error_of, corridor):
    message = "LandmarkWorld: an observation must have 1 numbers, got shape [2]"
    assert error_of(lambda: corridor.scaled(np.zeros((1, 2)))) == message
    message = "LandmarkWorld: observations must be finite, got NaN or infinity"
    assert error_of(lambda: corridor.scaled(np.array([[np.nan]]))) == message


def test_options_out_of_range_are_refused(error_of):
    log = corridor_log(num_episodes=1, steps=20)
    message = "landmark_world: confidence must be at least 0 and below 1, got 1.0"
    assert error_of(lambda: landmark_world(log, confidence=1.0)) == message
    message = "landmark_world: stride must be above 0 and at most 1000, got 0.0"
    assert error_of(lambda: landmark_world(log, stride=0.0)) == message
    for wrong in ({"stride": np.inf}, {"num_actions": 1.5}, {"seed": -1}, {"at_most": 0}):
        (name,) = wrong
        assert name in error_of(lambda wrong=wrong: landmark_world(log, **wrong))
