"""Moves of mazes, beside what `test_mazes.py` shows cell by cell."""

import numpy as np

from first_occupancy.environments import EIGHT_MOVES
from first_occupancy.environments._maze_moves import move_targets, numbered_cells


def test_cells_are_numbered_row_by_row():
    free = np.array([[True, False], [True, True]])
    assert numbered_cells(free).tolist() == [[0, -1], [1, 2]]


def test_corners_concern_diagonal_steps_by_one_cell_only():
    free = np.array([[True, False, True], [False, True, False], [True, False, True]])
    leap, step = (("leap", (2, 2)),), (("down-right", (1, 1)),)
    for corners, there in {"forbid": 0, "strict": 0, "allow": 2}.items():
        assert move_targets(free, free, leap, corners, None)[0, 0] == 4
        assert move_targets(free, free, step, corners, None)[0, 0] == there


def test_nothing_enters_or_leaves_closed_cells_and_they_count_as_walls_at_corners():
    free = np.ones((2, 2), bool)
    floor = np.array([[True, False], [False, True]])
    targets = move_targets(free, floor, EIGHT_MOVES, "forbid", None)
    assert (targets == np.arange(4)[None]).all()


def test_a_one_way_cell_is_left_by_its_exit_only():
    free = np.ones((1, 3), bool)
    exits = np.array([-1, 1, -1])
    targets = move_targets(free, free, EIGHT_MOVES, "forbid", exits)
    assert targets[:, 1].tolist() == [1, 2, 1, 1, 1, 1, 1, 1]
    assert targets[3].tolist() == [0, 1, 1]  # it may be entered against its direction
