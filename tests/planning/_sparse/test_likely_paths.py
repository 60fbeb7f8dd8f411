"""Legs along the most likely moves."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.likely_paths import likely_legs


def chain(rows):
    return csr_array(np.array(rows, float))


def test_a_leg_ends_at_the_goal_or_where_the_choice_changes():
    moves = chain(np.eye(5)[[1, 2, 3, 4, 4]])
    legs = likely_legs(moves, np.array([0, 0, 1, 1, -1]), np.array([4]))
    assert legs.tolist() == [2, 2, 4, 4, 4]


def test_the_most_likely_move_away_counts_and_of_equals_the_first_state():
    moves = chain([[0.8, 0.05, 0.15], [0.5, 0, 0.5], [0, 0, 1]])
    assert likely_legs(moves, np.array([0, 1, -1]), np.array([2])).tolist() == [2, 0, 2]


def test_a_circle_has_no_leg():
    moves = chain([[0, 0.9, 0.1], [0.9, 0, 0.1], [0, 0, 1]])
    assert likely_legs(moves, np.array([0, 0, -1]), np.array([2])).tolist() == [-1, -1, 2]


def test_who_follows_nothing_has_no_leg():
    assert likely_legs(chain(np.eye(2)), np.array([-1, -1]), np.array([1])).tolist() == [-1, 1]
