"""Moves of mazes, beside what `test_mazes.py` shows cell by cell."""

import numpy as np
import pytest

from first_occupancy.environments import EIGHT_MOVES
from first_occupancy.environments._maze_moves import CORNERS, Grid, numbered_cells, sparse_chains


def test_cells_are_numbered_row_by_row():
    free = np.array([[True, False], [True, True]])
    assert numbered_cells(free).tolist() == [[0, -1], [1, 2]]


def test_corners_concern_diagonal_steps_by_one_cell_only():
    free = np.array([[True, False, True], [False, True, False], [True, False, True]])
    leap, step = (("leap", (2, 2)),), (("down-right", (1, 1)),)
    for corners, there in {"forbid": 0, "strict": 0, "allow": 2}.items():
        assert Grid(free, leap, corners, None).targets()[0, 0] == 4
        assert Grid(free, step, corners, None).targets()[0, 0] == there


def test_nothing_enters_or_leaves_closed_cells_and_they_count_as_walls_at_corners():
    free = np.ones((2, 2), bool)
    targets = Grid(free, EIGHT_MOVES, "forbid", None, closed=np.array([1, 2])).targets()
    assert (targets == np.arange(4)[None]).all()


def test_a_one_way_cell_is_left_by_its_exit_only():
    free = np.ones((1, 3), bool)
    exits = np.array([-1, 1, -1])
    targets = Grid(free, EIGHT_MOVES, "forbid", exits).targets()
    assert targets[:, 1].tolist() == [1, 2, 1, 1, 1, 1, 1, 1]
    assert targets[3].tolist() == [0, 1, 1]  # it may be entered against its direction


@pytest.mark.parametrize("corners", CORNERS)
def test_closing_and_opening_cells_changes_moves_from_around_them_only(corners):
    generator = np.random.default_rng(5)
    leap = (*EIGHT_MOVES, ("leap", (2, -3)))
    for _ in range(50):
        free = generator.random((6, 7)) < 0.7
        states = np.arange(free.sum())
        closed = generator.permutation(states)[:5]
        changed = np.setxor1d(closed, generator.permutation(states)[:3])
        grid = Grid(free, leap, corners, None, closed=closed)
        before, near = grid.targets(), grid.around(changed)
        grid.open(np.intersect1d(changed, closed))
        grid.close(np.setdiff1d(changed, closed))
        after = Grid(free, leap, corners, None, closed=np.setxor1d(closed, changed)).targets()
        assert (grid.targets(near) == after[:, near]).all()
        before[:, near] = after[:, near]
        assert (before == after).all()


def test_a_random_move_replaces_the_chosen_one_as_often_as_noise_says():
    next_states = np.array([[1, 2, 2], [0, 0, 1]], np.int32)
    for noise in (0.0, 0.3, 1.0):
        chains = sparse_chains(next_states, noise)
        certain = np.eye(3)[next_states]
        for chain, chosen in zip(chains, certain, strict=True):
            expected = (1 - noise) * chosen + noise * certain.mean(axis=0)
            np.testing.assert_allclose(chain.toarray(), expected, rtol=1e-15)
