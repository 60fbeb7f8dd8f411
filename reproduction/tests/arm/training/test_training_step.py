"""The loop of training against one written out step by step, in a world that is cheap."""

import re
import threading
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from drifting_world import DriftingWorld
from first_occupancy_paper.arm.learner import ddpg
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.learner.finetuning import HAND_OVERS
from first_occupancy_paper.arm.learner.replay import Arrival
from first_occupancy_paper.arm.training import (
    evaluation_episodes,
    lockstep,
    tally,
    training_step,
)
from first_occupancy_paper.arm.training.simulated_worlds import AlternatingWorlds
from first_occupancy_paper.arm.training.training_step import Phase

R, E = 2, 2
SMALL = {"observation_size": 3, "action_size": 2, "width": 8, "batch": 16, "num_features": 3}
DDPG = AgentConfig("ddpg", **SMALL)
APS = AgentConfig("aps", **SMALL)
KEYS = jax.random.split(jax.random.key(5), R)


def begun(config):
    learner = lockstep.init(config, KEYS)
    return training_step.begin(config, learner, KEYS, num_environments=E, capacity=100)


@pytest.fixture(scope="module")
def trained():
    """DDPG after 15 steps, of which 5 were random; the world, and DDPG as it was at first."""
    phase = Phase(DDPG, ddpg.update, first_steps=5)
    world, group = DriftingWorld(range(R * E)), begun(DDPG)
    first = jax.tree.map(jnp.copy, group.learner)
    for _ in range(15):
        (group,) = training_step.advance([phase], [group], world)
    return group, world, first


def test_training_is_act_learn_move_remember_one_after_the_other(trained):
    group, world, first = trained
    learner, other = first, DriftingWorld(range(R * E))
    replay = lockstep.init_replay(DDPG, R, capacity=100, num_environments=E)
    tasks, ones = jnp.zeros((R, E, 0)), jnp.ones((R, E))
    for step in range(15):
        if other.ended:
            seen = jnp.asarray(other.reset()).reshape(R, E, -1)
            none = jnp.zeros((R, E, 2))
            arrival = Arrival(seen, none, tasks, 0 * ones, ones, ones == 1)
            replay = lockstep.insert(replay, arrival)
        keys = training_step.keys_for(KEYS, training_step.ACT, step)
        if step < 5:
            actions = lockstep.act_at_random(DDPG, keys, num_environments=E)
        else:
            actions = lockstep.act(DDPG, learner.actor, seen, tasks, keys)
        if step >= 5:
            keys = training_step.keys_for(KEYS, training_step.LEARN, step)
            learner, _ = lockstep.learn(ddpg.update, DDPG, learner, replay, keys, num_updates=1)
        seen, rewards = other.step(np.asarray(actions).reshape(R * E, -1))
        seen = jnp.asarray(seen).reshape(R, E, -1)
        arrival = Arrival(seen, actions, tasks, rewards.reshape(R, E), ones, ones == 0)
        replay = lockstep.insert(replay, arrival)
    np.testing.assert_allclose(world.actions, other.actions, rtol=1e-6)
    for ours, theirs in zip(
        jax.tree.leaves((group.learner, group.replay)),
        jax.tree.leaves((learner, replay)),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)


def test_returns_are_those_of_whole_episodes(trained):
    group, world, _ = trained
    other, total = DriftingWorld(range(R * E)), 0
    other.reset()
    for actions in world.actions[:10]:
        total = total + other.step(actions)[1]
    summary = tally.summary(group.tally)
    assert summary["training_return"] == pytest.approx(total.reshape(R, E).mean(axis=1))
    assert min(summary["critic_loss"]) > 0
    assert group.tally.num_learned == 10
    # The five steps of the second episode stay where they are when the tally begins anew.
    rest = tally.fresh(group.tally.earned)
    assert tally.summary(rest) == {}
    np.testing.assert_array_equal(rest.earned, group.tally.earned)
    assert float(rest.earned.min()) > 0


