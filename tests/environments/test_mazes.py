import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from first_occupancy.core import InputError, chain
from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES, escape_arena, maze
from first_occupancy.representations import first_occupancy, successor, updates


@st.composite
def drawings(draw):
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cells = draw(
        st.lists(st.sampled_from("#. G^>v<12359"), min_size=rows * columns, max_size=rows * columns)
    )
    assume("".join(cells).strip("#"))
    return ["".join(cells[row * columns : (row + 1) * columns]) for row in range(rows)]


moves = st.sampled_from([FOUR_MOVES, EIGHT_MOVES])


@given(drawings())
def test_cells_and_states_map_to_each_other_and_back(lines):
    world = maze(lines)
    numbers = world.on_grid(np.arange(world.num_states, dtype=float))
    for state in range(world.num_states):
        assert world.state(*world.cell(state)) == state
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            if letter == "#":
                assert np.isnan(numbers[row, column])
                with pytest.raises(InputError):
                    world.state(row, column)
            else:
                state = world.state(row, column)
                assert world.cell(state) == (row, column) == tuple(world.cells[state])
                assert numbers[row, column] == state
                assert (letter == "G") == (state in world.goals)


ONE_WAY = {"^": (-1, 0), ">": (0, 1), "v": (1, 0), "<": (0, -1)}


def leads_to(lines, row, column, step, corners):
    """Return where a step leads from a cell of a drawing, cell by cell."""

    def is_wall(r, c):
        return not (0 <= r < len(lines) and 0 <= c < len(lines[0])) or lines[r][c] == "#"

    down, right = step
    sides = [is_wall(row + down, column), is_wall(row, column + right)]
    diagonal = abs(down) == abs(right) == 1
    cut = diagonal and {"forbid": all(sides), "strict": any(sides), "allow": False}[corners]
    wrong_way = ONE_WAY.get(lines[row][column], step) != step
    blocked = cut or wrong_way or is_wall(row + down, column + right)
    return (row, column) if blocked else (row + down, column + right)


@given(drawings(), moves, st.sampled_from(["forbid", "strict", "allow"]))
def test_moves_lead_to_the_neighbour_unless_walls_corners_or_arrows_block(lines, moves, corners):
    world = maze(lines, moves=moves, corners=corners)
    assert world.next_states.shape == (len(moves), world.num_states)
    for state in range(world.num_states):
        row, column = world.cell(state)
        for action, (_, step) in enumerate(moves):
            there = world.cell(int(world.next_states[action, state]))
            assert there == leads_to(lines, row, column, step, corners)


def test_a_step_takes_as_long_as_the_cell_in_which_it_ends_says():
    world = maze(["S3.", "1#9"])
    assert world.entry_times.tolist() == [1, 3, 1, 1, 9]
    right, down = world.action_names.index("right"), world.action_names.index("down")
    assert world.durations[:, right].tolist() == [3, 1, 1, 1, 9]  # a bump enters the cell again
    assert world.durations[:, down].tolist() == [1, 3, 9, 1, 9]
    np.testing.assert_array_equal(world.sparse_mdp.durations, world.durations)
    assert maze("S1.").entry_times is None
    assert maze("S1.").durations is None


@given(drawings())
def test_a_maze_draws_itself(lines):
    world = maze(lines)
    again = maze(world.drawing.splitlines())
    np.testing.assert_array_equal(again.next_states, world.next_states)
    np.testing.assert_array_equal(again.goals, world.goals)
    if world.entry_times is not None:
        np.testing.assert_array_equal(again.entry_times, world.entry_times)


@settings(max_examples=10)
@given(drawings(), st.sampled_from([0.0, 0.25, 1.0]))
def test_the_mdp_goes_where_next_states_say_unless_noise_strikes(lines, noise):
    world = maze([re.sub("[2-9]", ".", line) for line in lines], noise=noise, bump_cost=2.0)
    transition, reward = np.asarray(world.mdp.transition), np.asarray(world.mdp.reward)
    for state in range(world.num_states):
        for action in range(4):
            expected = np.zeros(world.num_states)
            expected[world.next_states[action, state]] += 1 - noise
            for other in range(4):
                expected[world.next_states[other, state]] += noise / 4
            np.testing.assert_allclose(transition[state, action], expected, atol=1e-15)
    np.testing.assert_array_equal(
        reward, np.repeat(-2.0 * np.eye(world.num_states)[:, None, :], 4, axis=1)
    )


