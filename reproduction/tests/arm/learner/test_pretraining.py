"""APS and APF: targets by hand, that one kind contracts and one does not, and whole updates."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import plain_networks as plain
from cases import (
    SMALL,
    as_numpy,
    begin,
    bootstrap_by_hand,
    jitted,
    some_noise,
    some_window,
)
from first_occupancy_paper.arm.learner import exploration_reward, pretraining, task_vectors
from first_occupancy_paper.arm.learner.agent_state import AgentConfig

AGENTS = ["aps", "apf", "apf_exact", "apf_printed"]


def test_targets_by_hand():
    """w = (.6, .8), f = (1, 0), e = .5, discount .9, outputs ahead (2, 3) and 4 for exploration."""
    task, reached, ahead = jnp.array([[0.6, 0.8]]), jnp.array([[1.0, 0.0]]), jnp.array([[2.0, 3.0]])
    explored, discount = jnp.array([0.5]), jnp.array([0.9])
    rest = (explored, discount, ahead)
    value = 0.6 * 2 + 0.8 * 3
    np.testing.assert_allclose(
        pretraining.aps_target(task, reached, *rest), [0.6 + 0.5 + 0.9 * value]
    )
    np.testing.assert_allclose(
        pretraining.printed_target(task, reached, *rest),
        [0.6 + 0.5 + 0.9 * (1.4 - 0.6 + 1) * value],
    )
    targets = pretraining.first_occupancy_target(
        reached[:, None], explored, discount[:, None], jnp.array([[2.0, 3.0, 4.0]])
    )
    np.testing.assert_allclose(targets, [[1, 0.9 * 3, 0.5 + 0.9 * 4]])


def occupancy_by_loop(reached, discounts, ahead):
    """Return the n-step first occupancy of one feature along one window, term by term."""
    total, worth, not_yet = 0.0, 1.0, 1.0
    for each, discount in zip(reached, discounts, strict=True):
        total += worth * not_yet * each
        worth, not_yet = worth * discount, not_yet * (1 - each)
    return total + worth * not_yet * ahead


def random_windows(seed, steps, discount, size=7, number=3):
    """Return features in [0, 1], some of them 0 or 1, exploration rewards and discounts."""
    random = np.random.default_rng(seed)
    reached = np.clip(random.uniform(-0.5, 1.5, size=(size, steps, number)), 0, 1)
    return (
        jnp.asarray(reached),
        jnp.asarray(random.normal(size=size)),
        jnp.full((size, steps), discount),
    )


def test_exact_steps_match_a_plain_loop():
    reached, explored, discounts = random_windows(0, 3, 0.9)
    discounts = discounts.at[0, 1:].set(1.0).at[1, 2].set(0.0)
    ahead = jax.random.normal(jax.random.key(0), (7, 4))
    ours = pretraining.first_occupancy_target(reached, explored, discounts, ahead)
    for row in range(7):
        for feature in range(3):
            expected = occupancy_by_loop(
                reached[row, :, feature], discounts[row], ahead[row, feature]
            )
            np.testing.assert_allclose(ours[row, feature], expected)
        expected = explored[row] + discounts[row].prod() * ahead[row, 3]
        np.testing.assert_allclose(ours[row, 3], expected)


@given(st.integers(0, 10**6), st.sampled_from([1, 3]), st.sampled_from([0.5, 0.99]))
def test_first_occupancy_targets_contract(seed, steps, discount):
    """Whatever two critics say, targets are nearer by the discount to the power of the steps."""
    windows = random_windows(seed, steps, discount)
    one, other = 100 * np.random.default_rng(seed).normal(size=(2, 7, 4))
    targets = [pretraining.first_occupancy_target(*windows, jnp.asarray(x)) for x in (one, other)]
    before, after = np.abs(one - other).max(), np.abs(targets[0] - targets[1]).max()
    assert after <= discount**steps * before * (1 + 1e-12)


@pytest.mark.parametrize("steps", [1, 3])
def test_repeated_targets_end_at_the_first_occupancy_representation(steps):
    """On a ring each state is a feature; whatever n, the critic ends at the chain's own FR.

    The critic speaks of arrivals, the FR of where one is: one step lies between.
    """
    size, discount = 6, 0.9
    following = (np.arange(size)[:, None] + np.arange(1, steps + 1)) % size
    ring = np.roll(np.eye(size), 1, axis=1)
    expected = ring @ oracles.fr_by_linear_solves(ring, discount)
    reached = jnp.asarray(np.eye(size)[following])
    table, nothing = jnp.full((size, size + 1), 7.0), jnp.zeros(size)
    discounts = jnp.full((size, steps), discount)
    for _ in range(300):
        ahead = table[following[:, -1]]
        table = pretraining.first_occupancy_target(reached, nothing, discounts, ahead)
    np.testing.assert_allclose(table[:, :-1], expected, atol=1e-9)
    np.testing.assert_allclose(table[:, -1], 0, atol=1e-9)


@pytest.mark.whole
def test_printed_targets_grow_and_the_others_do_not():
    """Fixed data, 500 transitions of 50 states and tasks; critics are tables that fit exactly.

    As printed, what follows is multiplied by up to 1 + w . 1, which exceeds 1 for half of all
    tasks: values double within a few sweeps. APS stays under (1 + e) / (1 - discount).
    """
    random, discount = np.random.default_rng(0), 0.97
    task = np.asarray(plain.unit(random.normal(size=(50, 10))))
    here = jnp.asarray(task[:, None].repeat(10, axis=1).reshape(500, 10))
    following = np.repeat(np.arange(50), 10), random.integers(10, size=500)
    features = jnp.asarray(plain.unit(random.normal(size=(500, 10))))
    config = AgentConfig(num_features=10)
    reached = pretraining.occupancies(config, features)
    explored, gone = jnp.full(500, 0.7), jnp.full(500, discount)

    def sweep(target_of, outputs):
        tables = [jnp.zeros((50, 10, outputs))]
        for _ in range(150):
            new = target_of(tables[-1][following])
            tables.append(new.reshape(50, 10, outputs))
        return [float(jnp.abs(table).max()) for table in tables[1:]]

    def scalar(target):
        # A critic all of whose outputs lie along w has the value it is told to have.
        return lambda ahead: target(ahead)[:, None] * here

    printed = sweep(
        scalar(lambda x: pretraining.printed_target(here, reached, explored, gone, x)), 10
    )
    aps = sweep(scalar(lambda x: pretraining.aps_target(here, features, explored, gone, x)), 10)
    apf = sweep(
        lambda x: pretraining.first_occupancy_target(reached[:, None], explored, gone[:, None], x),
        11,
    )
    assert printed[-1] > 1e6
    assert printed[-1] > 10 * printed[-50] > 100 * printed[-100]
    bound = 1.7 / (1 - discount)
    assert max(aps) < bound
    assert max(apf) < bound
    assert float(reached.mean()) == pytest.approx(0.17, abs=0.03)


def test_features_reached():
    features = jnp.array([[0.6, 0.8, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 0.0]])
    hard = pretraining.occupancies(AgentConfig(threshold=0.7), features)
    np.testing.assert_allclose(hard, [[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    soft = pretraining.occupancies(AgentConfig(threshold=None), features)
    np.testing.assert_allclose(soft, [[0.6, 0.8, 0], [0, 0, 0], [0, 0, 0]])
    slope = jax.grad(lambda x: task_vectors.unit(x).sum())(features)
    assert bool(jnp.isfinite(slope).all())


def test_exploration_rewards_match_a_plain_loop():
    points = jax.random.normal(jax.random.key(0), (2, 12, 3))
    points = points.at[1, 3:9].set(points[1, 2]).at[1, 11].set(points[1, 0])  # drawn repeatedly
    begun = exploration_reward.initial_mean()
    give = partial(exploration_reward.reward, neighbours=4, clip=1e-4)
    both = jax.jit(jax.vmap(lambda x: give(x, begun)))
    rewards, running = both(points)
    for run in range(2):
        expected = plain.exploration(np.asarray(points[run]), 4, 1e-4)
        np.testing.assert_allclose(rewards[run], expected)
        alone = jax.jit(lambda x: give(x, begun)[0])(points[run])
        np.testing.assert_allclose(rewards[run], alone)
    nearest = np.asarray(exploration_reward.nearest_distances(points[0], 4))
    np.testing.assert_array_equal(nearest[:, 0], 0)
    # A second batch weighs as much as the first, and the reward is of the joint scale.
    first = exploration_reward.RunningMean(running.mean[0], running.count[0])
    after = exploration_reward.updated_mean(first, jnp.full((12, 4), 3.0))
    np.testing.assert_allclose(after.mean, (nearest.mean() + 3) / 2, rtol=1e-5)


def occupancies_by_hand(config, features):
    along = plain.unit(features)
    return (along >= config.threshold).astype(float)


def errors_by_hand(config, before, after, window, noise):
    """Return the critics' errors as a function of their outputs, by the tables of the docs."""
    arrived = window.next_observations
    features = np.stack(
        [plain.features(after.features, arrived[:, i]) for i in range(config.n_step)], axis=1
    )
    explored = plain.exploration(features[:, -1], config.neighbours, config.distance_clip)
    gone, w = window.discounts.prod(axis=1), window.task
    weights = np.hstack([w, np.ones((len(w), 1))]) if config.num_outputs > len(w.T) else w
    ahead = bootstrap_by_hand(config, before, window, noise, weights)
    reached = occupancies_by_hand(config, features)
    if config.agent == "aps":
        reward = (w * plain.unit(features[:, -1])).sum(axis=1)
        target = reward + explored + gone * (w * ahead).sum(axis=1)
    elif config.agent == "apf_printed":
        reward = (w * reached[:, -1]).sum(axis=1)
        factor = w.sum(axis=1) - reward + 1
        target = reward + explored + gone * factor * (w * ahead).sum(axis=1)
    else:
        target = np.zeros((config.batch, config.num_outputs))
        target[:, -1] = explored + gone * ahead[:, -1]
        for row, feature in np.ndindex(config.batch, config.num_features):
            steps = int(window.inside[row].sum())
            path = reached[row, :steps, feature], window.discounts[row, :steps]
            if config.agent == "apf":
                path = reached[row, -1:, feature], gone[row : row + 1]
            target[row, feature] = occupancy_by_loop(*path, ahead[row, feature])
        return lambda outputs: outputs - target[:, None]
    return lambda outputs: (
        np.einsum("bth,bh->bt", outputs, weights)[..., None] - target[:, None, None]
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_one_update_matches_plain_networks(agent):
    config = AgentConfig(agent, **SMALL, neighbours=3)
    learner, window, noise = begin(config), some_window(config), some_noise(config)
    after, metrics = jitted(pretraining.update, config)(learner, window, noise)
    before, after, seen, noise = map(as_numpy, (learner, after, window, noise))

    def feature_loss(features):
        along = plain.unit(plain.features(features, seen.next_observations[:, -1]))
        return -(seen.task * along).sum(axis=1).mean()

    gradient = jax.tree.map(lambda m: 10 * m, after.features_moments.mean)
    plain.assert_gradient(gradient, feature_loss, before.features, tolerance=1e-5)
    np.testing.assert_allclose(metrics.alignment, -feature_loss(before.features))
    errors = errors_by_hand(config, before, after, seen, noise[0])

    def critic_loss(critic):
        outputs = plain.critic(critic, seen.observation, seen.task, seen.action)
        return (errors(outputs) ** 2).sum(axis=(1, 2)).mean()

    np.testing.assert_allclose(metrics.critic_loss, critic_loss(before.critic))
    gradient = jax.tree.map(lambda m: 10 * m, after.critic_moments.mean)
    plain.assert_gradient(gradient, critic_loss, before.critic)
