"""Sparse worlds: what they hold, and what they refuse."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

import first_occupancy as fo
from first_occupancy.core.sparse_mdp import SparseMDP

ROWS = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0.2, 0.8]]])


def test_matrices_arrays_and_dense_worlds_make_the_same_world():
    matrices = [csr_array(ROWS[:, action]) for action in range(2)]
    for given in (ROWS, matrices, [each.toarray() for each in matrices], fo.MDP(ROWS)):
        world = SparseMDP(given)
        for action, chain in enumerate(world.action_chains):
            np.testing.assert_allclose(chain.toarray(), ROWS[:, action])
        assert (world.num_states, world.num_actions) == (2, 2)


def test_repeated_entries_are_added_up_and_the_callers_matrix_is_left_alone():
    given = coo_array(([0.5, 0.5, 1.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    world = SparseMDP([given])
    assert world.action_chains[0].toarray().tolist() == [[0, 1], [1, 0]]
    assert len(given.data) == 3


def test_dense_has_the_same_numbers():
    world = SparseMDP(ROWS, rewards=[1.0, 2.0], start_distribution=[1, 0], state_names=["a", "b"])
    dense = world.dense()
    np.testing.assert_allclose(dense.transition, ROWS)
    np.testing.assert_allclose(dense.reward[:, 1], 2)
    assert (dense.start_distribution.tolist(), dense.state_names) == ([1, 0], ("a", "b"))


def test_durations_may_be_one_number_one_per_action_or_all():
    for given in (2.0, [2.0, 2.0], np.full((2, 2), 2.0)):
        np.testing.assert_array_equal(
            SparseMDP(ROWS, durations=given).durations, np.full((2, 2), 2)
        )
    assert SparseMDP(ROWS).durations is None


MISTAKES = {
    "one matrix": (lambda: SparseMDP(csr_array(np.eye(2))), "one matrix per action, got one"),
    "no action": (lambda: SparseMDP([]), "at least one action, got none"),
    "shapes": (
        lambda: SparseMDP([np.eye(2), np.eye(3)]),
        r"action 1 must have shape \[S S\] with S = 2",
    ),
    "empty": (
        lambda: SparseMDP([csr_array((0, 0))]),
        "SparseMDP: transitions: a matrix must not be empty",
    ),
    "sparse, not square": (lambda: SparseMDP([csr_array((2, 3))]), "must have shape"),
    "not square": (lambda: SparseMDP([np.ones((2, 3))]), "must have shape"),
    "sums": (
        lambda: SparseMDP([np.eye(2) / 2]),
        r"action 0 at state 0 does not sum to one \(sums to 0.5\)",
    ),
    "negative": (
        lambda: SparseMDP([[[2, -1.0], [0, 1]]]),
        r"action 0 at state 0 has a negative probability \(has -1\)",
    ),
    "not a number": (
        lambda: SparseMDP([[[np.nan, 1.0], [0, 1]]]),
        "action 0 at state 0 is not finite",
    ),
    "zero durations": (
        lambda: SparseMDP(ROWS, durations=[1.0, 0.0]),
        "above 0, got 0 for action 1",
    ),
    "negative durations": (
        lambda: SparseMDP(ROWS, durations=[-1.0, 1.0]),
        "above 0, got -1 for action 0",
    ),
    "durations that are no numbers": (
        lambda: SparseMDP(ROWS, durations=[1.0, np.nan]),
        "durations must be finite, got nan",
    ),
    "endless durations": (lambda: SparseMDP(ROWS, durations=np.inf), "durations must be finite"),
    "shape of rewards": (lambda: SparseMDP(ROWS, rewards=np.ones(3)), "rewards must be one number"),
    "start": (lambda: SparseMDP(ROWS, start_distribution=[1, 1]), "does not sum to one"),
    "length of start": (lambda: SparseMDP(ROWS, start_distribution=[1.0]), "must have shape"),
    "dense with durations": (lambda: SparseMDP(ROWS, durations=2.0).dense(), "one step each"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_cannot_be_a_world_is_refused_in_one_sentence(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(fo.InputError, match=message):
        call()