@given(drawings())
def test_values_on_the_grid_stand_in_their_cells_and_walls_are_nan(lines):
    world = maze(lines)
    values = np.arange(world.num_states) + 0.5
    grid = world.on_grid(jnp.asarray(values))
    for state in range(world.num_states):
        assert grid[world.cell(state)] == values[state]
    assert np.isnan(grid).sum() == sum(line.count("#") for line in lines)


def test_a_drawn_start_is_where_one_begins_and_else_anywhere():
    drawn, open_start = maze("#.S\n..."), maze("#..\n...")
    assert drawn.cell(drawn.start) == (0, 2)
    assert drawn.mdp.start_distribution[drawn.start] == 1
    assert open_start.start is None
    np.testing.assert_allclose(open_start.mdp.start_distribution, 1 / 5)


def test_corners_say_which_diagonal_moves_walls_block():
    between, past = ".#\n#.", "..\n#."
    for corners, leads in {"forbid": (0, 2), "strict": (0, 0), "allow": (1, 2)}.items():
        for drawing, there in zip((between, past), leads, strict=True):
            world = maze(drawing, moves=EIGHT_MOVES, corners=corners)
            assert world.next_states[world.action_names.index("down-right"), 0] == there
    assert maze(between, moves=EIGHT_MOVES).corners == "forbid"


def test_moves_of_several_cells_leave_the_drawing_nowhere():
    leaps = (("left", (0, -3)), ("right", (0, 3)))
    world = maze(["......."], moves=leaps)
    assert world.next_states.tolist() == [[0, 1, 2, 0, 1, 2, 3], [3, 4, 5, 6, 4, 5, 6]]


@given(drawings(), moves, st.sampled_from(["forbid", "strict"]), st.integers(0, 2**32 - 1))
def test_walled_cells_are_walls_that_keep_their_states(lines, moves, corners, seed):
    """The oracle is the drawing with '#' in their place, whose states have other numbers."""
    lines = [re.sub("[2-9]", ".", line) for line in lines]  # since `mdp` knows no costs
    world = maze(lines, moves=moves, noise=0.5, corners=corners)
    walls = world.cells[np.random.default_rng(seed).random(world.num_states) < 0.3]
    assume(len(walls) < world.num_states)
    closed, letters = world.with_walls(walls), np.array([list(line) for line in lines])
    letters[walls[:, 0], walls[:, 1]] = "#"
    drawn = maze(["".join(row) for row in letters], moves=moves, noise=0.5, corners=corners)
    np.testing.assert_array_equal(closed.floor, drawn.free)
    numbers = np.array([closed.state(*cell) for cell in drawn.cells.tolist()])
    np.testing.assert_array_equal(closed.next_states[:, numbers], numbers[drawn.next_states])
    np.testing.assert_array_equal(
        closed.mdp.start_distribution[numbers], drawn.mdp.start_distribution
    )
    for state in closed.walled:
        assert set(closed.next_states[:, state]) == {state}
    assert sorted([*numbers, *closed.walled]) == list(range(world.num_states))
    np.testing.assert_array_equal(closed.with_walls([]).next_states, world.next_states)


def test_a_barrier_changes_rows_of_the_sr_and_nothing_is_solved_anew():
    world = escape_arena(9, barrier=False)
    closed = world.with_walls([(4, column) for column in range(2, 6)])
    rows = np.flatnonzero((world.next_states != closed.next_states).any(axis=0))
    uniform = jnp.full((world.num_states, 8), 1 / 8)
    before, after = chain(world.mdp, uniform), chain(closed.mdp, uniform)
    changed = updates.change_rows(
        successor.solve(before, discount=0.95), after, rows, discount=0.95
    )
    np.testing.assert_allclose(
        changed, successor.solve(after, discount=0.95), rtol=1e-9, atol=1e-15
    )
    np.testing.assert_allclose(
        first_occupancy.from_visits(changed), first_occupancy.solve(after, discount=0.95), rtol=1e-9
    )


def test_the_mdp_may_first_be_asked_for_inside_jit_and_in_each_precision():
    world = maze(["..."])
    assert jax.jit(lambda: world.mdp.transition.sum())() == 12
    assert world.mdp.transition.dtype == jnp.float64
    with jax.enable_x64(False):
        assert world.mdp.transition.dtype == jnp.float32


def test_moves_are_the_four_and_the_eight_neighbours():
    assert EIGHT_MOVES[:4] == FOUR_MOVES
    steps = {step for _, step in EIGHT_MOVES}
    assert steps == {(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)} - {(0, 0)}
    for name, (down, right) in EIGHT_MOVES:
        assert ("up" in name, "down" in name) == (down < 0, down > 0)
        assert ("left" in name, "right" in name) == (right < 0, right > 0)
