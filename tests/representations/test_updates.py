"""A changed wall by a low-rank update: the numbers of a new solve, in every entry."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.core import InputError
from first_occupancy.environments import maze
from first_occupancy.representations import first_occupancy, successor, updates

DRAWING = [".........", ".###.###.", ".#.....#.", ".........", "....#....", "........."]
WORLD = maze(DRAWING)


def policy_chain(noise, *, wall=None):
    """Return "always right" in the maze; with a wall, that cell leads nowhere and nothing there."""
    moves = np.array(WORLD.next_states)
    if wall is not None:
        moves = np.where(moves == wall, np.arange(WORLD.num_states), moves)
        moves[:, wall] = wall
    certain = np.eye(WORLD.num_states)[moves]
    return (1 - noise) * certain[1] + noise * certain.mean(axis=0)


def changed_rows(before, after):
    return np.flatnonzero((before != after).any(axis=1))


CELLS = [WORLD.state(3, 4), WORLD.state(0, 4)]


@pytest.mark.parametrize(
    ("noise", "kind"), [(0.0, csr_array), (1 / 256, np.asarray), (0.3, csr_array)]
)
@pytest.mark.parametrize("cell", CELLS)
def test_closing_and_opening_a_cell_gives_a_new_solves_numbers(noise, cell, kind):
    open_chain, closed = policy_chain(noise), policy_chain(noise, wall=cell)
    rows = changed_rows(open_chain, closed)
    for old, new in ((open_chain, closed), (closed, open_chain)):
        sr = successor.solve(jnp.asarray(old), discount=0.95)
        ours = updates.change_rows(sr, kind(new), rows, discount=0.95)
        again = successor.solve(jnp.asarray(new), discount=0.95)
        np.testing.assert_array_equal(ours == 0, again == 0)
        np.testing.assert_allclose(ours, again, rtol=1e-10)
        np.testing.assert_allclose(
            first_occupancy.from_visits(ours),
            first_occupancy.solve(jnp.asarray(new), discount=0.95),
            rtol=1e-10,
        )


def test_without_solving_lost_entries_anew_a_closed_door_would_leave_noise(monkeypatch):
    """The plain formula says that one comes through; so the check is needed, and is made."""
    line = np.eye(30)[np.minimum(np.arange(30) + 1, 29)]
    lazy = 0.9 * line + 0.1 * np.eye(30)
    closed = lazy.copy()
    closed[12] = np.eye(30)[12]
    sr = successor.solve(jnp.asarray(lazy), discount=0.95)
    rows = np.array([12])
    assert (np.asarray(updates.change_rows(sr, closed, rows, discount=0.95))[:13, 13:] == 0).all()
    monkeypatch.setattr(updates, "_replace", lambda changed, *_: changed)
    plain = np.asarray(updates.change_rows(sr, closed, rows, discount=0.95))[:13, 13:]
    assert 0 < np.abs(plain).max() < 1e-13


def test_a_part_cut_off_from_the_rest_is_solved_anew_by_rows_or_by_columns():
    """Behind the closed door few states lose many goals, or many states lose few."""
    for size, door in ((40, 3), (40, 36)):
        line = np.eye(size)[np.minimum(np.arange(size) + 1, size - 1)]
        closed = line.copy()
        closed[door] = np.eye(size)[door]
        sr = successor.solve(jnp.asarray(line), discount=0.9)
        ours = updates.change_rows(sr, closed, np.array([door]), discount=0.9)
        again = successor.solve(jnp.asarray(closed), discount=0.9)
        np.testing.assert_array_equal(ours == 0, again == 0)
        np.testing.assert_allclose(ours, again, rtol=1e-12)


@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-10), ("float32", 1e-3)])
def test_opening_several_cells_in_a_world_of_long_memory_loses_no_digits(precision, rtol):
    """Visits to closed cells number 1000 each, and those between open ones down to 1e-13."""
    drawing = ["..#...", ".....#", "..#..#", "#....#", "......", "..####"]
    opened = maze(drawing, noise=0.01)
    closed = opened.with_walls([(5, 1), (0, 3), (0, 0)])
    old, new = (world.mdp.transition[:, 3] for world in (closed, opened))
    sr = successor.solve(old, discount=0.999).astype(precision)
    ours = updates.change_rows(sr, new, changed_rows(old, new), discount=0.999)
    assert ours.dtype == precision
    np.testing.assert_allclose(ours, successor.solve(new, discount=0.999), rtol=rtol)


def test_changing_many_rows_or_none_is_a_change_too():
    old, new = policy_chain(0.3), policy_chain(0.1)
    sr = successor.solve(jnp.asarray(old), discount=0.95)
    many = np.arange(updates.THIN + 4)
    mixed = np.where(np.isin(np.arange(len(old)), many)[:, None], new, old)
    ours = updates.change_rows(sr, mixed, many, discount=0.95)
    np.testing.assert_allclose(ours, successor.solve(jnp.asarray(mixed), discount=0.95), rtol=1e-10)
    assert updates.change_rows(sr, old, np.array([], int), discount=0.95) is sr


def test_float32_stays_float32_and_the_given_sr_stays_as_it_is():
    with jax.enable_x64(False):
        old, new = policy_chain(0.3), policy_chain(0.3, wall=CELLS[0])
        sr = successor.solve(jnp.asarray(old), discount=0.9)
        kept = np.array(sr)
        ours = updates.change_rows(sr, new, changed_rows(old, new), discount=0.9)
        assert ours.dtype == jnp.float32
        np.testing.assert_array_equal(sr, kept)
        np.testing.assert_allclose(ours, successor.solve(jnp.asarray(new), discount=0.9), rtol=1e-3)


def test_in_place_the_numbers_are_the_same_and_the_given_memory_is_used():
    old, new = policy_chain(0.3), policy_chain(0.3, wall=CELLS[0])
    sr, rows = successor.solve(jnp.asarray(old), discount=0.95), changed_rows(old, new)
    copied = updates.change_rows(sr, new, rows, discount=0.95)
    memory = sr.unsafe_buffer_pointer()
    ours = updates.change_rows_in_place(sr, new, rows, discount=0.95)
    np.testing.assert_array_equal(ours, copied)
    assert sr.is_deleted()
    assert ours.unsafe_buffer_pointer() == memory
    assert updates.change_rows_in_place(ours, new, np.array([], int), discount=0.95) is ours


def change(sr=None, matrix=None, states=(0,), discount=0.9):
    sr = jnp.eye(2) if sr is None else sr
    return updates.change_rows(
        sr, np.eye(2) if matrix is None else matrix, np.array(states), discount=discount
    )


MISTAKES = {
    "discount": (
        lambda: change(discount=1.0),
        "change_rows: discount must be at least 0 and below 1, got 1.0",
    ),
    "sr": (
        lambda: change(sr=jnp.ones((2, 3))),
        "change_rows: sr must have shape [S S], got [2 3]",
    ),
    "another world": (
        lambda: change(matrix=np.eye(3)),
        "change_rows: chain must have the SR's shape [2, 2], got [3, 3]",
    ),
    "no chain": (
        lambda: change(matrix=np.full((2, 2), 0.25)),
        "change_rows: chain at state 0 does not sum to one (sums to 0.5)",
    ),
    "states": (
        lambda: change(states=(0, 2)),
        "change_rows: states must be in 0..1, got 2 at position 1",
    ),
    "twice": (
        lambda: change(states=(1, 1)),
        "change_rows: states must differ from each other, got [1, 1]",
    ),
    "in place": (
        lambda: updates.change_rows_in_place(jnp.eye(2), np.eye(3), np.array([0]), discount=0.9),
        "change_rows_in_place: chain must have the SR's shape [2, 2], got [3, 3]",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message
