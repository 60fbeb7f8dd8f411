"""Policies for any goal, by regression on segments of a log."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from corridors import corridor_log, pushed
from first_occupancy.core.episodes import Episodes
from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals.goal_regression import goal_policy, segments

SMALL = Training(hidden=32, num_updates=600, batch_size=64, learning_rate=3e-3)


def ragged():
    """Return three episodes of different lengths; an observation tells its own row."""
    seen = np.arange(9.0)[:, None]
    parts = [seen[:2], seen[2:6], seen[6:9]]
    return Episodes(parts, [np.zeros((len(each) - 1, 1)) for each in parts])


def test_goals_are_later_rows_of_the_same_episode():
    parts = segments(ragged())
    rows = np.repeat(np.asarray(parts.steps), 400)
    ends = np.array([1, 1, 5, 5, 5, 5, 8, 8, 8])
    assert np.asarray(parts.ends).tolist() == ends.tolist()
    later = np.asarray(parts.later(jax.random.key(0), jnp.asarray(rows)))
    assert (rows < later).all()
    assert (later <= ends[rows]).all()
    # Every later row is drawn, each about as often.
    drawn = later[rows == 2]
    assert np.bincount(drawn, minlength=6)[3:] == pytest.approx(np.full(3, 400 / 3), abs=50)


def test_a_horizon_limits_how_far_goals_are():
    parts = segments(ragged())
    rows = np.repeat(np.asarray(parts.steps), 50)
    later = np.asarray(parts.later(jax.random.key(0), jnp.asarray(rows), 2))
    assert set((later - rows)[rows == 2]) == {1, 2}
    assert (later <= np.asarray(parts.ends)[rows]).all()


def test_rows_are_those_of_steps():
    parts = segments(ragged())
    drawn = np.asarray(parts.draw(jax.random.key(0), 300))
    assert set(drawn) == {0, 2, 3, 4, 6, 7}


def test_a_short_horizon_makes_skills_that_reach_goals_nearby():
    policy = goal_policy(corridor_log(), horizon=10, training=SMALL)
    rng = np.random.default_rng(0)
    place = rng.uniform(1, 9, (200, 1))
    goals = place + rng.choice([-0.6, 0.6], (200, 1))
    for _ in range(15):
        place = pushed(place, np.clip(policy(place, goals), -1, 1))
    assert (np.abs(place - goals) < 0.2).mean() > 0.95


def test_the_seed_decides_the_policy():
    training = Training(hidden=8, num_updates=5, batch_size=8)
    where = np.array([[1.0], [5.0]]), np.array([[5.0], [1.0]])
    one, again, other = (
        goal_policy(corridor_log(), training=training, seed=seed)(*where) for seed in (0, 0, 1)
    )
    assert one.tolist() == again.tolist()
    assert one.tolist() != other.tolist()
    assert one.shape == (2, 1)


def test_a_horizon_must_be_a_step_or_more(error_of):
    message = "goal_policy: horizon must be at least 1, got 0"
    assert error_of(lambda: goal_policy(ragged(), horizon=0)) == message
