"""Elimination in blocks, against the plain sum by doubling and a linear solver."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import maze
from first_occupancy.representations._solvers import elimination
from first_occupancy.representations._solvers.elimination import (
    _in_blocks,
    _one_state,
    sum_of_powers,
)
from strategies import distributions


def by_doubling(matrix):
    """Return the sum of powers by M <- M + A M, A <- A A: slow, and right in every entry."""
    total, power = np.eye(len(matrix)), np.asarray(matrix)
    while True:
        grown = total + power @ total
        if np.array_equal(grown, total):
            return total
        total, power = grown, power @ power


def noisy_maze(rows, columns, noise):
    walls = np.random.default_rng(3).random((rows, columns)) < 0.2
    world = maze(["".join(row) for row in np.where(walls, "#", ".")], noise=noise)
    return np.asarray(chain(world.mdp, constant_policies(world.mdp)[1]))


def assert_right_in_every_entry(ours, exact, rtol):
    np.testing.assert_array_equal(np.asarray(ours) == 0, exact == 0)
    np.testing.assert_allclose(ours, exact, rtol=rtol)


@pytest.mark.parametrize("blocks", [(1,), (4,), (7, 2), (12, 5, 2), (30,)])
def test_blocks_of_any_size_give_the_same_sum(blocks):
    matrix = 0.95 * noisy_maze(5, 6, 1 / 64)
    eliminate = _one_state
    for block in reversed(blocks):
        eliminate = partial(_in_blocks, block=block, invert=eliminate)
    assert_right_in_every_entry(jax.jit(eliminate)(jnp.asarray(matrix)), by_doubling(matrix), 1e-13)


def test_a_chain_of_several_blocks_is_right_down_to_its_smallest_entries():
    matrix = 0.99 * noisy_maze(21, 21, 1 / 256)
    assert len(matrix) > elimination.BLOCKS[0]
    exact = by_doubling(matrix)
    assert exact[exact > 0].min() < 1e-60
    assert_right_in_every_entry(sum_of_powers(jnp.asarray(matrix)), exact, 1e-12)


def test_a_stack_is_its_members_also_across_blocks():
    stack = 0.9 * jnp.asarray(distributions(np.random.default_rng(0), 2, 2, 40, 40))
    sums = sum_of_powers(stack)
    for one, place in ((sums[i, j], stack[i, j]) for i in range(2) for j in range(2)):
        np.testing.assert_allclose(one, np.linalg.inv(np.eye(40) - place), rtol=1e-9)


def test_derivatives_are_those_of_the_inverse():
    matrix, change = np.random.default_rng(1).random((2, 6, 6)) / 10
    _, ours = jax.jvp(sum_of_powers, (jnp.asarray(matrix),), (jnp.asarray(change),))
    step = 1e-6
    ahead, behind = (np.linalg.inv(np.eye(6) - matrix - s * change) for s in (step, -step))
    np.testing.assert_allclose(ours, (ahead - behind) / (2 * step), rtol=1e-7)
