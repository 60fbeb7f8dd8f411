"""Worlds of landmarks: distributions, pessimism, and times of a corridor."""

from functools import partial

import numpy as np
import pytest

import first_occupancy as fo
from corridors import LENGTH, STEP, corridor_log
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.episodes import Episodes


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


def still_log():
    return Episodes([np.ones((9, 2))] * 3, [np.ones((8, 1))] * 3)


SMALL = corridor_log(num_episodes=1, steps=20)
MAKE = partial(landmark_world, SMALL)
REGION = (
    "; to reach some of the numbers alone, plan to a region, as in "
    "fo.plan(world, lambda seen: abs(seen[:, 0] - 1) < 0.1)"
)
MISTAKES = {
    "observations that are NaN": (
        lambda _: Episodes([[[0.0], [np.nan]]], [[1.0]]),
        "Episodes: observations of episode 0 must be finite, got nan at [1, 0]",
    ),
    "infinite observations": (
        lambda _: Episodes([[[-np.inf], [0.0]]], [[1.0]]),
        "Episodes: observations of episode 0 must be finite, got -inf at [0, 0]",
    ),
    "actions that are NaN": (
        lambda _: Episodes([[[0.0], [1.0]]], [[np.nan]]),
        "Episodes: actions of episode 0 must be finite, got nan at [0, 0]",
    ),
    "constant observations": (
        lambda _: landmark_world(still_log()),
        "landmark_world: observations of the log must move, got constant ones",
    ),
    "constant observations, and a stride": (
        lambda _: landmark_world(still_log(), stride=1.0),
        "landmark_world: observations of the log must move, got constant ones",
    ),
    "nothing to hold out": (
        lambda _: MAKE(),
        "landmark_world: log must have at least 2 episodes, to hold some out, or a stride must be "
        "given, got 1 episode",
    ),
    "a stride of zero": (
        lambda _: MAKE(stride=0.0),
        "landmark_world: stride must be above 0 and at most 1000, got 0.0",
    ),
    "a stride below zero": (
        lambda _: MAKE(stride=-1.0),
        "landmark_world: stride must be above 0 and at most 1000, got -1.0",
    ),
    "a stride that is NaN": (
        lambda _: MAKE(stride=np.nan),
        "landmark_world: stride must be a finite number above 0 and at most 1000 or None, got nan",
    ),
    "an infinite stride": (
        lambda _: MAKE(stride=np.inf),
        "landmark_world: stride must be a finite number above 0 and at most 1000 or None, got inf",
    ),
    "no actions": (
        lambda _: MAKE(num_actions=0),
        "landmark_world: num_actions must be at least 1, got 0",
    ),
    "half an action": (
        lambda _: MAKE(num_actions=1.5),
        "landmark_world: num_actions must be a whole number at least 1, got 1.5",
    ),
    "no landmarks": (
        lambda _: MAKE(at_most=0),
        "landmark_world: at_most must be at least 1, got 0",
    ),
    "rounds below zero": (
        lambda _: MAKE(means=-1),
        "landmark_world: means must be at least 0, got -1",
    ),
    "a seed below zero": (
        lambda _: MAKE(seed=-1),
        "landmark_world: seed must be at least 0, got -1",
    ),
    "full confidence": (
        lambda _: MAKE(confidence=1.0),
        "landmark_world: confidence must be at least 0 and below 1, got 1.0",
    ),
    "an observation of another size": (
        lambda world: world.scaled(np.zeros((1, 2))),
        "LandmarkWorld: an observation must have 1 numbers, got shape [2]",
    ),
    "an observation that is NaN": (
        lambda world: world.scaled(np.array([[np.nan]])),
        "LandmarkWorld: observations must be finite, got NaN or infinity",
    ),
    "a goal of another size": (
        lambda world: fo.plan(world, [1.0, 2.0]),
        "plan: goal must be an observation of 1 finite number, got [1.0, 2.0]" + REGION,
    ),
    "a goal that leaves a number open": (
        lambda world: fo.plan(world, [np.nan]),
        "plan: goal must be an observation of 1 finite number, got [nan]" + REGION,
    ),
    "a region that nothing enters": (
        lambda world: fo.plan(world, lambda seen: seen[:, 0] > 99),
        "plan: no data lead to the region: no move from {} landmarks enters it",
    ),
    "no rollouts": (
        lambda world: fo.plan(world, [5.0]).success([1.0], rollouts=0),
        "success: rollouts must be at least 1, got 0",
    ),
    "no steps": (
        lambda world: fo.plan(world, [5.0]).success([1.0], max_steps=0),
        "success: max_steps must be at least 1, got 0",
    ),
    "a start of another size": (
        lambda world: fo.plan(world, [5.0]).success([1.0, 2.0]),
        "LandmarkWorld: an observation must have 1 numbers, got shape [2]",
    ),
    "no patience": (
        lambda world: fo.plan(world, [5.0]).agent(patience=0),
        "GoalAgent: patience must be at least 1, got 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of, corridor):
    call, message = MISTAKES[mistake]
    assert error_of(lambda: call(corridor)) == message.format(corridor.num_states)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 9), (9, 9)])
def test_two_episodes_are_enough_to_hold_one_out_however_short(sizes):
    rows = [np.arange(float(each))[:, None] for each in sizes]
    log = Episodes(rows, [np.ones((each - 1, 1)) for each in sizes])
    world = landmark_world(log)
    assert "beware: " in world.report()
    assert world.num_states >= 1
