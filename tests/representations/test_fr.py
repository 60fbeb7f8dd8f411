from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from first_occupancy.representations import first_occupancy
from oracles import assert_mean_is, fr_by_linear_solves, visit_worths, walks
from strategies import chains, discounts, random_chain, square_pairs, successor_tables


def three_states():
    return jnp.asarray(np.random.default_rng(0).dirichlet(np.ones(3), size=3))


def printed_backup(fr, chain, discount):
    """Def. 3.2 as printed, with a matrix product."""
    return np.eye(len(fr)) + discount * (np.ones_like(fr) - np.eye(len(fr))) @ chain @ fr


@pytest.mark.parametrize("seed", range(3))
def test_definition_3_1_is_the_mean_discount_at_the_first_visit(seed):
    chain, discount = random_chain(np.random.default_rng(seed), 5), 0.8
    states = walks(chain, num_walks=2000, num_steps=80, seed=seed)
    here = states[..., None] == np.arange(5)
    first = np.where(here.any(axis=-2), discount ** here.argmax(axis=-2), 0.0)
    expected = first_occupancy.solve(jnp.asarray(chain), discount=discount)
    assert_mean_is(first, expected, axis=1)
    np.testing.assert_allclose(first, visit_worths(states, 5, discount, 0.0))


@given(chains(), discounts)
def test_definition_3_2_has_solve_as_its_fixed_point(chain, discount):
    fr = first_occupancy.solve(chain, discount=discount)
    np.testing.assert_allclose(first_occupancy.backup(fr, chain, discount=discount), fr, rtol=1e-12)


def test_definition_3_2_as_printed_misses_the_fixed_point():
    chain, discount = np.asarray(three_states()), 0.9
    fr = fr_by_linear_solves(chain, discount)
    assert np.abs(printed_backup(fr, chain, discount) - fr).max() > 0.5
    np.testing.assert_allclose(
        first_occupancy.backup(jnp.asarray(fr), jnp.asarray(chain), discount=discount),
        fr,
        rtol=1e-12,
    )


@given(square_pairs(), discounts)
def test_proposition_3_1_backup_contracts_each_column(chain_and_frs, discount):
    chain, one, other = chain_and_frs
    before = np.abs(one - other).max(axis=0)
    after = first_occupancy.backup(one, chain, discount=discount) - first_occupancy.backup(
        other, chain, discount=discount
    )
    assert (np.abs(after).max(axis=0) <= discount * before * (1 + 1e-9) + 1e-12).all()


def test_proposition_3_1_fails_entry_by_entry():
    chain = jnp.array([[0.0, 1.0], [0.0, 1.0]])
    one, other = jnp.zeros((2, 2)), jnp.array([[0.0, 0.0], [0.0, 1.0]])
    after = first_occupancy.backup(one, chain, discount=0.9) - first_occupancy.backup(
        other, chain, discount=0.9
    )
    assert one[0, 1] == other[0, 1]
    np.testing.assert_allclose(after[0, 1], -0.9)


@given(square_pairs(), discounts)
def test_proposition_3_2_repeated_backups_converge_at_rate_gamma_to_the_k(chain_and_frs, discount):
    chain, fr, _ = chain_and_frs
    exact = fr_by_linear_solves(chain, discount)
    begin = np.abs(fr - exact).max()
    for k in range(1, 6):
        fr = first_occupancy.backup(fr, chain, discount=discount)
        assert np.abs(fr - exact).max() <= discount**k * begin * (1 + 1e-9) + 1e-12


@given(chains(), discounts)
def test_solve_agrees_with_one_linear_system_per_goal(chain, discount):
    expected = fr_by_linear_solves(chain, discount)
    np.testing.assert_allclose(
        first_occupancy.solve(chain, discount=discount), expected, atol=1e-13
    )


@given(chains(), discounts)
def test_entries_lie_in_zero_to_one_with_unit_diagonal(chain, discount):
    fr = np.asarray(first_occupancy.solve(chain, discount=discount))
    assert fr.min() >= 0
    assert (np.diagonal(fr) == 1).all()
    off_diagonal = fr[~np.eye(len(fr), dtype=bool)]
    assert off_diagonal.max() <= discount * (1 + 1e-14)


