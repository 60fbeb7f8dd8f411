"""Policies drawn as arrows, against the moves that they stand for."""

import numpy as np
import pytest

from first_occupancy.environments import EIGHT_MOVES, drawn_policy, maze
from first_occupancy.environments.arrows import ARROWS, SYMBOLS

LINES = ["..#", "..."]


def test_each_cell_has_the_move_of_its_arrow():
    world, drawing = maze(LINES), [">v#", "^<<"]
    policy = np.asarray(drawn_policy(world, drawing))
    assert policy.shape == (5, 4)
    for state, (row, column) in enumerate(world.cells):
        name = {"^": "up", ">": "right", "v": "down", "<": "left"}[drawing[row][column]]
        assert policy[state].tolist() == [float(move == name) for move in world.action_names]


def test_text_and_lines_draw_the_same_and_walls_may_be_drawn_as_anything():
    world = maze(LINES)
    text = drawn_policy(world, "\n>v?\n^<<\n")
    np.testing.assert_array_equal(text, drawn_policy(world, [">v#", "^<<"]))


def test_every_move_has_a_symbol_and_the_straight_ones_an_arrow():
    assert list(SYMBOLS) == [name for name, _ in EIGHT_MOVES]
    assert len(set(SYMBOLS.values())) == 8
    assert set(ARROWS.values()) == {"up", "right", "down", "left"}


MISTAKES = {
    "lines": (
        lambda: drawn_policy(maze(LINES), [">v#"]),
        "drawn_policy: the drawing must have 2 lines of 3 characters as the maze has, "
        "got lines of [3]",
    ),
    "a letter": (
        lambda: drawn_policy(maze(LINES), [">x#", "^<<"]),
        "drawn_policy: free cells must have '^', '>', 'v' or '<', got 'x' at (0, 1)",
    ),
    "a move that the maze lacks": (
        lambda: drawn_policy(maze(["."], moves=(("left", (0, -1)),)), [">"]),
        "drawn_policy: free cells must have '^', '>', 'v' or '<', got '>' at (0, 0)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
