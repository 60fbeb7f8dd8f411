"""Decays from 0 to 1; and small entries to the digit, since planners multiply and compare them."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import first_occupancy as fo
from first_occupancy.environments import maze
from first_occupancy.representations import LambdaRepresentation, first_occupancy, successor
from oracles import assert_mean_is, exact_fr_column, fr_by_linear_solves, visit_worths, walks
from strategies import chains, discounts, random_chain, square_pairs

decays = st.floats(0.0, 1.0)


@given(chains(), discounts)
def test_a_decay_of_zero_gives_the_fr(chain, discount):
    rep = LambdaRepresentation(0.0).solve(chain, discount=discount)
    np.testing.assert_allclose(rep, fr_by_linear_solves(chain, discount), atol=1e-13)


@given(chains(), discounts)
def test_a_decay_of_one_gives_the_sr(chain, discount):
    rep = LambdaRepresentation(1.0).solve(chain, discount=discount)
    expected = np.linalg.inv(np.eye(len(chain)) - discount * np.asarray(chain))
    np.testing.assert_allclose(rep, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("decay", [0.3, 0.8])
def test_solve_is_the_mean_worth_of_diminishing_visits(decay):
    chain, discount = random_chain(np.random.default_rng(5), 5), 0.8
    states = walks(chain, num_walks=2000, num_steps=80, seed=3)
    worths = visit_worths(states, 5, discount, decay)
    rep = LambdaRepresentation(decay).solve(jnp.asarray(chain), discount=discount)
    assert_mean_is(worths, rep, axis=1)


@given(chains(), discounts, decays)
def test_solve_is_the_fixed_point_of_backup(chain, discount, decay):
    rep = LambdaRepresentation(decay).solve(chain, discount=discount)
    again = LambdaRepresentation(decay).backup(rep, chain, discount=discount)
    np.testing.assert_allclose(again, rep, rtol=1e-12)


@given(square_pairs(), discounts, decays)
def test_backup_contracts_each_column(chain_and_reps, discount, decay):
    chain, one, other = chain_and_reps
    before = np.abs(one - other).max(axis=0)
    after = LambdaRepresentation(decay).backup(
        one, chain, discount=discount
    ) - LambdaRepresentation(decay).backup(other, chain, discount=discount)
    assert (np.abs(after).max(axis=0) <= discount * before * (1 + 1e-9) + 1e-12).all()


def test_a_bush_visited_at_every_step_gives_a_geometric_series():
    rep = LambdaRepresentation(0.5).solve(jnp.ones((1, 1)), discount=0.9)
    np.testing.assert_allclose(rep, 1 / (1 - 0.9 * 0.5), rtol=1e-14)


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
    matrix = fo.chain(world.mdp, fo.constant_policies(world.mdp)[3])
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
    chains = fo.chain(world.mdp, fo.constant_policies(world.mdp))
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
