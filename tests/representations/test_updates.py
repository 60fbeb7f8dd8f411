"""A changed wall by a low-rank update: the numbers of a new solve, in every entry."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.core import InputError
from first_occupancy.environments import maze
from first_occupancy.representations import first_occupancy, successor, updates
from first_occupancy.representations._solvers.entries import reachable_pairs, split_sr
from strategies import random_chain

DRAWING = [".........", ".###.###.", ".#.....#.", ".........", "....#....", "........."]
WORLD = maze(DRAWING)
BOUND = 32
"""How many times larger errors may be than those of the given SR, as `change_rows` says."""


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


def test_without_the_support_of_the_chain_a_closed_door_would_leave_noise():
    """The plain formula says that one comes through."""
    line = np.eye(30)[np.minimum(np.arange(30) + 1, 29)]
    lazy = 0.9 * line + 0.1 * np.eye(30)
    closed = lazy.copy()
    closed[12] = np.eye(30)[12]
    sr = successor.solve(jnp.asarray(lazy), discount=0.95)
    rows = np.array([12])
    assert (np.asarray(updates.change_rows(sr, closed, rows, discount=0.95))[:13, 13:] == 0).all()
    split = split_sr(csr_array(closed), rows, 0.95)
    plain = (sr + split.entries @ (split.visits - sr[rows]))[:13, 13:]
    assert 0 < np.abs(plain).max() < 1e-13


def test_a_door_closed_at_a_discount_near_1_is_closed_in_float32():
    """The way back from 5 to 4 used to stay open, with an FR of 8e-6."""
    before = np.zeros((12, 12), np.float32)
    for state in range(12):
        before[state, min(state + 1, 11)] += 1 - 0.13916114652721506
        before[state, max(state - 1, 0)] += 0.13916114652721506
    after = before.copy()
    after[5, [4, 5]] = 0, before[5, 4]
    with jax.enable_x64(False):
        sr = successor.solve(jnp.asarray(before), discount=0.9999)
        changed = updates.change_rows(sr, after, np.array([5]), discount=0.9999)
    assert (np.asarray(changed)[5:, :5] == 0).all()


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


def corridor(rng, size):
    back, states = rng.uniform(0.02, 0.5), np.arange(size)
    ahead = np.eye(size)[np.minimum(states + 1, size - 1)]
    return (1 - back) * ahead + back * np.eye(size)[np.maximum(states - 1, 0)]


def grid(rng, size):
    side = int(size**0.5)
    cells = rng.permutation(side**2).reshape(side, side) % 5
    world = maze(["".join(".#"[int(cell == 0)] for cell in row) for row in cells])
    noise, certain = rng.choice([0.0, 0.01, 0.3]), np.eye(world.num_states)[world.next_states]
    return (1 - noise) * certain[1] + noise * certain.mean(axis=0)


def few_ways(rng, size):
    ways = rng.random((size, size)).argsort(axis=1) < rng.integers(1, 4, size=(size, 1))
    return ways / ways.sum(axis=1, keepdims=True)


def closed(rng, matrix):
    """Return the chain with some ways out of some states closed, or without one of the states."""
    size, new = len(matrix), matrix.copy()
    if rng.random() < 0.4:
        gone = np.zeros((size, size), bool)
        gone[:, rng.integers(size)] = True
        gone |= gone.T
    else:
        gone = rng.random((size, size)) < rng.choice([0.5, 1.0])
        gone[~np.isin(np.arange(size), rng.choice(size, size=2, replace=False))] = False
    stays = np.where(gone, matrix, 0).sum(axis=1)
    new[gone] = 0
    return new + np.diag(stays)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("discount", [0.9, 0.99, 0.999, 0.9999])
@pytest.mark.parametrize("kind", [corridor, grid, few_ways, random_chain])
def test_openings_and_closings_keep_the_digits_of_a_new_solve(kind, discount, precision):
    """Zeros are those of the support; the FR is one that planners take; see `change_rows`."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        matrix = kind(rng, 26)
        pair = [chain.astype(precision) for chain in (matrix, closed(rng, matrix))]
        rows = filled_up(changed_rows(*pair), len(matrix))
        for old, new in (pair, pair[::-1]):
            truths = [
                successor.solve(jnp.asarray(x, "float64"), discount=discount) for x in (old, new)
            ]
            with jax.enable_x64(precision == "float64"):
                sr = successor.solve(jnp.asarray(old), discount=discount)
                ours = np.asarray(updates.change_rows(sr, new, rows, discount=discount))
                assert (first_occupancy.from_visits(jnp.asarray(ours)) <= 1 + 1e-5).all()
            np.testing.assert_array_equal(ours > 0, reachable_pairs(csr_array(new)))
            given = off(sr, truths[0]) + np.finfo(precision).eps / (1 - discount)
            assert (off(ours, truths[1]) <= BOUND * given).all()


def off(values, truth):
    """Return the largest relative error in each column."""
    return np.abs(np.asarray(values) / np.where(truth > 0, truth, 1) - (truth > 0)).max(axis=0)


def filled_up(rows, size):
    """Return the rows and some that did not change, so that few numbers of rows are compiled."""
    others = np.setdiff1d(np.arange(size), rows)
    return np.append(rows, others[: 8 - len(rows)] if len(rows) <= 8 else others)


@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-13), ("float32", 1e-4)])
def test_opening_and_closing_a_door_a_hundred_times_costs_no_digits(precision, rtol):
    with jax.enable_x64(precision == "float64"):
        pair = [policy_chain(0.3, wall=wall).astype(precision) for wall in (None, CELLS[0])]
        rows = changed_rows(*pair)
        solved = successor.solve(jnp.asarray(pair[0]), discount=0.95)
        changed = jnp.array(solved)
        for step in range(100):
            changed = updates.change_rows(changed, pair[1 - step % 2], rows, discount=0.95)
        np.testing.assert_allclose(changed, solved, rtol=rtol)


def test_marks_in_blocks_and_crosses_are_covered_by_few_rows_and_columns():
    marked = np.zeros((40, 40), bool)
    marked[3:5, 10:30] = True
    marked[20:35, 7] = True
    starts, goals = updates._cover(marked.copy())
    assert (starts.tolist(), goals.tolist()) == ([3, 4], [7])
    marked |= np.random.default_rng(0).random((40, 40)) < 0.05
    starts, goals = updates._cover(marked.copy())
    marked[starts], marked[:, goals] = False, False
    assert not marked.any()


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
        "change_rows: chain must have shape [S S] with S = 2 as in sr, got [3 3]",
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
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_half_precision_srs_are_changed_in_single():
    old, new = np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([[0.75, 0.25], [0.25, 0.75]])
    sr = successor.solve(jnp.asarray(old), discount=0.5).astype(jnp.float16)
    changed = updates.change_rows(sr, new, np.array([0]), discount=0.5)
    assert changed.dtype == jnp.float32
    np.testing.assert_allclose(changed, successor.solve(jnp.asarray(new), discount=0.5), rtol=2e-3)