@given(chains(), discounts)
def test_going_through_a_midpoint_is_never_sooner(chain, discount):
    fr = np.asarray(first_occupancy.solve(chain, discount=discount))
    through = fr[:, :, None] * fr[None, :, :]
    assert (fr[:, None, :] >= through * (1 - 1e-12)).all()


@given(chains(), discounts)
def test_a_row_sums_to_at_most_one_visit_per_step(chain, discount):
    rows = np.asarray(first_occupancy.solve(chain, discount=discount)).sum(axis=1)
    bound = sum(discount**k for k in range(len(chain)))
    assert (rows <= bound * (1 + 1e-12)).all()


def test_a_cycle_attains_the_bound_on_the_row_sum():
    cycle = jnp.roll(jnp.eye(7), 1, axis=1)
    rows = first_occupancy.solve(cycle, discount=0.9).sum(axis=1)
    np.testing.assert_allclose(rows, (1 - 0.9**7) / (1 - 0.9), rtol=1e-13)


@given(successor_tables(num_policies=1), discounts)
def test_deterministic_chains_give_the_discount_to_the_number_of_steps(successors, discount):
    (successors,) = successors
    size = len(successors)
    expected = np.zeros((size, size))
    for start in range(size):
        state = start
        for steps in range(size):
            expected[start, state] = max(expected[start, state], discount**steps)
            state = successors[state]
    fr = first_occupancy.solve(jnp.eye(size)[successors], discount=discount)
    np.testing.assert_allclose(fr, expected, rtol=1e-12)


def test_a_stack_of_chains_is_solved_chain_by_chain():
    stack = jnp.asarray(np.random.default_rng(1).dirichlet(np.ones(4), size=(3, 4)))
    each = [fr_by_linear_solves(chain, 0.9) for chain in stack]
    np.testing.assert_allclose(first_occupancy.solve(stack, discount=0.9), each, rtol=1e-12)


def test_vmap_and_jit_leave_solve_and_backup_as_they_are():
    stack = jnp.asarray(np.random.default_rng(2).dirichlet(np.ones(4), size=(3, 4)))
    plain = [first_occupancy.solve(chain, discount=0.9) for chain in stack]
    solve = partial(first_occupancy.solve, discount=0.9)
    np.testing.assert_allclose(jax.vmap(solve)(stack), plain, rtol=1e-14)
    np.testing.assert_allclose(jax.jit(solve)(stack[0]), plain[0], rtol=1e-14)

    frs = jnp.asarray(np.random.default_rng(3).random((3, 4, 4)))
    plain = [
        first_occupancy.backup(fr, chain, discount=0.9)
        for fr, chain in zip(frs, stack, strict=True)
    ]
    backup = partial(first_occupancy.backup, discount=0.9)
    np.testing.assert_allclose(jax.vmap(backup)(frs, stack), plain, rtol=1e-14)
    np.testing.assert_allclose(jax.jit(backup)(frs[0], stack[0]), plain[0], rtol=1e-14)


def test_solve_can_be_differentiated():
    chain = jnp.asarray(np.random.default_rng(0).dirichlet(np.ones(4), size=4))

    def sooner(discount):
        return first_occupancy.solve(chain, discount=discount)[0, 3]

    slope = (sooner(0.8 + 1e-6) - sooner(0.8 - 1e-6)) / 2e-6
    np.testing.assert_allclose(jax.grad(sooner)(0.8), slope, rtol=1e-6)


def test_backup_takes_stacks_as_solve_does():
    chains = jnp.asarray(np.random.default_rng(1).dirichlet(np.ones(3), size=(5, 3)))
    frs = first_occupancy.solve(chains, discount=0.9)
    np.testing.assert_allclose(first_occupancy.backup(frs, chains, discount=0.9), frs, rtol=1e-12)
