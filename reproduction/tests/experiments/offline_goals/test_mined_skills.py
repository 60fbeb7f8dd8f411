"""Skills mined from a log, and plans over landmarks that chain them."""

import numpy as np
import pytest

from corridors import STEP, corridor_log, pushed
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.core.episodes import Episodes
from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals.mined_skills import mined_skill_world

SMALL = Training(hidden=32, num_updates=800, batch_size=64, learning_rate=3e-3)


@pytest.fixture(scope="module")
def world():
    return mined_skill_world(corridor_log(), num_skills=5, training=SMALL)


def test_skills_lead_to_landmarks_nearby_in_the_time_it_takes(world):
    known = world.support > 0
    here = np.broadcast_to(world.landmarks, (world.num_states, 5))
    far = np.abs(world.landmarks[world.targets, 0] - here)[known]
    horizon = 2 * round(world.spacing)
    assert (far > 0).all()
    # Nobody goes faster than a step at a time, from any place of one region to any of another.
    widest = 2 * world.spacing * world.model.scale[0]
    assert (far <= horizon * STEP + widest).all()
    times = world.mdp.durations[known]
    assert (times >= 1).all()
    assert (times <= horizon).all()
    assert known[:, 0].sum() == 0  # the first stays
    assert (world.targets[:, 0] == np.arange(world.num_states)).all()


def test_moves_are_doubted_by_how_many_segments_show_them(world):
    number = 1
    chain = world.mdp.action_chains[number].toarray()
    assert chain.sum(axis=1) == pytest.approx(1)
    rows = np.flatnonzero(world.support[:, number] > 0)
    support = world.support[rows, number]
    assert chain[rows, rows] == pytest.approx(1 - 0.05 ** (1 / support))
    assert chain[rows, world.targets[rows, number]] == pytest.approx(0.05 ** (1 / support))


def test_segments_are_counted_once_per_visit():
    # Landmarks at 0, 4 and 8: each place is its own region, and each is held for two steps.
    path = np.repeat([0.0, 4.0, 8.0, 4.0], 2)[:, None]
    log = Episodes([path] * 3, [np.ones((7, 1))] * 3)
    made = mined_skill_world(log, stride=1.0, horizon=3.0, num_skills=3, training=SMALL)
    order = np.argsort(made.landmarks[:, 0])
    assert made.landmarks[order, 0].tolist() == [0, 4, 8]
    first, middle, end = order
    reached = {
        (int(here), int(made.targets[here, number])): (
            int(made.support[here, number]),
            float(made.mdp.durations[here, number]),
        )
        for here in order
        for number in range(3)
        if made.support[here, number]
    }
    # From its first row it takes two steps, from its last one: 1.5 on average.
    assert reached == {
        (first, middle): (3, 1.5),
        (first, end): (3, 3.0),
        (middle, end): (3, 1.5),
        (end, middle): (3, 1.5),
    }


def test_an_agent_chains_mined_skills_to_a_far_goal(world):
    agent = plan_to_observation(world, [8.5]).agent()
    places = [1.0]
    for _ in range(150):
        action, _ = agent.predict(np.array([places[-1]]))
        places.append(float(pushed(places[-1], np.clip(action[0], -1, 1))))
    # Near the goal it heads for the goal itself, not for a landmark.
    assert np.abs(np.array(places[-10:]) - 8.5).max() < 0.15
    assert int(np.argmax(np.abs(np.array(places) - 8.5) < 0.15)) < 1.5 * 7.5 / STEP


def test_jumps_stay_chance_and_end_segments():
    rng = np.random.default_rng(0)
    seen, done = [], []
    for number in range(60):
        rows = [0.1 * step + rng.normal(0, 0.005) for step in range(21)]
        rows += [(10.0, 20.0)[number % 2] + 0.1 * step for step in range(10)]
        seen.append(np.array(rows)[:, None])
        done.append(np.ones((30, 1)))
    made = mined_skill_world(Episodes(seen, done), num_skills=4, training=SMALL)
    assert made.jumping.sum() == 1
    chain = made.mdp.action_chains[1].toarray()
    led = chain[made.jumping][0]
    assert led[made.landmarks[:, 0] > 15].sum() == pytest.approx(0.5)
    before = made.landmarks[:, 0] < 5
    targets = made.landmarks[made.targets[before & ~made.jumping], 0]
    assert (targets < 5).all()
    # Skills lead into the place from which the log jumps, and know it for one.
    assert made.jumping[made.targets[before & ~made.jumping]].any()
    assert made.regions(made.points[made.jumping]).tolist() == [made.num_states - 1]
