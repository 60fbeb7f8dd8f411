"""First-occupancy features against tables, the definition, NumPy loops and fixed points."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations import first_occupancy, successor
from first_occupancy.representations.features import networks as feature_networks
from first_occupancy.representations.features import walks as feature_learning
from first_occupancy.representations.features.linear import (
    FirstOccupancy,
    SoftFirstOccupancy,
    Successor,
    UnreachedWarning,
    counted,
    initial,
    normalised,
    predict,
    predict_at,
    solve,
    td_learn,
    td_step,
)
from first_occupancy.representations.features.maps import one_hot, radial_basis
from first_occupancy.representations.features.walks import learn_walks
from oracles import assert_mean_is, walks

DISCOUNT = 0.8
BUMPS = radial_basis([0.0], [1.0], 3)
FINE = radial_basis([0.0], [1.0], 6)
TARGETS = (FirstOccupancy(jnp.array([0.9, 0.7, 0.6])), SoftFirstOccupancy(), Successor())


def drifting_walks(*shape, seed=0):
    """Return walks [*shape 1] that drift upwards through [0, 1] and start anew from its end."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0.03, 0.05, shape)
    return jnp.asarray((rng.random((*shape[:-1], 1)) + steps.cumsum(axis=-1))[..., None] % 1)


@pytest.mark.parametrize("x64", [True, False])
@pytest.mark.parametrize(
    ("target", "table"), [(FirstOccupancy(1.0), first_occupancy), (Successor(), successor)]
)
def test_one_hot_features_are_the_tables_to_the_last_bit(x64, target, table):
    with jax.enable_x64(x64):
        states = jax.random.randint(jax.random.key(3), (300,), 0, 5)
        options = {"discount": 0.9, "step_size": 0.3}
        target = jax.tree.map(jnp.float64 if x64 else jnp.float32, target)
        weights, errors = td_learn(target, jnp.eye(5), states, features=one_hot(5), **options)
        expected, norms = table.td_learn(jnp.eye(5), states, **options)
        np.testing.assert_array_equal(weights, expected)
        np.testing.assert_array_equal(errors, norms)


def test_one_step_is_the_tables_step():
    options = {"discount": 0.9, "step_size": 0.3}
    begin = jax.random.uniform(jax.random.key(0), (5, 5))
    state, following = jnp.array(1), jnp.array(4)
    step = partial(td_step, FirstOccupancy(1.0), features=one_hot(5), **options)
    weights, error = jax.jit(step)(begin, state, following)
    expected, wanted = jax.jit(partial(first_occupancy.td_step, **options))(begin, 1, 4)
    np.testing.assert_array_equal(weights, expected)
    np.testing.assert_array_equal(error, wanted)


def test_weights_keep_their_precision():
    options = {"features": one_hot(3), "discount": 0.9, "step_size": 0.3}
    walk, rough = jnp.array([0, 1, 2, 0]), jnp.eye(3, dtype=jnp.float32)
    weights, _ = td_learn(Successor(), rough, walk, **options)
    expected, _ = td_learn(Successor(), jnp.eye(3), walk, **options)
    assert weights.dtype == jnp.float32
    np.testing.assert_allclose(weights, expected, rtol=1e-6)


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
def test_one_and_many_learners_take_the_steps_of_a_plain_loop(kinds, step_size, of_basis):
    episodes = drifting_walks(4, 2, 68)  # 67 steps: three stretches of which one is filled up
    options = {"features": BUMPS, "basis": FINE, "discount": DISCOUNT, "step_size": step_size}
    learned = learn_walks(TARGETS[: len(kinds)], episodes, **options)
    thresholds, weights = np.asarray(TARGETS[0].thresholds), initial(6, 3)
    for kind, result in zip(kinds, learned, strict=True):
        expected = np.zeros((6, 3))
        for episode, walk in enumerate(episodes[2]):
            expected, norms = plain_loop(kind, expected, np.asarray(walk), thresholds, of_basis)
            np.testing.assert_allclose(result.errors[2, episode], norms, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.weights[2], expected, rtol=1e-9, atol=1e-12)
    for walk in episodes[2]:
        weights, _ = td_learn(TARGETS[0], weights, walk, **options)
    np.testing.assert_allclose(weights, learned[0].weights[2], rtol=1e-9, atol=1e-12)