def test_the_task_is_fitted_once_when_learning_begins_and_then_kept():
    phase = Phase(APS, ddpg.update, 7, HAND_OVERS["repaired"], steps_per_update=1000)
    world, group, tasks = DriftingWorld(range(R * E)), begun(APS), []
    for _ in range(12):
        if group.step == 7:
            keys = training_step.keys_for(KEYS, training_step.FIT, 7)
            expected = lockstep.fit_tasks(APS, group.learner, group.replay, keys)
        (group,) = training_step.advance([phase], [group], world)
        tasks.append(np.asarray(group.tasks))
    before, after = tasks[6], tasks[7:]
    assert not np.allclose(before[:, 0], before[:, 1])  # drawn for each environment
    assert not np.allclose(tasks[3], tasks[4])  # renewed after 5 steps
    np.testing.assert_array_equal(tasks[4], before)
    for later in after:  # across the beginning of an episode, and with nothing left to chance
        np.testing.assert_allclose(later, jnp.broadcast_to(expected[:, None], later.shape))


def test_the_task_is_fitted_again_if_so_published():
    way = HAND_OVERS["repaired"]._replace(refits=True)
    phase = Phase(APS, ddpg.update, 7, way, steps_per_update=1000)
    assert [step for step in range(20) if phase.fits_at(step)] == [7, 10, 15]
    world, group = DriftingWorld(range(R * E)), begun(APS)
    for _ in range(10):
        (group,) = training_step.advance([phase], [group], world)
    keys = training_step.keys_for(KEYS, training_step.FIT, 10)
    expected = lockstep.fit_tasks(APS, group.learner, group.replay, keys)
    assert not np.allclose(group.tasks[:, 0], expected)
    (group,) = training_step.advance([phase], [group], world)
    np.testing.assert_allclose(group.tasks, jnp.broadcast_to(expected[:, None], group.tasks.shape))


