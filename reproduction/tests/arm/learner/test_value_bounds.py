"""Values kept within what rewards can be worth: where they are cut, and that truth never is."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from cases import SMALL, begin, jitted, some_noise, some_window
from first_occupancy_paper.arm.learner import ddpg, pretraining, value_bounds
from first_occupancy_paper.arm.learner.agent_state import AgentConfig

WINDOWS = 1 / (1 - 0.99**3)


def config(agent):
    return AgentConfig(agent, **SMALL, neighbours=3, bounded=True)


def test_first_occupancies_are_at_most_one_and_exploration_what_it_pays_forever():
    task, explored = jnp.array([[0.6, 0.8]] * 2), jnp.array([0.5, 0.2])
    ahead = jnp.array([[-0.1, 0.3, -2.0], [1.2, 1.0, 1e4]])
    found = value_bounds.of_pretraining(config("apf"), task, explored, ahead)
    np.testing.assert_allclose(found, [[0, 0.3, 0], [1, 1, 0.5 * WINDOWS]])


def test_only_the_value_of_the_task_changes_for_successor_features():
    task, across = np.array([[0.6, 0.8]] * 3), np.array([[0.8, -0.6]] * 3)
    values = np.array([-1e3, 7.0, 1e3])
    ahead = values[:, None] * task + 5.0 * across
    explored = jnp.array([0.1, 0.5, 0.2])
    found = value_bounds.of_pretraining(
        config("aps"), jnp.asarray(task), explored, jnp.asarray(ahead)
    )
    np.testing.assert_allclose((found * across).sum(axis=1), 5.0)
    np.testing.assert_allclose((found * task).sum(axis=1), [-WINDOWS, 7.0, 1.5 * WINDOWS])


def test_the_values_of_a_chain_are_where_they_were_but_from_anywhere():
    """V = r + .99 P V for rewards in [0, 1]: far overestimates are cut, the solution is not."""
    random = np.random.default_rng(0)
    chain = random.dirichlet(np.ones(5), size=5)
    rewards = random.uniform(size=5)
    values, cut = np.full(5, 1e9), np.full(5, 1e9)
    for _ in range(300):
        values = rewards + 0.99 * chain @ values
        cut = rewards + 0.99 * np.asarray(
            value_bounds.of_task(config("ddpg"), jnp.asarray(chain @ cut))
        )
    exact = np.linalg.solve(np.eye(5) - 0.99 * chain, rewards)
    assert np.abs(values - exact).min() > 1e6
    np.testing.assert_allclose(cut, exact, rtol=0.1)


@pytest.mark.parametrize(
    ("update", "agent"),
    [(pretraining.update, "apf"), (pretraining.update, "aps"), (ddpg.update, "apf")],
)
def test_updates_keep_to_the_bounds(update, agent):
    bounded = config(agent)
    learner, window = begin(bounded), some_window(bounded)
    window = eqx.tree_at(lambda w: w.rewards, window, jnp.abs(window.rewards).clip(0, 1))
    astray = learner.target_critic.output_bias + 1e6
    learner = eqx.tree_at(lambda x: x.target_critic.output_bias, learner, astray)
    free = dataclasses.replace(bounded, bounded=False)
    largest = [
        float(jitted(update, each)(learner, window, some_noise(each))[1].largest_target)
        for each in (bounded, free)
    ]
    assert largest[0] < 4 * 100
    assert largest[1] > 1e5
