import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.environments import EIGHT_MOVES
from first_occupancy.plotting.named_cells import maze_of, maze_of_names

WORLDS = {
    "rooms": fo.four_rooms(),
    "arena": fo.escape_arena(9),
    "eight": fo.maze(["S..", ".#G", "..."], moves=EIGHT_MOVES),
}


@pytest.mark.parametrize("name", WORLDS)
def test_a_maze_is_read_off_its_names(name):
    world = WORLDS[name]
    found = maze_of_names(world.state_names, world.action_names)
    np.testing.assert_array_equal(found.cells, world.cells)
    np.testing.assert_array_equal(found.next_states, world.next_states)
    assert found.moves == world.moves


@pytest.mark.parametrize(
    "names",
    [None, [], ["hall"], ["(0, 0)", "hall"], ["(0, 1)", "(0, 0)"], ["(99999, 99999)"], ["(-1, 0)"]],
)
def test_other_names_are_no_maze(names):
    assert maze_of_names(names) is None


def test_moves_are_four_unless_the_policies_have_their_names():
    assert maze_of_names(["(0, 0)"], ["walk"]).action_names == ("up", "right", "down", "left")
    assert maze_of_names(["(0, 0)"], ["left", "up-left"]).action_names == ("left", "up-left")


def test_a_world_that_is_given_must_fit(error_of):
    world = WORLDS["eight"]
    assert maze_of(world, 8, None) is world
    said = error_of(lambda: maze_of(world, 9, None))
    assert said == "plot: world must have the 9 states of what is drawn, got a maze with 8"
    assert error_of(lambda: maze_of(3, 9, None)) == "plot: world must be a Maze, got int"
