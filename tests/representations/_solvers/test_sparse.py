"""Columns of sparse chains: right in every entry, zeros exact, large chains in closed form."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import sparse

import regimes
from first_occupancy.core import InputError, chain, constant_policies
from first_occupancy.environments import maze
from first_occupancy.representations import first_occupancy, successor
from first_occupancy.representations._solvers.sparse import AT_ONCE, Factors, visits_to
from oracles import exact_fr_column
from strategies import random_chain


def rationals(matrix):
    return [[Fraction(float(entry)) for entry in row] for row in np.asarray(matrix)]


def drift(size, up):
    """Return a walk that goes up with probability `up`, else down; the ends hold."""
    tails = np.arange(size)
    heads = np.minimum(tails + 1, size - 1), np.maximum(tails - 1, 0)
    chances = np.concatenate([np.full(size, up), np.full(size, 1 - up)])
    where = (np.tile(tails, 2), np.concatenate(heads))
    return sparse.coo_array((chances, where), shape=(size, size))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil"])
def test_entries_near_1e_minus_30_are_right_to_twelve_digits(kind):
    walk = drift(16, up=1 / 128).asformat(kind)
    exact = exact_fr_column(rationals(walk.toarray()), Fraction(0.9), goal=15)
    assert 1e-32 < exact[0] < 1e-28
    column = first_occupancy.solve_columns(walk, np.array([15]), discount=0.9)
    np.testing.assert_allclose(column[:, 0], [float(entry) for entry in exact], rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_random_chains_are_right_against_rationals_with_zeros_as_zeros(seed):
    matrix = random_chain(np.random.default_rng(seed), 7)
    goals = np.array([4, 0])
    columns = first_occupancy.solve_columns(sparse.csr_array(matrix), goals, discount=0.9)
    for goal, column in zip(goals, columns.T, strict=True):
        exact = exact_fr_column(rationals(matrix), Fraction(0.9), int(goal))
        np.testing.assert_array_equal(column == 0, [entry == 0 for entry in exact])
        np.testing.assert_allclose(column, [float(entry) for entry in exact], rtol=1e-13)


def test_bumping_into_walls_leaves_no_noise():
    """Where a linear solver exchanges rows, and with them loses zeros and small entries."""
    world = maze("....#....\n..#.#.#..\n....#....", noise=1 / 256)
    for policy in constant_policies(world.mdp):
        matrix = chain(world.mdp, policy)
        dense = np.asarray(successor.solve(matrix, discount=0.99))
        columns = successor.solve_columns(
            sparse.csr_array(np.asarray(matrix)), np.arange(world.num_states), discount=0.99
        )
        np.testing.assert_array_equal(columns == 0, dense == 0)
        assert (columns == 0).any()
        np.testing.assert_allclose(columns, dense, rtol=1e-12)


def test_a_chain_of_a_hundred_thousand_states_has_its_closed_form():
    """On a ring one goes on with probability p, so the wait for each step is geometric."""
    size, onward, discount = 100_000, 0.7, 0.99
    tails = np.arange(size)
    ring = sparse.csr_array(
        (
            np.repeat([onward, 1 - onward], size),
            (np.tile(tails, 2), np.append((tails + 1) % size, tails)),
        ),
        shape=(size, size),
    )
    goals = np.array([0, 777])
    step = discount * onward / (1 - discount * (1 - onward))
    columns = first_occupancy.solve_columns(ring, goals, discount=discount)
    distance = (goals - tails[:, None]) % size
    near = distance < 20_000
    np.testing.assert_allclose(columns[near], step ** distance[near], rtol=1e-9)


def test_solve_takes_sparse_chains_as_they_are():
    matrix = random_chain(np.random.default_rng(0), 12)
    for module in (first_occupancy, successor):
        ours = module.solve(sparse.csr_array(matrix), discount=0.9)
        assert isinstance(ours, jax.Array)
        np.testing.assert_allclose(
            ours, module.solve(jnp.asarray(matrix), discount=0.9), rtol=1e-13
        )
        columns = module.solve_columns(jnp.asarray(matrix), np.array([3]), discount=0.9)
        np.testing.assert_allclose(columns, ours[:, 3:4], rtol=1e-13)


def test_rows_and_columns_are_right_when_there_are_more_than_are_solved_for_at_once():
    matrix = random_chain(np.random.default_rng(3), 2 * AT_ONCE + 5)
    factors = Factors(sparse.csr_array(matrix), 0.9, exits=np.full(len(matrix), 0.1))
    inverse = np.linalg.inv(np.eye(len(matrix)) - 0.9 * matrix)
    states = np.random.default_rng(4).permutation(len(matrix))
    np.testing.assert_allclose(factors.columns(states), inverse[:, states], atol=1e-13)
    np.testing.assert_allclose(factors.rows(states), inverse[states], atol=1e-13)
    np.testing.assert_allclose(factors.weighted_rows(matrix), matrix @ inverse, atol=1e-13)
    assert factors.columns(states[:0]).shape == (len(matrix), 0)


def sparse_with(row):
    matrix = np.full((3, 3), 1 / 3)
    matrix[2] = row
    return sparse.csr_array(matrix)


def solve(matrix, goals=(0,), discount=0.9):
    return first_occupancy.solve_columns(matrix, np.array(goals), discount=discount)


MISTAKES = {
    "sum": (
        lambda: solve(sparse_with([0.5, 0.25, 0])),
        "solve_columns: chain at state 2 does not sum to one (sums to 0.75)",
    ),
    "negative": (
        lambda: solve(sparse_with([1.5, -0.5, 0])),
        "solve_columns: chain at state 2 has a negative probability (has -0.5)",
    ),
    "not finite": (
        lambda: solve(sparse_with([np.nan, 0.5, 0.5])),
        "solve_columns: chain at state 2 is not finite (has nan)",
    ),
    "dense": (
        lambda: solve(np.array([[0.5, 0.5], [1.0, 0.5]])),
        "solve_columns: chain at state 1 does not sum to one (sums to 1.5)",
    ),
    "shape": (
        lambda: solve(sparse.csr_array((2, 3))),
        "solve_columns: chain must have shape [S S], got [2 3]",
    ),
    "goal": (
        lambda: solve(sparse_with([1, 0, 0]), goals=(0, 3)),
        "solve_columns: goals must be in 0..2, got 3 at position 1",
    ),
    "no goals": (
        lambda: solve(sparse_with([1, 0, 0]), goals=()),
        "solve_columns: goals must be a list of states, got shape [0]",
    ),
    "discount": (
        lambda: solve(sparse_with([1, 0, 0]), discount=1.5),
        "solve_columns: discount must be at least 0 and at most 1, got 1.5",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_the_callers_matrix_is_left_as_it_is():
    # Twice the same entry, and columns out of order, both of which SciPy likes to put right.
    data, columns = np.array([0.5, 0.25, 0.25, 1.0]), np.array([1, 0, 0, 0])
    chain = sparse.csr_array((data, columns, np.array([0, 3, 4])), shape=(2, 2))
    fr = first_occupancy.solve_columns(chain, np.array([1]), discount=0.5)
    assert chain.data.tolist() == [0.5, 0.25, 0.25, 1.0]
    assert chain.indices.tolist() == [1, 0, 0, 0]
    whole = np.array([[0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_array_equal(
        fr, first_occupancy.solve_columns(whole, np.array([1]), discount=0.5)
    )


@pytest.mark.filterwarnings("ignore::first_occupancy.core.errors.PrecisionWarning")
@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("call", "start"),
    [
        (lambda chain, discount: successor.solve(jnp.asarray(chain), discount=discount), "solve"),
        (
            lambda chain, discount: first_occupancy.solve_columns(
                sparse.csr_array(chain), np.arange(2), discount=discount
            ),
            "solve_columns",
        ),
    ],
    ids=["dense", "sparse"],
)
def test_sums_a_little_above_one_are_refused_where_the_discount_leaves_no_room(call, start):
    chain = np.array([[0.5, 0.5], [0.3, 0.7 + 8e-6]])
    assert (call(chain, 1 - 1e-5) > 0).all()
    with pytest.raises(InputError) as caught:
        call(chain, 0.999999)
    assert str(caught.value) == (
        f"{start}: discount times the sum of each row of chain must be below 1, "
        "got 0.999999 times 1.000008 at state 1"
    )
    # Of whole numbers, and of rounded ones, nothing is refused.
    certain, rounded = np.eye(2)[::-1], np.array([[0.1, 0.9], [0.3, 0.7]], np.float32)
    assert (call(certain, 1 - 1e-15) > 0).all()
    assert (call(rounded, 1 - 1e-6) > 0).all()


def test_the_policy_whose_sums_are_too_large_is_named():
    chains = jnp.stack([jnp.eye(2), jnp.eye(2) * (1 + 5e-6)])
    with pytest.raises(InputError, match=r"got 0.999999 times 1.000005 at policy 1, state 0"):
        first_occupancy.solve(chains, discount=0.999999)


@pytest.mark.parametrize("kind", regimes.KINDS)
def test_columns_keep_their_digits_at_discounts_near_one(kind):
    """The pivots alone would lose half of them: errors of 1e7 S eps, without refinement."""
    for seed in range(4):
        rng = np.random.default_rng([18, seed])
        chain = regimes.draw_chain(rng, kind, 30, "f8")
        truth = regimes.visits(chain, 1 - 1e-7)
        found = visits_to(sparse.csr_array(chain), np.arange(30), 1 - 1e-7)
        error = regimes.relative_error(found, truth, floor=regimes.underflow(1 - 1e-7, "f8"))
        assert error < 1000 * 30 * np.finfo(float).eps
