"""Trials of the explorer: what it finds, and what is no trial."""

import jax
import numpy as np
import pytest

from first_occupancy.agents.explorer import Explorer
from first_occupancy.agents.explorer_trials import run_trials
from first_occupancy.core import MDP, InputError
from first_occupancy.environments import river_swim


@pytest.fixture(scope="module")
def trials():
    return run_trials(Explorer(), river_swim(6), jax.random.key(5), num_trials=2, num_steps=500)


def test_it_finds_the_great_reward_of_river_swim(trials):
    always_left = 5 * trials.shape[1]
    assert trials.shape == (2, 500)
    assert trials.sum(axis=1).mean() > 10 * always_left


@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_the_scale_of_rewards_changes_nothing(trials, scale):
    mdp = river_swim(6)
    scaled = MDP(mdp.transition, scale * mdp.reward, mdp.start_distribution)
    again = run_trials(Explorer(), scaled, jax.random.key(5), num_trials=2, num_steps=500)
    assert np.asarray(again) == pytest.approx(scale * np.asarray(trials))


def test_what_it_cannot_do_is_said():
    mdp = river_swim(6)
    with pytest.raises(InputError, match="multiple of 10, got 1 and 15"):
        run_trials(Explorer(), mdp, jax.random.key(0), num_trials=1, num_steps=15)
    costly = MDP(mdp.transition, -mdp.reward, mdp.start_distribution)
    with pytest.raises(InputError, match="must not be negative, got -10000"):
        run_trials(Explorer(), costly, jax.random.key(0), num_trials=1, num_steps=10)