def test_leading_axes_and_jit_change_nothing():
    episodes = drifting_walks(4, 2, 68)
    options = {"features": BUMPS, "basis": FINE, "discount": DISCOUNT}
    learn = partial(learn_walks, TARGETS[:1], step_size=normalised(0.4), **options)
    flat, grid = learn(episodes), jax.jit(learn)(episodes.reshape(2, 2, 2, 68, 1))
    for one, other in zip(jax.tree.leaves(flat), jax.tree.leaves(grid), strict=True):
        np.testing.assert_allclose(one.reshape(other.shape), other, rtol=1e-9, atol=1e-12)


def test_features_may_hold_a_traced_number(monkeypatch):
    monkeypatch.setattr(feature_learning, "processors", lambda: 2)
    episodes = drifting_walks(4, 2, 11)

    def learn(scale):
        features = {"features": lambda observation: scale * BUMPS(observation)}
        return learn_walks(TARGETS[2:], episodes, discount=DISCOUNT, step_size=0.1, **features)

    apart = [learn(scale)[0].weights for scale in (1.0, 2.0)]
    together = jax.vmap(learn)(jnp.array([1.0, 2.0]))[0].weights
    np.testing.assert_allclose(together, apart, rtol=1e-9, atol=1e-12)


CHAIN = np.array([[0.5, 0.5, 0, 0], [0.2, 0.3, 0.5, 0], [0, 0.4, 0.2, 0.4], [0.5, 0, 0.25, 0.25]])
TABLE = jnp.array([[0.2, 1.0], [0.6, 0.1], [0.9, 0.0], [0.1, 0.8]])


def test_first_occupancy_features_are_the_discounted_first_times_above_a_threshold():
    thresholds, states = np.array([0.6, 0.9]), walks(CHAIN, num_walks=600, num_steps=30, seed=0)
    above = np.asarray(TABLE)[states] >= thresholds
    times = np.where(above.any(axis=2), above.argmax(axis=2), np.inf)
    weights = solve(
        FirstOccupancy(jnp.asarray(thresholds)),
        jnp.asarray(states.reshape(-1, 31)),
        features=lambda state: TABLE[state],
        basis=one_hot(4),
        discount=DISCOUNT,
    )
    # 0.8^30 is what the walks' ends leave out.
    assert_mean_is(DISCOUNT**times, weights, axis=1, slack=0.8**30)


@pytest.mark.parametrize("target", TARGETS, ids=["hard", "soft", "sf"])
def test_where_td_rests_the_errors_are_orthogonal_to_the_basis(target):
    episodes = drifting_walks(5, 40, seed=1)
    weights = solve(target, episodes, features=BUMPS, basis=FINE, discount=DISCOUNT)
    features = np.asarray(jax.vmap(jax.vmap(BUMPS))(episodes))[:, :-1]
    basis = np.asarray(jax.vmap(jax.vmap(FINE))(episodes))
    following = basis[:, 1:] @ weights
    aims = np.asarray(
        jax.vmap(jax.vmap(target, (0, 0, None)), (0, 0, None))(
            jnp.asarray(features), jnp.asarray(following), DISCOUNT
        )
    )
    errors = aims - basis[:, :-1] @ weights
    np.testing.assert_allclose(np.einsum("etk,etd->kd", basis[:, :-1], errors), 0, atol=1e-8)


def test_what_is_counted():
    features = jnp.array([[0.2, 0.7], [0.95, 0.1]])
    hard = counted(FirstOccupancy(jnp.array([0.9, 0.7])), features)
    np.testing.assert_array_equal(hard, [[0, 1], [1, 0]])
    for target in (SoftFirstOccupancy(), Successor()):
        np.testing.assert_array_equal(counted(target, features), features)


def test_predictions_of_one_and_of_many():
    weights = jax.random.normal(jax.random.key(0), (2, 4, 3))
    states = jnp.array([[1], [3]])
    many = predict_at(weights, states, basis=one_hot(4))
    np.testing.assert_array_equal(many, weights[:, [1, 3]])
    np.testing.assert_array_equal(predict(weights, jnp.eye(4)[3]), weights[:, 3])


