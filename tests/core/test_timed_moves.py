"""Moves of worlds and how long they take."""

import numpy as np

import first_occupancy as fo
from first_occupancy.core.timed_moves import timed_moves

ACTIONS = [np.eye(3)[[1, 2, 2]], np.array([[0.5, 0, 0.5], [0, 0, 1], [0, 0, 1]])]


def test_steps_have_no_times():
    world = fo.SparseMDP(ACTIONS)
    moves = timed_moves(world, None)
    assert moves.times is None
    assert moves.chain.shape == (6, 3)
    chosen = moves.of(np.array([3, 1, -1]))
    assert chosen.chain.toarray().tolist() == [[0.5, 0, 0.5], [0, 0, 1], [0, 0, 0]]


def test_a_policy_that_draws_actions_has_moves_of_several_durations():
    world = fo.SparseMDP(ACTIONS, durations=[1.0, 4.0])
    moves = timed_moves(world, np.full((1, 3, 2), 0.5))
    row = slice(*moves.chain.indptr[:2])
    found = zip(moves.chain.indices[row], moves.chain.data[row], moves.times[row], strict=True)
    assert sorted(found) == [(0, 0.25, 4), (1, 0.5, 1), (2, 0.25, 4)]
    fixed = timed_moves(world, np.array([[1, 0, 0]]))
    assert fixed.times.tolist() == [4, 4, 1, 1]


def test_times_that_depend_on_where_moves_end_are_those_of_the_ends():
    graph = fo.from_edges([("a", "b", 2.0), ("b", "c", 3.0)])
    moves = timed_moves(graph, None)
    assert set(moves.times) >= {2.0, 3.0}
