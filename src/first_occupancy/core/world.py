"""What planning needs to know of a world, so that any world can be planned in.

Mazes, MDPs, skills and worlds counted from logs fulfil the protocol. A world of your own needs
these methods, a number of states, and nothing of ours.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.errors import InputError, check_index
from first_occupancy.core.names import checked_names, look_up

Policies = Any
"""Base policies as a world takes them: None for its own (in most worlds one for each action), the
action that each takes in each state [N S], or the probabilities of actions [N S A]."""


@runtime_checkable
class World(Protocol):
    """A world to plan in: numbered states, and where policies lead from them."""

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        ...

    def state_number(self, state: Any) -> int:
        """Return the number of a state, given as the world's users name it.

        Args:
            state: a number, a name, a cell.
        """
        ...

    def labels(self, policies: Policies) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the names of the states and of the policies, or None where there are none.

        Args:
            policies: base policies.
        """
        ...

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the state that each policy leads to from each, or None if that is stochastic.

        Args:
            policies: base policies.
        """
        ...

    def policy_chains(self, policies: Policies) -> Float[Array, "N S S"]:
        """Return the Markov chain of each policy.

        Args:
            policies: base policies.
        """
        ...


class KnownByChains:
    """The protocol for worlds that are known through the chains of some policies, and no others.

    Subclasses have `chains` [N S S], `state_names` and `policy_names`.
    """

    if TYPE_CHECKING:

        @property
        def chains(self) -> Any:
            """[N S S]."""

        @property
        def state_names(self) -> Any:
            """Names, or None."""

        @property
        def policy_names(self) -> Any:
            """Names, or None."""

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.chains.shape[-1]

    def state_number(self, state: Any) -> int:
        """Return the number of a state, given by number or by name."""
        return numbered(state, self.num_states, self.state_names)

    def labels(self, policies: Policies) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the names of the states and of the policies, where there are some."""
        _check_own(policies)
        return self.state_names, self.policy_names

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the state that each policy leads to from each, or None if that is stochastic."""
        _check_own(policies)
        return certain_steps(np.asarray(self.chains))

    def policy_chains(self, policies: Policies) -> Float[Array, "N S S"]:
        """Return the Markov chain of each policy."""
        _check_own(policies)
        return jnp.asarray(self.chains)


def numbered(state: Any, size: int, names: Sequence[str] | None) -> int:
    """Return the number of a state given by number or by name, or raise."""
    if isinstance(state, str):
        return look_up("plan", "state", checked_names("plan", "state_names", names, size), state)
    if np.ndim(state):
        raise InputError(f"plan: goal must be one state, a number or a name, got {state!r}")
    check_index("plan", "goal", state, size)
    return int(np.asarray(state))


def certain_steps(rows: Float[np.ndarray, "*N S S"]) -> Int[np.ndarray, "*N S"] | None:
    """Return where each row leads for certain, or None unless every row has a single outcome."""
    if (np.count_nonzero(rows, axis=-1) == 1).all():
        return rows.argmax(axis=-1).astype(np.int32)
    return None


def _check_own(policies: Policies) -> None:
    if policies is not None:
        raise InputError(
            "plan: policies must be None in a world that is known through its own policies alone"
        )
