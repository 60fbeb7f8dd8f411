"""The protocol of worlds: what planning needs to know about a world.

Mazes, MDPs, skills and worlds counted from logs implement it. A world of your own needs these
methods and a number of states; it need not inherit from anything here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.errors import InputError, NoStateError, as_given, check_index
from first_occupancy.core.names import checked_names, look_up

Policies = Any
"""Base policies: None for the world's own (in most worlds one per action), the action that each
takes in each state [N S], or the probabilities of actions [N S A]."""


@runtime_checkable
class World(Protocol):
    """A world to plan in: numbered states, and the transitions of policies between them.

    Where moves take time, `policy_chains` takes `weights` [S A] too, as that of `KnownByActions`
    does.
    """

    @property
    def num_states(self) -> int:
        """S, the number of states."""

    @property
    def durations(self) -> Float[np.ndarray, "S A"] | None:
        """How long each action takes in each state; None if all take one step."""

    @property
    def entry_times(self) -> Float[np.ndarray, " S"] | None:
        """How long a move takes that ends in each state; None if that does not determine it.

        If it does, `durations` are the averages.
        """

    def state_number(self, state: Any) -> int:
        """Return the number of a state: in any form the world knows, as a number, name or cell."""

    def labels(self, policies: Policies) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the names of the states and of the policies, each None if there are none."""

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the next state of each policy from each state, or None if some are stochastic."""

    def policy_chains(self, policies: Policies) -> Float[Array, "N S S"] | Sequence[Any]:
        """Return the Markov chain of each policy, as one array or as one sparse matrix each."""


class KnownByChains:
    """The protocol for worlds of which only the Markov chains of some policies are known.

    Subclasses have `chains` [N S S], `state_names` and `policy_names`. They accept no other
    policies: `policies` must be None.
    """

    durations = None
    entry_times = None

    if TYPE_CHECKING:

        @property
        def chains(self) -> Any:
            """Transition matrices of the policies' Markov chains [N S S]."""

        @property
        def state_names(self) -> Any:
            """Names of the states, or None."""

        @property
        def policy_names(self) -> Any:
            """Names of the policies, or None."""

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.chains.shape[-1]

    def state_number(self, state: Any) -> int:
        """Return the number of a state, given by number or by name."""
        return numbered(state, self.num_states, self.state_names)

    def labels(self, policies: Policies) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the names of the states and of the policies, each None if there are none."""
        _check_own(policies)
        return self.state_names, self.policy_names

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the next state of each policy from each state, or None if some are stochastic."""
        _check_own(policies)
        return certain_steps(np.asarray(self.chains))

    def policy_chains(self, policies: Policies) -> Float[Array, "N S S"]:
        """Return the Markov chain of each policy."""
        _check_own(policies)
        return jnp.asarray(self.chains)


def numbered(state: Any, size: int, names: Sequence[str] | None) -> int:
    """Return the number of a state, after checking it."""
    if type(state) is int and 0 <= state < size:
        return state  # the checks below take far longer
    if isinstance(state, str):
        if names is None:
            raise NoStateError(f"must be a number, since states have no names, got {state!r}")
        try:
            return look_up("world", "state", checked_names("world", "names", names, size), state)
        except InputError as error:
            hint = str(error).partition(";")[2]
            hint = f";{hint}" if hint else ""
            raise NoStateError(f"must be the name of a state, got {state!r}{hint}") from None
    if isinstance(state, list) or np.ndim(state):
        raise NoStateError(f"must be one state, a number or a name, got {as_given(state)}")
    try:
        check_index("world", "state", state, size)
    except InputError as error:
        raise NoStateError(str(error).removeprefix("world: state ")) from None
    return int(np.asarray(state))


def number_in(world: World, state: Any, *, caller: str, what: str) -> int:
    """Return the number of a state of a world, with messages that name the user's argument."""
    if state is None:
        raise InputError(f"{caller}: {what} must be a state, got None")
    try:
        return int(world.state_number(state))
    except NoStateError as error:
        raise InputError(f"{caller}: {what} {error.problem}") from None


def certain_steps(rows: Float[np.ndarray, "*N S S"]) -> Int[np.ndarray, "*N S"] | None:
    """Return the next state of each row, or None if some row is stochastic."""
    if (np.count_nonzero(rows, axis=-1) == 1).all():
        return rows.argmax(axis=-1).astype(np.int32)
    return None


def _check_own(policies: Policies) -> None:
    if policies is not None:
        raise InputError("plan: policies must be None in a world that has only its own policies")
