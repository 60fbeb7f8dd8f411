import jax.numpy as jnp
import numpy as np
from hypothesis import given

from first_occupancy.representations import successor
from oracles import assert_mean_is, visit_worths, walks
from strategies import chains, discounts, random_chain, square_pairs


@given(chains(), discounts)
def test_solve_is_the_inverse_matrix(chain, discount):
    expected = np.linalg.inv(np.eye(len(chain)) - discount * np.asarray(chain))
    np.testing.assert_allclose(
        successor.solve(chain, discount=discount), expected, rtol=1e-11, atol=1e-12
    )


@given(chains(), discounts)
def test_rows_sum_to_all_the_time_there_is(chain, discount):
    rows = successor.solve(chain, discount=discount).sum(axis=1)
    np.testing.assert_allclose(rows, 1 / (1 - discount), rtol=1e-12)


def test_solve_is_the_mean_discounted_number_of_visits():
    chain, discount = random_chain(np.random.default_rng(1), 5), 0.8
    states = walks(chain, num_walks=2000, num_steps=80, seed=0)
    visits = visit_worths(states, 5, discount, 1.0)
    assert_mean_is(visits, successor.solve(jnp.asarray(chain), discount=discount), axis=1)


@given(square_pairs(), discounts)
def test_repeated_backups_converge_to_solve(chain_and_srs, discount):
    chain, sr, _ = chain_and_srs
    exact = np.linalg.inv(np.eye(len(chain)) - discount * np.asarray(chain))
    begin = np.abs(sr - exact).max()
    for k in range(1, 6):
        sr = successor.backup(sr, chain, discount=discount)
        assert np.abs(sr - exact).max() <= discount**k * begin * (1 + 1e-9) + 1e-10


@given(chains())
def test_without_a_future_only_the_present_counts(chain):
    np.testing.assert_array_equal(successor.solve(chain, discount=0.0), np.eye(len(chain)))
