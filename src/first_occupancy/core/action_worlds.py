"""The `World` protocol for worlds of numbered actions, without any S x S array.

A subclass says where its actions lead, as one sparse matrix per action; what base policies do
follows from it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array, vstack

from first_occupancy.core.errors import (
    SUM_TOLERANCE,
    InputError,
    check_indices,
    check_probabilities,
    shown,
)
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

    most_named: float = np.inf
    """States up to which `labels` has names, in worlds that take time to make them."""

    def state_number(self, state: Any) -> int:
        """Return the number of a state, given by number or by name."""
        return numbered(state, self.num_states, self.state_names)

    def labels(self, policies: Policies) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the names of the states and of the policies, each None if there are none."""
        states = self.state_names if self.num_states <= self.most_named else None
        return states, self.action_names if policies is None else None

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
        return _mixed(chains, policies, self.num_states)


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


def check_sparse_rows(
    caller: str, what: str, chain: csr_array, names: Sequence[str] | None = None
) -> None:
    """Raise unless every row of a sparse matrix is a distribution, as `check_probabilities`."""
    # Comparisons with NaN are false, so NaN is caught too.
    wrong, negative = ~(np.abs(chain.sum(axis=1) - 1) <= SUM_TOLERANCE), chain.data < 0
    if negative.any():
        wrong[np.repeat(np.arange(len(wrong)), np.diff(chain.indptr))[negative]] = True
    if wrong.any():
        state = int(wrong.argmax())
        row = chain[[state]].toarray()[0]
        check_probabilities(caller, f"{what} at state {shown(state, names)}", row, ())


def are_actions(caller: str, array: Any, num_states: int, num_actions: int) -> bool:
    """Return whether an array holds actions, checked."""
    if not jnp.issubdtype(array.dtype, jnp.integer) or array.shape[-1:] != (num_states,):
        return False
    if array.shape[-2:] == (num_states, num_actions):
        raise InputError(
            f"{caller}: policies must be floats where there are as many actions as states, since "
            "whole numbers may be probabilities or actions"
        )
    check_indices(caller, "policies", array, num_actions)
    return True


def checked_policies(policies: Policies, num_states: int, num_actions: int) -> np.ndarray:
    """Return policies as actions [N S], which are whole numbers, or probabilities [N S A]."""
    array = np.asarray(policies)
    if are_actions("plan", array, num_states, num_actions):
        return np.atleast_2d(array)
    if array.shape[-2:] != (num_states, num_actions):
        raise InputError(
            f"plan: policies must be actions [N S] or probabilities [N S A] with S = {num_states} "
            f"and A = {num_actions}, got shape {list(array.shape)}"
        )
    check_probabilities("plan", "policies", array, ("state",))
    return array.reshape(-1, num_states, num_actions)


def certain_actions(
    policies: Policies, num_states: int, num_actions: int
) -> Int[np.ndarray, "N S"] | None:
    """Return the action of each policy in each state, or None if some policy is stochastic."""
    array = checked_policies(policies, num_states, num_actions)
    if array.ndim == 2:
        return array
    return array.argmax(axis=-1) if (np.count_nonzero(array, axis=-1) == 1).all() else None


def _mixed(chains: list[csr_array], policies: Policies, size: int) -> list[csr_array]:
    """Return the chains of policies that are actions [N S] or probabilities [N S A]."""
    array = checked_policies(policies, size, len(chains))
    if array.ndim == 2:
        stacked = csr_array(vstack(chains, format="csr"))
        return [stacked[each] for each in array.astype(np.int64) * size + np.arange(size)]
    return [
        sum(
            (scaled_rows(chain, policy[:, a]) for a, chain in enumerate(chains)),
            csr_array((size, size)),
        )
        for policy in array.astype(np.float64)
    ]


def _certain(chain: csr_array) -> Int[np.ndarray, " S"] | None:
    """Return where each row leads for certain, or None unless each has a single outcome."""
    there = chain.data > 0
    rows = np.repeat(np.arange(chain.shape[0]), np.diff(chain.indptr))[there]
    if len(rows) != chain.shape[0] or (np.diff(rows) != 1).any():
        return None
    return chain.indices[there].astype(np.int32)