def test_groups_side_by_side_are_as_if_alone(trained):
    alone, _, _ = trained
    phases = [
        Phase(APS, ddpg.update, 5, HAND_OVERS["repaired"], steps_per_update=1000),
        Phase(DDPG, ddpg.update, first_steps=5),
    ]
    groups = [begun(APS), begun(DDPG)]
    world = DriftingWorld([*range(10, 10 + R * E), *range(R * E)])
    for _ in range(15):
        groups = training_step.advance(phases, groups, world)
    for ours, theirs in zip(
        jax.tree.leaves(groups[1].learner), jax.tree.leaves(alone.learner), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def returns_of(group, world):
    (returns,) = evaluation_episodes.evaluate([DDPG], [group], world, episodes=3).result()
    return returns


def test_evaluation_follows_the_actor_without_noise(trained):
    group, _, _ = trained
    returns, again = (returns_of(group, DriftingWorld(range(R * 3))) for _ in range(2))
    np.testing.assert_array_equal(returns, again)
    world, total = DriftingWorld(range(R * 3)), 0
    seen = world.reset()
    while not world.ended:
        actions = [
            jax.tree.map(lambda leaf, run=run: leaf[run], group.learner.actor)(
                jnp.asarray(seen[3 * run : 3 * run + 3]), jnp.zeros((3, 0)), jnp.float64
            )
            for run in range(R)
        ]
        seen, rewards = world.step(np.concatenate(actions))
        total = total + rewards
    np.testing.assert_allclose(returns, total.reshape(R, 3), rtol=1e-5)


def test_an_evaluation_is_of_agents_as_they_were_when_it_began():
    phase = Phase(DDPG, ddpg.update, first_steps=1)
    world, group = DriftingWorld(range(R * E)), begun(DDPG)
    expected = returns_of(group, DriftingWorld(range(R * 3)))
    held, judges = threading.Event(), DriftingWorld(range(R * 3))
    evaluation_episodes.EVALUATING.submit(held.wait, 60)
    begun_before = evaluation_episodes.evaluate([DDPG], [group], judges, episodes=3)
    for _ in range(5):  # learning in place, before the evaluation takes its first step
        (group,) = training_step.advance([phase], [group], world)
    held.set()
    np.testing.assert_array_equal(begun_before.result()[0], expected)
    assert (returns_of(group, DriftingWorld(range(R * 3))) != expected).any()


def test_a_run_beyond_all_bounds_stands_still_and_the_others_go_on(trained):
    group, _, _ = trained
    where = lambda learner: learner.actor.hidden.bias  # noqa: E731
    bias = where(group.learner).at[0].set(jnp.nan)
    spoilt = replace(group, learner=eqx.tree_at(where, group.learner, bias))
    world = DriftingWorld(range(R * 3))
    returns_of(spoilt, world)
    actions = np.array(world.actions)
    assert (actions[:, :3] == 0).all()
    assert (actions[:, 3:] != 0).all()


@pytest.mark.parametrize(("environments", "each"), [(1, 2), (2, 2), (3, 2), (5, 4)])
def test_updates_are_as_many_as_steps_allow(environments, each):
    phase = Phase(DDPG, ddpg.update, first_steps=1, steps_per_update=each)
    steps = 4 * each + 1
    counts = [phase.num_updates(step, environments) for step in range(steps)]
    assert counts[0] == 0
    assert sum(counts) == steps * environments // each - environments // each


def test_worlds_in_turn_do_what_each_would_alone():
    relay = AlternatingWorlds(DriftingWorld([1, 2]), DriftingWorld([3, 4]))
    alone = DriftingWorld([1, 2]), DriftingWorld([3, 4])
    actions = np.random.default_rng(1).uniform(-1, 1, (10, 2, 2))
    assert relay.ended
    for episode in range(4):
        world = alone[episode % 2]
        np.testing.assert_array_equal(relay.reset(), world.reset())
        for action in actions:
            for ours, theirs in zip(relay.step(action), world.step(action), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        assert relay.ended
    relay.close()


@pytest.mark.parametrize("episodes", [0, 1, 2])
def test_worlds_in_turn_go_on_from_a_state(episodes):
    relay = AlternatingWorlds(DriftingWorld([1, 2]), DriftingWorld([3, 4]))
    action = np.full((2, 2), 0.3)
    for _ in range(episodes):
        relay.reset()
        relay.step(action)
    other = AlternatingWorlds(DriftingWorld([0, 0]), DriftingWorld([0, 0]))
    for world, seeds in zip(other._worlds, ([1, 2], [3, 4]), strict=True):
        world.seeds[:] = seeds
    other.set_state(relay.get_state())
    assert other.ended == relay.ended
    for _ in range(2):
        if episodes:
            np.testing.assert_array_equal(other.step(action)[0], relay.step(action)[0])
        np.testing.assert_array_equal(other.reset(), relay.reset())
    relay.close()
    other.close()


def test_the_page_of_the_arm_says_how_to_train_in_another_world():
    page = (Path(__file__).parents[4] / "docs" / "arm.md").read_text("utf-8")
    (code,) = re.findall(r"## Another world\n.*?```python\n(.*?)```", page, re.DOTALL)
    names = {"MyWorld": DriftingWorld}
    exec(code, names)
    runs = names["runs"]
    assert (int(runs.step), runs.tasks.shape[:2]) == (200, (4, 2))
    begun = lockstep.init(names["config"], jax.random.split(jax.random.key(0), 4))
    first = jax.tree.leaves(eqx.filter(begun.actor, eqx.is_array))
    last = jax.tree.leaves(eqx.filter(runs.learner.actor, eqx.is_array))
    assert all(np.isfinite(leaf).all() for leaf in last)
    assert any((one != other).any() for one, other in zip(first, last, strict=True))
