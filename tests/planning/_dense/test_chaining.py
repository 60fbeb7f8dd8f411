"""Chains of FRs to one goal, against plain sweeps over all policies and subgoals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._dense.chaining import chain_to_goal, sweeps_allowed
from first_occupancy.planning._dense.folding import best_legs


def plain(frs, goal, switches):
    """Return the promise of plans with at most so many switches, by definition."""
    best = frs.max(axis=0)
    np.fill_diagonal(best, 0)
    promised = np.where(np.arange(len(best)) == goal, 1.0, best[:, goal])
    for _ in range(switches):
        promised = np.maximum(promised, (best * promised[None]).max(axis=1))
    return promised


@pytest.mark.parametrize("switches", [0, 1, None])
def test_each_sweep_allows_one_more_switch(switches):
    rng = np.random.default_rng(3)
    with jax.enable_x64(True):
        for goal in range(5):
            frs = rng.random((2, 5, 5)) ** 3
            frs[:, np.arange(5), np.arange(5)] = 1
            table = best_legs(jnp.asarray(frs))
            found = chain_to_goal(table, jnp.int32(goal), sweeps_allowed(switches, table))
            expected = plain(frs, goal, 5 if switches is None else switches)
            np.testing.assert_allclose(np.exp(found.log_promised), expected, rtol=1e-12)


def test_more_sweeps_than_states_are_never_needed():
    table = best_legs(jnp.eye(4)[None])
    assert [sweeps_allowed(each, table) for each in (None, 2, 9)] == [4, 2, 4]
