import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from first_occupancy.representations import LambdaRepresentation
from oracles import assert_mean_is, fr_by_linear_solves, visit_worths, walks
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
