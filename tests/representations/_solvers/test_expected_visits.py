"""Small entries must be right to the digit: planners multiply and compare them."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import maze
from first_occupancy.representations import first_occupancy, successor
from oracles import exact_fr_column


def rationals(matrix):
    """Return the very numbers the floats are, as fractions."""
    return [[Fraction(float(entry)) for entry in row] for row in np.asarray(matrix)]


def drift(size, up):
    """Return a walk that goes up with probability `up`, else down; the ends hold."""
    matrix = np.zeros((size, size))
    for state in range(size):
        matrix[state, min(state + 1, size - 1)] += up
        matrix[state, max(state - 1, 0)] += 1 - up
    return matrix


def test_an_entry_near_1e_minus_30_is_right_to_twelve_digits():
    matrix = drift(16, up=1 / 128)
    exact = exact_fr_column(rationals(matrix), Fraction(0.9), goal=15)
    assert 1e-32 < exact[0] < 1e-28
    fr = first_occupancy.solve(jnp.asarray(matrix), discount=0.9)
    np.testing.assert_allclose(fr[:, 15], [float(entry) for entry in exact], rtol=1e-12)


def test_a_noisy_maze_is_right_in_every_entry_where_a_linear_solver_is_not():
    world = maze(["...#......", "......#..."], noise=1 / 256)
    matrix = chain(world.mdp, constant_policies(world.mdp)[3])
    fr = np.asarray(first_occupancy.solve(matrix, discount=0.99))
    column = world.state(1, 9)
    exact = [float(x) for x in exact_fr_column(rationals(matrix), Fraction(0.99), column)]
    assert min(exact) < 1e-20
    np.testing.assert_allclose(fr[:, column], exact, rtol=1e-12)

    inverse = np.linalg.inv(np.eye(len(matrix)) - 0.99 * np.asarray(matrix))
    by_solver = inverse[:, column] / inverse[column, column]
    assert np.abs(by_solver / exact - 1).max() > 1e-6


def test_what_is_never_reached_gets_exactly_zero():
    world = maze("....#....\n..#.#.#..\n....#....", noise=0.3)
    numbers = world.on_grid(np.arange(world.num_states, dtype=float))
    left = numbers[:, :4][world.free[:, :4]].astype(int)
    right = numbers[:, 5:][world.free[:, 5:]].astype(int)
    chains = chain(world.mdp, constant_policies(world.mdp))
    for rep in (
        first_occupancy.solve(chains, discount=0.99),
        successor.solve(chains, discount=0.99),
    ):
        assert (rep[:, left][..., right] == 0).all()
        assert (rep[:, right][..., left] == 0).all()
        assert (rep[:, left][..., left] > 0).all()


def test_float32_entries_are_right_relative_to_their_own_size():
    with jax.enable_x64(False):
        matrix = jnp.asarray(drift(12, up=1 / 64))
        fr = first_occupancy.solve(matrix, discount=0.9)
        assert fr.dtype == jnp.float32
    exact = exact_fr_column(rationals(matrix), Fraction(float(np.float32(0.9))), goal=11)
    assert exact[0] < 1e-19
    np.testing.assert_allclose(fr[:, 11], [float(entry) for entry in exact], rtol=1e-4)
