"""A representation is its target and how to solve for it; the verbs follow from these."""

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.representations import representation
from first_occupancy.representations.representation import Representation, named
from flavours import DISCOUNT, FLAVOURS, flavours
from strategies import random_chain


@pytest.fixture
def doubled():
    """Return a representation of one's own: every visit counts twice."""

    class DoubledVisits(Representation):
        name = "doubled_visits"

        def target(self, state, following, *, discount):
            return 2.0 * (jnp.arange(len(following)) == state) + discount * following

        def solve(self, chain, *, discount):
            return 2 * jnp.linalg.inv(jnp.eye(chain.shape[-1]) - discount * chain)

    yield DoubledVisits()
    del representation._BY_NAME["doubled_visits"]


def test_a_representation_of_ones_own_has_all_the_verbs(doubled):
    chain = random_chain(np.random.default_rng(0), 3)
    exact = 2 * np.linalg.inv(np.eye(3) - 0.5 * chain)
    table = doubled.initial(3)
    for _ in range(60):
        table = doubled.backup(table, jnp.asarray(chain), discount=0.5)
    np.testing.assert_allclose(table, exact, rtol=1e-12)
    # Two actions that do the same make pairs of the rows.
    twice = jnp.asarray(np.stack([chain, chain], axis=1))
    policy = jnp.full((3, 2), 0.5)
    pairs = doubled.state_action.solve(twice, policy, discount=0.5)
    np.testing.assert_allclose(pairs[:, 0], exact, rtol=1e-12)
    # On a ring, full steps along a long walk are exact.
    ring, walk = np.roll(np.eye(3), 1, axis=1), jnp.arange(200) % 3
    learned, _ = doubled.td_learn(doubled.initial(3), walk, discount=0.5, step_size=1.0)
    np.testing.assert_allclose(learned, 2 * np.linalg.inv(np.eye(3) - 0.5 * ring), rtol=1e-12)
    states, following = np.arange(200) % 3, np.arange(1, 201) % 3
    logged = doubled.td_learn_log(
        doubled.initial(3)[None], states, following, states * 0, discount=0.5, step_size=1.0
    )
    np.testing.assert_allclose(logged[0], learned, rtol=1e-12)


def test_a_representation_of_ones_own_is_saved_and_loaded_by_its_name(doubled, tmp_path):
    tables = fo.Occupancies(2 * np.eye(3)[None], discount=0.5, representation=doubled)
    fo.save(tables, tmp_path / "tables.npz")
    loaded = fo.load(tmp_path / "tables.npz")
    assert type(loaded.representation) is type(doubled)
    np.testing.assert_array_equal(loaded.values, tables.values)


@flavours
def test_backup_is_the_target_of_every_row(flavour):
    _, _, _, kind = FLAVOURS[flavour]
    rng = np.random.default_rng(1)
    chain, table = random_chain(rng, 3), rng.random((3, 3))
    expected = [
        kind.target(state, jnp.asarray(chain[state] @ table), discount=DISCOUNT)
        for state in range(3)
    ]
    found = kind.backup(jnp.asarray(table), jnp.asarray(chain), discount=DISCOUNT)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@flavours
def test_files_find_representations_by_name_and_parameters(flavour):
    _, _, _, kind = FLAVOURS[flavour]
    assert named(kind.name, **kind.parameters) == kind


MISTAKES = {
    "another name": (
        lambda: named("third_occupancy"),
        "representation must be one of first_occupancy, lambda_representation, successor, "
        "got 'third_occupancy'",
    ),
    "a parameter missing": (
        lambda: named("lambda_representation"),
        "lambda_representation: takes other parameters, got none",
    ),
    "a parameter too many": (
        lambda: named("successor", decay=0.5),
        "successor: takes other parameters, got decay",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
