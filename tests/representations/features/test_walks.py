"""Many learners at once, against plain NumPy loops and learners one by one."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feature_walks import BUMPS, DISCOUNT, FINE, TARGETS, drifting_walks, one_hot
from first_occupancy.core import InputError
from first_occupancy.representations.features import walks as feature_learning
from first_occupancy.representations.features.linear import normalised, solve
from first_occupancy.representations.features.targets import (
    FirstOccupancy,
    SoftFirstOccupancy,
    Successor,
    UnreachedWarning,
)
from first_occupancy.representations.features.walks import learn_walks


def plain_loop(kind, weights, walk, thresholds, step_size):
    """Return weights and error norms of TD as one would write it in NumPy, without the library."""
    counts = np.exp(-(((walk - np.array([0, 0.5, 1])) / 0.5) ** 2) / 2)
    basis = np.exp(-(((walk - np.linspace(0, 1, 6)) / 0.2) ** 2) / 2)
    norms = []
    for feature, here, ahead in zip(counts, basis, basis[1:], strict=False):
        if kind == "sf":
            target = feature + DISCOUNT * ahead @ weights
        else:
            gain = feature if kind == "soft" else (feature >= thresholds) * 1.0
            target = np.where(gain == 1, 1, gain + DISCOUNT * (1 - gain) * (ahead @ weights))
        error = target - here @ weights
        weights = weights + step_size(here) * np.outer(here, error)
        norms.append(np.sqrt((error**2).sum()))
    return weights, norms


@pytest.mark.parametrize(
    ("kinds", "step_size", "of_basis"),
    [
        (("hard", "soft", "sf"), 0.2, lambda _: 0.2),
        (("hard",), normalised(0.4), lambda basis: 0.4 / (basis @ basis)),
    ],
    ids=["plain", "normalised"],
)
def test_many_learners_take_the_steps_of_a_plain_loop(kinds, step_size, of_basis):
    episodes = drifting_walks(4, 2, 68)  # 67 steps: three stretches of which one is filled up
    options = {"features": BUMPS, "basis": FINE, "discount": DISCOUNT, "step_size": step_size}
    learned = learn_walks(TARGETS[: len(kinds)], episodes, **options)
    thresholds = np.asarray(TARGETS[0].thresholds)
    for kind, result in zip(kinds, learned, strict=True):
        expected = np.zeros((6, 3))
        for episode, walk in enumerate(episodes[2]):
            expected, norms = plain_loop(kind, expected, np.asarray(walk), thresholds, of_basis)
            np.testing.assert_allclose(result.errors[2, episode], norms, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.weights[2], expected, rtol=1e-9, atol=1e-12)


def test_episodes_of_different_lengths_are_learned_one_after_the_other():
    whole = drifting_walks(1, 3, 68)[0]
    episodes = [np.asarray(walk[:length]) for walk, length in zip(whole, (30, 68, 2), strict=True)]
    options = {"features": BUMPS, "basis": FINE, "discount": DISCOUNT, "step_size": 0.2}
    (learned,) = learn_walks(TARGETS[:1], episodes, **options)
    expected = np.zeros((6, 3))
    for number, walk in enumerate(episodes):
        thresholds = np.asarray(TARGETS[0].thresholds)
        expected, norms = plain_loop("hard", expected, walk, thresholds, lambda _: 0.2)
        np.testing.assert_allclose(learned.errors[number, : len(norms)], norms, rtol=1e-9)
        assert not learned.errors[number, len(norms) :].any()
    np.testing.assert_allclose(learned.weights, expected, rtol=1e-9, atol=1e-12)
    with pytest.raises(InputError) as caught:
        learn_walks(TARGETS[:1], [*episodes, np.zeros((5, 2))], **options)
    assert str(caught.value) == (
        "learn_walks: observations must be episodes [T O] of at least 2 observations, all with the "
        "same O, got shape [5, 2] in episode 3"
    )


def test_leading_axes_and_jit_change_nothing():
    episodes = drifting_walks(4, 2, 68)
    options = {"features": BUMPS, "basis": FINE, "discount": DISCOUNT}
    learn = partial(learn_walks, TARGETS[:1], step_size=normalised(0.4), **options)
    flat, grid = learn(episodes), jax.jit(learn)(episodes.reshape(2, 2, 2, 68, 1))
    for one, other in zip(jax.tree.leaves(flat), jax.tree.leaves(grid), strict=True):
        np.testing.assert_allclose(one.reshape(other.shape), other, rtol=1e-9, atol=1e-12)


def group_sizes(monkeypatch, num_learners, most, cores):
    """Return how many learners each group has, and how many results there are."""
    monkeypatch.setattr(feature_learning, "processors", lambda: cores)
    stack, sizes = jnp.arange(float(num_learners)).reshape(-1, 1, 1, 1), []

    def work(group):
        sizes.append(len(group))
        return 2 * group

    results = feature_learning._in_groups(partial(work), stack, most)
    np.testing.assert_array_equal(results, 2 * stack)
    return sizes


def test_groups_are_even_so_that_little_is_computed_in_vain(monkeypatch):
    assert group_sizes(monkeypatch, 9, 3, 1) == [3, 3, 3]
    assert group_sizes(monkeypatch, 20, 12, 1) == [10, 10]
    assert group_sizes(monkeypatch, 9, 12, 2) == [5, 5]
    assert group_sizes(monkeypatch, 7, 12, 1) == [7]


def test_fewer_learners_advance_together_if_their_weights_are_large():
    def fitting(targets, num_features, num_basis):
        features, basis = (lambda x, n=n: jnp.ones(n) * x for n in (num_features, num_basis))
        return feature_learning._fitting(targets, features, basis, jnp.zeros((9, 2, 3, 1)))

    both = (FirstOccupancy(0.7), Successor())
    assert fitting(both, 5, 600) == 12
    large = 2**18 // (2 * 64 * jnp.zeros(1).dtype.itemsize)
    assert [fitting(both, number, 64) for number in (large - 1, large)] == [12, 3]


def test_groups_change_nothing(monkeypatch):
    episodes = drifting_walks(7, 2, 40)
    options = {"features": BUMPS, "basis": FINE, "discount": DISCOUNT, "step_size": 0.3}
    together = learn_walks(TARGETS[:2], episodes, **options)
    monkeypatch.setattr(feature_learning, "LARGE", 1)
    apart = learn_walks(TARGETS[:2], episodes, **options)
    for one, other in zip(jax.tree.leaves(together), jax.tree.leaves(apart), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_features_may_hold_a_traced_number(monkeypatch):
    monkeypatch.setattr(feature_learning, "processors", lambda: 2)
    episodes = drifting_walks(4, 2, 11)

    def learn(scale):
        features = {"features": lambda observation: scale * BUMPS(observation)}
        return learn_walks(TARGETS[2:], episodes, discount=DISCOUNT, step_size=0.1, **features)

    apart = [learn(scale)[0].weights for scale in (1.0, 2.0)]
    together = jax.vmap(learn)(jnp.array([1.0, 2.0]))[0].weights
    np.testing.assert_allclose(together, apart, rtol=1e-9, atol=1e-12)


def learn_with(**changes):
    settings = {
        "targets": [Successor()],
        "observations": drifting_walks(1, 2, 6),
        "features": BUMPS,
        "discount": DISCOUNT,
        "step_size": 0.1,
    } | changes
    return learn_walks(settings.pop("targets"), settings.pop("observations"), **settings)


BAD = drifting_walks(1, 2, 6).at[0, 1, 2, 0].set(jnp.nan)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"targets": [FirstOccupancy(jnp.ones(2))]},
            "learn_walks: thresholds must be one number or one per feature, 3 in all, got 2",
        ),
        (
            {"targets": [SoftFirstOccupancy()], "features": lambda x: 3 * jnp.ones(2) * x},
            None,
        ),
        ({"targets": []}, "learn_walks: targets must name at least one target, got none"),
        (
            {"targets": Successor()},
            "learn_walks: targets must be a sequence of targets, got a single one",
        ),
        (
            {"observations": BAD},
            "learn_walks: observations must be finite, got nan at [0, 1, 2, 0]",
        ),
        (
            {"features": lambda x: jnp.log(x[0] - 2) * jnp.ones(3)},
            "learn_walks: features must be finite everywhere, number 0 is not",
        ),
        (
            {"basis": lambda x: jnp.stack([x[0], x[0] / 0])},
            "learn_walks: basis functions must be finite everywhere, number 1 is not",
        ),
        (
            {"features": lambda x: x[0]},
            "learn_walks: features must be one row of numbers for an observation, got shape []",
        ),
        (
            {"observations": jnp.zeros((2, 0, 5, 1))},
            "learn_walks: observations must have shape [*N E T O], walks of at least 2 "
            "observations, got [2, 0, 5, 1]",
        ),
        (
            {"observations": jnp.zeros((2, 1, 1))},
            "learn_walks: observations must have shape [*N E T O], walks of at least 2 "
            "observations, got [2, 1, 1]",
        ),
        ({"discount": 1.0}, "learn_walks: discount must be at least 0 and below 1, got 1.0"),
    ],
)
def test_learners_say_what_is_wrong(as_users_run_it, changes, message):
    with pytest.raises(InputError) as error:
        learn_with(**changes)
    if message is None:
        assert str(error.value).startswith(
            "learn_walks: the soft form needs features in [0, 1], got feature 0 from "
        )
    else:
        assert str(error.value) == message


def test_features_that_are_never_reached_are_named():
    with pytest.warns(UnreachedWarning) as caught:
        learn_with(targets=[FirstOccupancy(jnp.array([0.5, 2.0, 3.0]))])
    assert [str(warning.message) for warning in caught] == [
        "learn_walks: features 1, 2 never reach their thresholds in this data before a walk's "
        "last observation, so nothing can be learned about them; where an episode terminates, "
        "repeat its last observation"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedWarning)
        (learned,) = learn_with(targets=[FirstOccupancy(2.0)])
    np.testing.assert_array_equal(learned.weights, 0)


def test_what_is_reached_only_at_the_end_is_learned_once_the_end_is_repeated(as_users_run_it):
    walk = np.arange(4.0)[None, :, None]  # not JAX's: users have NumPy
    how = {"features": lambda observation: one_hot(4)(observation[0].astype(int)), "discount": 0.9}
    repeated = np.concatenate([walk, walk[:, -1:]], axis=1)
    target = FirstOccupancy(1.0)
    for learn in (
        lambda walks: solve(target, walks, **how),
        lambda walks: learn_walks([target], walks, **how, step_size=1.0)[0].weights,
    ):
        with pytest.warns(UnreachedWarning, match="features 3 never"):
            assert not np.asarray(learn(walk))[:, 3].any()
        learned = learn(repeated)
        assert np.asarray(learned)[3, 3] == pytest.approx(1)
    np.testing.assert_allclose(solve(target, repeated, **how)[:, 3], 0.9 ** np.arange(3, -1, -1))


def test_learning_of_many_may_be_traced_in_any_number():
    walks = jnp.asarray([0, 1, 2, 0, 1, 2, 1, 0]).reshape(2, 1, 4, 1)

    def learned(discount):
        (result,) = learn_walks(
            [Successor()],
            walks,
            features=lambda observation: one_hot(3)(observation[0]),
            discount=discount,
            step_size=0.5,
        )
        return result.weights

    both = jax.vmap(learned)(jnp.array([0.5, 0.6]))
    np.testing.assert_allclose(both[0], learned(0.5), rtol=1e-12)