def test_networks_reach_the_linear_fixed_point():
    # The soft form, since with it what is learned is smooth.
    target, episodes = TARGETS[1], drifting_walks(2, 20, 40, seed=2)
    networks, losses = feature_networks.learn_networks(
        target,
        episodes,
        jax.random.key(0),
        features=BUMPS,
        discount=DISCOUNT,
        training=feature_networks.Training(hidden=16, num_updates=600, learning_rate=1e-2),
    )
    assert losses.shape == (2, 600)
    places = jnp.linspace(0.1, 0.9, 9)[:, None]
    found = feature_networks.predict_at(networks, places)
    for walks_of_one, predictions in zip(episodes, found, strict=True):
        weights = solve(target, walks_of_one, features=BUMPS, basis=FINE, discount=DISCOUNT)
        expected = np.asarray(predict_at(weights, places, basis=FINE))
        assert np.sqrt(np.mean((predictions - expected) ** 2)) < 0.02
        assert expected.std() > 0.1


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


def test_single_walks_say_what_is_wrong(as_users_run_it):
    learn = partial(td_learn, features=BUMPS, discount=0.9, step_size=0.1)
    for arguments, message in (
        (
            (Successor(), jnp.zeros((3, 3)), jnp.zeros((0, 1))),
            "td_learn: a walk must have at least 2 observations, got shape [0, 1]",
        ),
        (
            (Successor(), jnp.zeros((4, 3)), jnp.zeros((5, 1))),
            "td_learn: weights must have shape [K D] = [3, 3], got [4, 3]",
        ),
        (
            (Successor(), jnp.zeros((3, 3)), jnp.array([[0.0], [jnp.inf]])),
            "td_learn: observations must be finite, got inf at [1, 0]",
        ),
    ):
        with pytest.raises(InputError) as error:
            learn(*arguments)
        assert str(error.value) == message
    with pytest.raises(InputError) as error:
        solve(Successor(), jnp.zeros((3, 1, 1)), features=BUMPS, discount=0.9)
    assert str(error.value) == (
        "solve: observations must have shape [E T *O], walks of at least 2 observations, "
        "got [3, 1, 1]"
    )


def test_thresholds_and_training_must_make_sense(as_users_run_it):
    for make, message in (
        (
            lambda: FirstOccupancy(jnp.ones((2, 2))),
            "FirstOccupancy: thresholds must be one number or a row of them, got shape [2, 2]",
        ),
        (
            lambda: FirstOccupancy(jnp.array([1.0, jnp.nan])),
            "FirstOccupancy: thresholds must be numbers, got NaN",
        ),
        (
            lambda: feature_networks.Training(batch_size=0),
            "Training: batch_size must be positive, got 0",
        ),
    ):
        with pytest.raises(InputError) as error:
            make()
        assert str(error.value) == message


def test_features_that_are_never_reached_are_named():
    with pytest.warns(UnreachedWarning) as caught:
        learn_with(targets=[FirstOccupancy(jnp.array([0.5, 2.0, 3.0]))])
    assert [str(warning.message) for warning in caught] == [
        "learn_walks: features 1, 2 never reach their thresholds in this data before a walk's "
        "last observation, so nothing can be learned of them; where an episode terminates, "
        "repeat its last observation"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedWarning)
        learned, _ = td_learn(
            FirstOccupancy(2.0),
            initial(3, 3),
            drifting_walks(6),
            features=BUMPS,
            discount=0.9,
            step_size=0.5,
        )
    np.testing.assert_array_equal(learned, 0)


def test_what_is_reached_only_at_the_end_is_learned_once_the_end_is_repeated(as_users_run_it):
    walk = np.arange(4.0)[None, :, None]  # not JAX's: users have NumPy
    how = {"features": lambda observation: one_hot(4)(observation[0].astype(int)), "discount": 0.9}
    repeated = np.concatenate([walk, walk[:, -1:]], axis=1)
    target = FirstOccupancy(1.0)
    for learn in (
        lambda walks: solve(target, walks, **how),
        lambda walks: td_learn(target, initial(4, 4), walks[0], **how, step_size=1.0)[0],
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
