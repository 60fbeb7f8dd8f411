"""First-occupancy features against tables, the definition and fixed points."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feature_walks import BUMPS, DISCOUNT, FINE, TARGETS, drifting_walks, one_hot
from first_occupancy.core import InputError
from first_occupancy.representations import first_occupancy, successor
from first_occupancy.representations.features.linear import predict, predict_at, solve
from first_occupancy.representations.features.targets import FirstOccupancy, Successor
from first_occupancy.representations.features.walks import learn_walks
from oracles import assert_mean_is, walks


@pytest.mark.parametrize("x64", [True, False])
@pytest.mark.parametrize(
    ("target", "table"), [(FirstOccupancy(1.0), first_occupancy), (Successor(), successor)]
)
def test_one_hot_features_are_the_tables(x64, target, table):
    with jax.enable_x64(x64):
        states = jax.random.randint(jax.random.key(3), (300,), 0, 5)
        options = {"discount": 0.9, "step_size": 0.3}
        target = jax.tree.map(jnp.float64 if x64 else jnp.float32, target)
        (found,) = learn_walks([target], states[None, :, None], features=one_hot(5), **options)
        expected, norms = table.td_learn(jnp.zeros((5, 5)), states, **options)
        digits = {"rtol": 1e-12, "atol": 1e-14} if x64 else {"rtol": 1e-4, "atol": 1e-6}
        np.testing.assert_allclose(found.weights, expected, **digits)
        np.testing.assert_allclose(found.errors[0], norms, **digits)


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


def test_predictions_of_one_and_of_many():
    weights = jax.random.normal(jax.random.key(0), (2, 4, 3))
    states = jnp.array([[1], [3]])
    many = predict_at(weights, states, basis=one_hot(4))
    np.testing.assert_array_equal(many, weights[:, [1, 3]])
    np.testing.assert_array_equal(predict(weights, jnp.eye(4)[3]), weights[:, 3])


def test_walks_say_what_is_wrong(as_users_run_it):
    for wrong, message in (
        (
            jnp.zeros((3, 1, 1)),
            "solve: observations must have shape [E T *O], walks of at least 2 observations, "
            "got [3, 1, 1]",
        ),
        (
            jnp.array([[[0.0], [jnp.inf]]]),
            "solve: observations must be finite, got inf at [1, 0]",
        ),
    ):
        with pytest.raises(InputError) as error:
            solve(Successor(), wrong, features=BUMPS, discount=0.9)
        assert str(error.value) == message


@pytest.mark.parametrize("target", [FirstOccupancy(1.0), Successor()], ids=["ff", "sf"])
def test_a_state_visited_often_takes_nothing_from_states_visited_once(target):
    # A million steps in one state, one in each of the others; the last is repeated at the end.
    walk = np.r_[np.zeros(1_000_000, int), np.arange(1, 20), 19]
    chain = np.eye(20, k=1)
    chain[0, :2] = [1 - 1e-6, 1e-6]
    chain[19, 19] = 1
    table = first_occupancy if isinstance(target, FirstOccupancy) else successor
    expected = table.solve(jnp.asarray(chain), discount=0.9)
    with jax.enable_x64(False):
        target = jax.tree.map(jnp.float32, target)
        found = solve(
            target,
            jnp.asarray(walk)[None],
            features=lambda state: one_hot(20)(state)[10::9],
            basis=one_hot(20),
            discount=0.9,
        )
    np.testing.assert_allclose(found, expected[:, 10::9], rtol=1e-3, atol=1e-5)


def test_weights_that_walks_leave_open_are_the_shortest():
    # Two basis functions share state 1, which is seen 1,000 times, and one is never seen.
    for x64, digits in ((True, 1e-12), (False, 1e-5)):
        with jax.enable_x64(x64):
            basis = jnp.array([[1.0, 0, 0, 0], [0, 2.0, 1.0, 0]])
            found = solve(
                FirstOccupancy(1.0),
                jnp.array([[0] + [1] * 1_000]),
                features=one_hot(2),
                basis=lambda state, basis=basis: basis[state],
                discount=0.5,
            )
        np.testing.assert_allclose(found[:, 1], [0.5, 0.4, 0.2, 0], atol=digits)
        np.testing.assert_array_equal(found[3], 0)
