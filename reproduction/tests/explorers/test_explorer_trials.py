"""Trials of the explorer: what it finds, and what is no trial."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP
from first_occupancy.environments import river_swim
from first_occupancy_paper.explorers import trials
from first_occupancy_paper.explorers.explorer import Explorer
from first_occupancy_paper.explorers.explorer_trials import run_trials


@pytest.fixture(scope="module")
def two_trials():
    return run_trials(Explorer(), [river_swim(6)] * 2, jax.random.key(5), num_steps=500)


def test_it_finds_the_great_reward_of_river_swim(two_trials):
    always_left = 5 * two_trials.shape[1]
    assert two_trials.shape == (2, 500)
    assert two_trials.sum(axis=1).mean() > 10 * always_left


@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_the_scale_of_rewards_changes_nothing(two_trials, scale):
    mdp = river_swim(6)
    scaled = MDP(mdp.transition, scale * mdp.reward, mdp.start_distribution)
    again = run_trials(Explorer(), [scaled] * 2, jax.random.key(5), num_steps=500)
    assert np.asarray(again) == pytest.approx(scale * np.asarray(two_trials))


def test_trials_in_pieces_are_those_side_by_side(monkeypatch):
    mdp = river_swim(6)
    poor = MDP(mdp.transition, mdp.reward / 2, mdp.start_distribution)

    def rewards():
        worlds = [mdp, poor, mdp, poor, poor, mdp]
        return run_trials(Explorer(), worlds, jax.random.key(1), num_steps=100)

    together = rewards()
    for at_once in (4, 1):  # of 4 that fit, 3 run side by side: a divisor of all
        monkeypatch.setattr(trials, "CACHED", at_once * mdp.transition.size)
        trials.run.clear_cache()
        np.testing.assert_array_equal(together, rewards())


def test_worlds_may_be_mapped_over():
    river = river_swim(6)
    rivers = [river, replace(river, reward=2 * river.reward)]
    worlds = jax.tree.map(lambda *each: jnp.stack(each), *rivers)

    def rewards(world):
        return run_trials(Explorer(), [world] * 2, jax.random.key(5), num_steps=50)

    expected = [rewards(each) for each in rivers]
    np.testing.assert_allclose(jax.vmap(rewards)(worlds), jnp.stack(expected))


def test_trials_may_be_traced(two_trials):
    def totals(key):
        return run_trials(Explorer(), [river_swim(6)] * 2, key, num_steps=500).sum(axis=1)

    np.testing.assert_allclose(jax.jit(totals)(jax.random.key(5)), two_trials.sum(axis=1))
