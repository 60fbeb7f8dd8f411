"""Worlds of actions: what policies do in them."""

import numpy as np
import pytest

from first_occupancy.core.action_worlds import scaled_rows
from first_occupancy.core.errors import InputError
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.core.world import World

ROWS = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0.2, 0.8]]])
WORLD = SparseMDP(ROWS, state_names=["hall", "attic"], action_names=["stay", "go"])
STAIRS = SparseMDP(np.eye(3)[[[1, 0], [2, 0], [2, 1]]])


def test_it_is_a_world_with_names():
    assert isinstance(WORLD, World)
    assert WORLD.state_number("attic") == 1
    assert WORLD.labels(None) == (("hall", "attic"), ("stay", "go"))
    assert WORLD.labels(np.zeros((1, 2), int)) == (("hall", "attic"), None)


def test_chains_of_policies_are_mixtures_of_those_of_actions():
    rng = np.random.default_rng(12)
    policies = rng.dirichlet(np.ones(2), (3, 2))
    weights = rng.random((2, 2))
    for chain, policy in zip(WORLD.policy_chains(policies, weights=weights), policies, strict=True):
        expected = np.einsum("sa,sa,sat->st", policy, weights, ROWS)
        np.testing.assert_allclose(chain.toarray(), expected)
    (chosen,) = WORLD.policy_chains(np.array([[1, 0]]))
    np.testing.assert_allclose(chosen.toarray(), [ROWS[0, 1], ROWS[1, 0]])


def test_steps_are_where_deterministic_policies_lead_and_none_otherwise():
    assert WORLD.steps(None) is None
    assert STAIRS.steps(None).tolist() == [[1, 2, 2], [0, 0, 1]]
    assert STAIRS.steps(np.array([[1, 0, 1]])).tolist() == [[0, 2, 1]]
    assert STAIRS.steps(np.full((1, 3, 2), 0.5)) is None


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        (np.array([[2, 0]]), "policies must be in 0..1, got 2"),
        (np.ones((1, 3, 2)), "policies must be actions"),
        (np.ones((1, 2, 2)), "does not sum to one"),
    ],
)
def test_policies_that_do_not_fit_are_refused(policies, message):
    with pytest.raises(InputError, match=message):
        WORLD.policy_chains(policies)


def test_rows_are_scaled_and_the_matrix_is_left_as_it_was():
    chain = WORLD.action_chains[0]
    before = chain.toarray()
    np.testing.assert_allclose(
        scaled_rows(chain, np.array([2.0, 0])).toarray(), [before[0] * 2, [0, 0]]
    )
    np.testing.assert_array_equal(chain.toarray(), before)
