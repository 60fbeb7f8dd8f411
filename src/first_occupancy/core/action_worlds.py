"""The `World` protocol for worlds of numbered actions, without any S x S array.

A subclass says where its actions lead, as one sparse matrix per action; what base policies do
follows from it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array, vstack

from first_occupancy.core.errors import InputError, check_indices, check_probabilities
from first_occupancy.core.world import Policies, numbered


class KnownByActions:
    """The protocol for worlds that are known through their actions.

    Subclasses have `num_states`, `action_chains`, `durations`, `state_names` and `action_names`.
    """

    if TYPE_CHECKING:

        @property
        def num_states(self) -> int:
            """S, the number of states."""
            ...

        @property
        def action_chains(self) -> Sequence[csr_array]:
            """Where each action leads: one [S S] matrix of probabilities per action."""
            ...

        @property
        def durations(self) -> Float[np.ndarray, "S A"] | None:
            """How long each action takes in each state; None if all take one step."""
            ...

        @property
        def entry_times(self) -> Float[np.ndarray, " S"] | None:
            """How long a move takes that ends in each state; None if that does not determine it."""
            ...

        @property
        def state_names(self) -> Any:
            """Names, or None."""

        @property
        def action_names(self) -> Any:
            """Names, or None."""
    else:
        entry_times = None

    def state_number(self, state: Any) -> int:
        """Return the number of a state, given by number or by name."""
        return numbered(state, self.num_states, self.state_names)

    def labels(self, policies: Policies) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the names of the states and of the policies, where there are some."""
        return self.state_names, self.action_names if policies is None else None

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the state that each policy leads to from each, or None if that is stochastic."""
        found = [_certain(chain) for chain in self.policy_chains(policies)]
        certain = [steps for steps in found if steps is not None]
        return np.stack(certain) if len(certain) == len(found) else None

    def policy_chains(
        self, policies: Policies, *, weights: Float[np.ndarray, "S A"] | None = None
    ) -> list[csr_array]:
        """Return the Markov chain of each policy, sparse.

        Args:
            weights: factor for each action in each state, for example `discount ** durations`;
                None for 1.
        """
        chains = list(self.action_chains)
        if weights is not None:
            chains = [scaled_rows(chain, weights[:, a]) for a, chain in enumerate(chains)]
        if policies is None:
            return chains
        return _mixed(chains, np.asarray(policies), self.num_states)


def policy_means(policies: Policies, values: Float[np.ndarray, "S A"]) -> Float[np.ndarray, "N S"]:
    """Return the expected value, in each state, of the action that each policy takes there."""
    if policies is None:
        return values.T
    given, (size, count) = np.asarray(policies), values.shape
    if given.dtype.kind in "iu" and given.shape[-1:] == (size,):
        return values[np.arange(size), np.atleast_2d(given)]
    shares = given.reshape(-1, size, count).astype(np.float64)
    return (shares * values).sum(axis=2) / shares.sum(axis=2)


def scaled_rows(chain: csr_array, factors: Float[np.ndarray, " S"]) -> csr_array:
    """Return the matrix with each row multiplied by a number."""
    data = chain.data * np.repeat(factors, np.diff(chain.indptr))
    return csr_array((data, chain.indices, chain.indptr), shape=chain.shape)


def scaled_columns(chain: csr_array, factors: Float[np.ndarray, " S"]) -> csr_array:
    """Return the matrix with each column multiplied by a number."""
    data = chain.data * factors[chain.indices]
    return csr_array((data, chain.indices, chain.indptr), shape=chain.shape)


def _mixed(chains: list[csr_array], policies: np.ndarray, size: int) -> list[csr_array]:
    """Return the chains of policies that are actions [N S] or probabilities [N S A]."""
    count = len(chains)
    if policies.dtype.kind in "iu" and policies.shape[-1:] == (size,):
        check_indices("plan", "policies", policies, count)
        stacked = csr_array(vstack(chains, format="csr"))
        rows = np.atleast_2d(policies).astype(np.int64) * size + np.arange(size)[None]
        return [stacked[each] for each in rows]
    if policies.shape[-2:] != (size, count):
        raise InputError(
            f"plan: policies must be actions [N S] or probabilities [N S A] with S = {size} and "
            f"A = {count}, got shape {list(policies.shape)}"
        )
    check_probabilities("plan", "policies", policies, ("state",))
    each_policy = policies.reshape(-1, size, count).astype(np.float64)
    return [
        sum(
            (scaled_rows(chain, policy[:, a]) for a, chain in enumerate(chains)),
            csr_array((size, size)),
        )
        for policy in each_policy
    ]


def _certain(chain: csr_array) -> Int[np.ndarray, " S"] | None:
    """Return where each row leads for certain, or None unless each has a single outcome."""
    there = chain.data > 0
    rows = np.repeat(np.arange(chain.shape[0]), np.diff(chain.indptr))[there]
    if len(rows) != chain.shape[0] or (np.diff(rows) != 1).any():
        return None
    return chain.indices[there].astype(np.int32)
