"""Paths and legs along the most likely moves."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.kernels import likely_steps
from first_occupancy.planning._sparse.likely_paths import likely_legs
from first_occupancy.representations._solvers.jumps import jump_chain


def leading(*ends):
    """Return moves that lead from each state to another for certain."""
    return chain(np.eye(len(ends))[list(ends)]).moves


def steps_of(jumps):
    return likely_steps(jumps.moves.indptr, jumps.moves.indices, jumps.moves.data)


def chain(rows):
    return jump_chain(csr_array(np.array(rows, float)))


def test_a_leg_ends_at_the_goal_or_where_the_choice_changes():
    legs = likely_legs(leading(1, 2, 3, 4, 4), np.array([0, 0, 1, 1, -1]), np.array([4]))
    assert legs.tolist() == [2, 2, 4, 4, 4]


def test_the_most_likely_move_away_counts_and_of_equals_the_first_state():
    moves = chain([[0.8, 0.05, 0.15], [0.5, 0, 0.5], [0, 0, 1]])
    assert steps_of(moves).tolist() == [2, 0, 2]
    assert likely_legs(moves.moves, np.array([0, 0, -1]), np.array([2])).tolist() == [2, 2, 2]


def test_likely_steps_are_those_of_a_plain_search():
    rng = np.random.default_rng(0)
    for _ in range(50):
        size = int(rng.integers(1, 9))
        dense = rng.integers(0, 3, (size, size)) * rng.integers(0, 2, (size, size)) / 4
        away = np.where(np.eye(size, dtype=bool), 0, dense)
        expected = np.where(away.max(axis=1) > 0, away.argmax(axis=1), np.arange(size))
        assert steps_of(chain(dense)).tolist() == expected.tolist()
        shuffled = csr_array(dense).tocoo()
        order = rng.permutation(shuffled.nnz)
        entries = (shuffled.data[order], (shuffled.row[order], shuffled.col[order]))
        shuffled = jump_chain(csr_array(entries, (size, size)))
        assert steps_of(shuffled).tolist() == expected.tolist()


def test_a_circle_has_no_leg():
    assert likely_legs(leading(1, 0, 2), np.array([0, 0, -1]), np.array([2])).tolist() == [
        -1,
        -1,
        2,
    ]


def test_who_follows_nothing_has_no_leg():
    assert likely_legs(leading(0, 1), np.array([-1, -1]), np.array([1])).tolist() == [-1, 1]
