"""Fitting a reward and choosing by it, against NumPy and by what comes of the choice."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.planning.feature_policies import choose, fit_reward


def test_a_reward_that_is_linear_in_features_is_found():
    rng = np.random.default_rng(0)
    features, weights = rng.normal(size=(50, 4)), rng.normal(size=4)
    found = fit_reward(jnp.asarray(features), jnp.asarray(features @ weights))
    np.testing.assert_allclose(found, weights, rtol=1e-9)


def test_what_the_data_leave_open_is_the_shortest_fit():
    features = jnp.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    found = fit_reward(features, jnp.array([3.0, 6.0]))
    np.testing.assert_allclose(found, [1.5, 1.5, 0.0], atol=1e-12)


def test_ridge_solves_the_normal_equations():
    rng = np.random.default_rng(1)
    features, rewards = rng.normal(size=(50, 4)), rng.normal(size=50)
    expected = np.linalg.solve(features.T @ features + 0.7 * np.eye(4), features.T @ rewards)
    found = fit_reward(jnp.asarray(features), jnp.asarray(rewards), ridge=0.7)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_policy_of_the_highest_mean_over_starts_is_chosen():
    predictions = jnp.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [0.8, 0.0]]])
    choice = choose(predictions, jnp.array([1.0, 0.0]))
    np.testing.assert_allclose(choice.values, [0.5, 0.4])
    assert int(choice.policy) == 0
    assert float(choice.value) == 0.5
    assert int(choose(predictions, jnp.array([1.0, 1.0])).policy) == 1


def test_with_tables_the_choice_is_the_policy_that_is_there_soonest():
    # A ring of five: one policy goes up, the other down, so that the shorter way wins.
    steps_up = np.arange(5) % 5
    frs = jnp.asarray(0.9 ** np.stack([steps_up, -steps_up % 5]))
    for goal, policy, steps in ((1, 0, 1), (2, 0, 2), (3, 1, 2), (4, 1, 1)):
        reward = fit_reward(jnp.eye(5), jnp.eye(5)[goal])
        choice = choose(frs, reward)
        assert int(choice.policy) == policy
        np.testing.assert_allclose(choice.value, 0.9**steps, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fit_reward(jnp.ones((3, 2)), jnp.ones(4)),
            "fit_reward: rewards must have shape [T] with T = 3 as in features, got [4]",
        ),
        (
            lambda: fit_reward(jnp.ones((0, 2)), jnp.ones(0)),
            "fit_reward: features must not be empty, got shape [0, 2]",
        ),
        (
            lambda: fit_reward(jnp.ones((2, 2)), jnp.array([1.0, jnp.nan])),
            "fit_reward: rewards must be finite, got nan at [1]",
        ),
        (
            lambda: fit_reward(jnp.ones((2, 2)), jnp.ones(2), ridge=-1.0),
            "fit_reward: ridge must be at least 0 and finite, got -1.0",
        ),
        (
            lambda: choose(jnp.ones((3, 2)), jnp.ones(3)),
            "choose: reward must have shape [D] with D = 2 as in predictions, got [3]",
        ),
        (
            lambda: choose(jnp.ones(3), jnp.ones(3)),
            "choose: predictions must have shape [N *B D], one row or more per policy, got [3]",
        ),
        (
            lambda: choose(jnp.full((2, 2), jnp.inf), jnp.ones(2)),
            "choose: predictions must be finite, got inf at [0, 0]",
        ),
    ],
)
def test_choosing_says_what_is_wrong(as_users_run_it, call, message):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == message


def test_more_data_take_no_weights_away():
    with jax.enable_x64(False):
        # The last state is seen once in two thousand times, and one is never seen.
        chances = 10.0 ** -np.linspace(0, 3, 10)
        seen = np.random.default_rng(0).choice(10, 1_000_000, p=chances / chances.sum())
        features = np.eye(11, dtype=np.float32)[seen]
        found = fit_reward(jnp.asarray(features), jnp.asarray(seen + 1.0, jnp.float32))
        np.testing.assert_allclose(found[:10], np.arange(1, 11), rtol=1e-5)
        assert found[10] == 0
