"""Sparse worlds as arrays of few successors, so that compiled walks can go through them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, PRNGKey
from first_occupancy.core.memory import check_fits
from first_occupancy.core.sparse_mdp import SparseMDP


class Successors(eqx.Module):
    """The K successors of every state and action, padded where there are fewer.

    Attributes:
        states: next states.
        cumulative: probability of this or an earlier successor; 1 from the last one on.
        rewards: expected reward of each action in each state.
    """

    states: Int[Array, "S A K"]
    cumulative: Float[Array, "S A K"]
    rewards: Float[Array, "S A"]

    def step(
        self, key: PRNGKey, state: Index, action: Index
    ) -> tuple[Int[Array, ""], Float[Array, ""]]:
        """Return a next state drawn from p(. | state, action), and the expected reward."""
        number = jax.random.uniform(key)
        # The last successor takes what rounding leaves of the sums.
        chosen = (number >= self.cumulative[state, action, :-1]).sum()
        return self.states[state, action, chosen], self.rewards[state, action]


def successors(world: SparseMDP) -> Successors:
    """Return the successors of a sparse world as padded arrays.

    Raises:
        InputError: if the arrays do not fit into memory, because some state has many successors.
    """
    size, count = world.num_states, world.num_actions
    most = max(int(np.diff(chain.indptr).max()) for chain in world.action_chains)
    check_fits("rollouts", 3 * 8 * size * count * most, instead="a world with fewer successors")
    states = np.zeros((size, count, most), np.int32)
    shares = np.zeros((size, count, most))
    for action, chain in enumerate(world.action_chains):
        rows = np.repeat(np.arange(size), np.diff(chain.indptr))
        ranks = np.arange(chain.nnz) - chain.indptr[rows]
        states[rows, action, ranks] = chain.indices
        shares[rows, action, ranks] = chain.data
    # Ranks beyond the last successor repeat it.
    last = np.stack([np.diff(chain.indptr) - 1 for chain in world.action_chains], axis=1)
    there = np.minimum(np.arange(most)[None, None], last[..., None])
    states = np.take_along_axis(states, there, axis=2)
    whole = jnp.asarray(states, jnp.result_type(int))
    return Successors(whole, *map(jnp.asarray, (shares.cumsum(axis=2), world.rewards)))
