"""Elimination in blocks, against the plain sum by doubling and a linear solver."""

from functools import partial

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import regimes
from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import maze
from first_occupancy.representations import first_occupancy
from first_occupancy.representations._solvers import elimination
from first_occupancy.representations._solvers.elimination import (
    SCALES,
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


def summed(matrix, eliminate=sum_of_powers):
    """Return the sum of powers, with exits that are what the rows lack of 1."""
    matrix = jnp.asarray(matrix)
    return eliminate(matrix, 1 - matrix.sum(axis=-1))


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
    scale = SCALES[8]
    ours = summed(
        matrix, jax.jit(lambda scaled, exits: eliminate(scaled * scale, exits * scale) / scale)
    )
    assert_right_in_every_entry(ours, by_doubling(matrix), 1e-13)


def test_a_chain_of_several_blocks_is_right_down_to_its_smallest_entries():
    matrix = 0.99 * noisy_maze(21, 21, 1 / 256)
    assert len(matrix) > elimination.BLOCKS[0]
    exact = by_doubling(matrix)
    assert exact[exact > 0].min() < 1e-60
    assert_right_in_every_entry(summed(matrix), exact, 1e-12)


def test_a_stack_is_its_members_also_across_blocks():
    stack = 0.9 * jnp.asarray(distributions(np.random.default_rng(0), 2, 2, 40, 40))
    sums = summed(stack)
    for one, place in ((sums[i, j], stack[i, j]) for i in range(2) for j in range(2)):
        np.testing.assert_allclose(one, np.linalg.inv(np.eye(40) - place), rtol=1e-9)


def test_derivatives_are_those_of_the_inverse():
    matrix, change = np.random.default_rng(1).random((2, 6, 6)) / 10
    _, ours = jax.jvp(summed, (jnp.asarray(matrix),), (jnp.asarray(change),))
    step = 1e-6
    ahead, behind = (np.linalg.inv(np.eye(6) - matrix - s * change) for s in (step, -step))
    np.testing.assert_allclose(ours, (ahead - behind) / (2 * step), rtol=1e-7)


def exact_frs(chain, discount):
    """Return FRs in 60 digits, of the chain whose diagonal makes its rows sum to one."""
    with mpmath.workdps(60):
        factor, size = mpmath.mpf(float(discount)), len(chain)
        system = mpmath.matrix(size, size)
        for row in range(size):
            others = mpmath.mpf(0)
            for column in set(range(size)) - {row}:
                entry = mpmath.mpf(float(chain[row, column]))
                system[row, column], others = -factor * entry, others + entry
            system[row, row] = 1 - factor * (1 - others)
        visits = system**-1
        return [[visits[s, g] / visits[g, g] for g in range(size)] for s in range(size)]


def rarely_left(rng, size):
    """Return a chain whose states are left with probabilities from 1e-9 to 1."""
    chain = rng.dirichlet(np.ones(size), size) * 10.0 ** rng.uniform(-9, 0, (size, 1))
    np.fill_diagonal(chain, 0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    return chain


def nearly_deterministic(rng, size):
    slips = rng.dirichlet(np.ones(size), size)
    return (1 - 1e-6) * np.eye(size)[rng.permutation(size)] + 1e-6 * slips


def few_successors(rng, size):
    chain = np.zeros((size, size))
    for row in chain:
        ends = rng.choice(size, min(3, size), replace=False)
        row[ends] = rng.dirichlet(np.ones(len(ends)))
    return chain


@pytest.mark.parametrize("kind", [rarely_left, nearly_deterministic, few_successors])
@pytest.mark.parametrize(
    ("precision", "discounts"),
    [(np.float64, (0.9, 0.9999, 1 - 1e-7)), (np.float32, (0.9, 0.99, 0.9999))],
)
def test_every_entry_is_right_relative_to_its_size_however_rarely_states_are_left(
    kind, precision, discounts
):
    rng = np.random.default_rng(17)
    smallest = 1e6 * np.finfo(precision).tiny
    for discount in discounts:
        for size in (2, 6):
            chain, factor = kind(rng, size).astype(precision), precision(discount)
            ours = np.asarray(first_occupancy.solve(jnp.asarray(chain), discount=factor))
            truth = exact_frs(chain, factor)
            for place, number in np.ndenumerate(ours):
                exact = truth[place[0]][place[1]]
                if exact > smallest:
                    error = abs(mpmath.mpf(float(number)) - exact) / exact
                    assert error < 10 * size * np.finfo(precision).eps


@pytest.mark.filterwarnings("ignore::first_occupancy.core.errors.PrecisionWarning")
def test_two_states_that_are_left_once_in_2_to_the_27_steps_have_all_digits():
    rare = 2.0**-27
    chain = jnp.array([[1 - rare, rare], [0, 1]])
    found = float(first_occupancy.solve(chain, discount=1 - rare)[0, 1])
    exact = (1 - rare) / (2 - rare)  # of a geometric number of steps
    np.testing.assert_allclose(found, exact, rtol=4e-16)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_paths_that_underflow_still_count(dtype):
    """A corridor in which the way back is unlikely: entries down to 1e6 of the smallest float."""
    back = 0.1 if dtype == "f4" else 1e-4
    chain = np.diag(np.full(98, 1 - back), 1) + np.diag(np.full(98, back), -1)
    chain[[0, 98], [0, 98]] = back, 1 - back
    discount = np.dtype(dtype).type(0.9999)
    ours = first_occupancy.solve(jnp.asarray(chain.astype(dtype)), discount=jnp.asarray(discount))
    truth = regimes.visits(chain.astype(dtype), float(discount))
    truth /= np.diag(truth)
    assert truth[truth > 0].min() < 1e6 * np.finfo(dtype).tiny
    assert regimes.relative_error(ours, truth) < 100 * 99 * np.finfo(dtype).eps
