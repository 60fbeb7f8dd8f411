"""SRs and FRs of chains on grids, against dense solves, in every entry."""

from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.representations._solvers import banded
from oracles import exact_fr_column


@pytest.mark.parametrize("width", [1, 2, 3])
def test_every_column_is_that_of_rationals(width):
    """Six states in rows, chances in quarters: exact fractions on the one side."""
    rng, size = np.random.default_rng(width), 6
    rows = np.arange(size) // width
    near = np.abs(rows[:, None] - rows[None]) <= 1
    quarters = [rng.multinomial(4, allowed / allowed.sum()) for allowed in near]
    chain = [[Fraction(int(part), 4) for part in row] for row in quarters]
    floats = np.array(quarters) / 4
    solved = banded.solve(floats, discount=0.75, width=width)
    begins, ends = np.nonzero(floats)
    for goal in range(size):
        exact = [float(entry) for entry in exact_fr_column(chain, Fraction(3, 4), goal)]
        np.testing.assert_allclose(solved[:, goal], exact, rtol=1e-13)
        column = banded.solve_column(begins, ends, floats[begins, ends], goal, 0.75)
        np.testing.assert_allclose(column, exact, rtol=1e-13)


@pytest.mark.parametrize("width", [1, 4, 12])
def test_banded_solutions_are_the_dense_ones_entry_by_entry(width):
    size, rng = 12, np.random.default_rng(width)
    rows = np.arange(size) // width
    near = np.abs(rows[:, None] - rows[None]) <= 1
    chains = rng.random((2, size, size)) ** 4 * near
    chains /= chains.sum(axis=2, keepdims=True)
    srs = np.asarray(fo.successor.solve(jnp.asarray(chains), discount=0.97))
    frs = np.asarray(fo.first_occupancy.solve(jnp.asarray(chains), discount=0.97))
    solved = banded.solve_successor(chains[0], discount=0.97, width=width)
    np.testing.assert_allclose(solved, srs[0], rtol=1e-11)
    np.testing.assert_allclose(
        banded.solve(chains[0], discount=0.97, width=width), frs[0], rtol=1e-11
    )
    blocks = blocks_of(0.97 * chains, width)
    for solved, exact in zip(banded.solve_each(blocks), frs, strict=True):
        np.testing.assert_allclose(solved, exact, rtol=1e-11)
    for state in range(size):
        row, own = banded.solve_row(banded.Blocks(*(part[1] for part in blocks)), state)
        np.testing.assert_allclose(row, srs[1, state], rtol=1e-11)
        np.testing.assert_allclose(own, srs[1].diagonal(), rtol=1e-11)
    begins, ends = np.nonzero(near)
    column = banded.solve_column(begins, ends, chains[0, begins, ends], 5, 0.97)
    np.testing.assert_allclose(column, frs[0, :, 5], rtol=1e-11)


def blocks_of(chains, width):
    """Return the blocks of dense chains, cut out one by one."""
    count, size, _ = chains.shape
    height = size // width
    cut = chains.reshape(count, height, width, height, width).transpose(0, 1, 3, 2, 4)
    up, along, down = np.zeros((3, count, height, width, width))
    for row in range(height):
        along[:, row] = cut[:, row, row]
        if row:
            up[:, row], down[:, row - 1] = cut[:, row, row - 1], cut[:, row - 1, row]
    return banded.Blocks(up, along, down)


def test_banded_solutions_are_exact_where_hardly_anything_leads():
    # Steps of chance 1e-9 against a current: entries down to 1e-99, and walls behind which is 0.
    rare, size = 1e-9, 12
    chain = np.zeros((size, size))
    for state in range(size):
        chain[state, max(state - 1, 0)] += 1 - rare
        chain[state, min(state + 1, size - 1)] += rare
    chain[5] = np.eye(size)[5]
    exact = np.asarray(fo.first_occupancy.solve(jnp.asarray(chain), discount=0.5))
    begins, ends = np.nonzero(chain)
    for goal in range(size):
        column = banded.solve_column(begins, ends, chain[begins, ends], goal, 0.5)
        np.testing.assert_allclose(column, exact[:, goal], rtol=1e-13, atol=0)
    for width in (1, 3):
        solved = banded.solve(chain, discount=0.5, width=width)
        np.testing.assert_allclose(solved, exact, rtol=1e-13, atol=0)


def test_banded_solvers_say_what_they_need(as_users_run_it):
    with pytest.raises(fo.InputError, match=r"width must divide the number of states, 3, got 2"):
        banded.solve(np.eye(3), discount=0.9, width=2)
    with pytest.raises(fo.InputError, match=r"same or a neighbouring row, got one over 2 rows"):
        banded.solve(np.eye(3)[::-1], discount=0.9, width=1)
