"""Separate terminal states, where an episode can end in a state from which others continue.

It is a transition that terminates an episode, not a state. If the action "stop" in a corridor ends
the episode, every cell can be left, yet nothing follows "stop". A Markov chain has only states, so
the end and the cell in which it is observed must be two states; otherwise plans would lead through
the end. `gym.tables.read_table` does the same for tables, so exploring a world and reading its
table give the same MDP.

No second state is needed if every transition from a state stays there and pays nothing: the state
and its end are then equivalent.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Array, Bool, Int

from first_occupancy.core.errors import InputError
from first_occupancy.interop.gym.experience import Experience
from first_occupancy.interop.states import States


class StatesWithEnds(States):
    """A numbering of observations with separate terminal states, which come last.

    Args:
        observed: number in `states` of each state's observation: for all others the state itself.
    """

    def __init__(self, states: States, observed: Int[np.ndarray, " S"]) -> None:
        self._states, self._observed = states, observed
        self._ends = {int(observed[end]): int(end) for end in _own(observed)}

    @property
    def num_states(self) -> int:
        """S, including separate terminal states."""
        return len(self._observed)

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the states, if any; a terminal state is named after the observed one."""
        names = self._states.names
        known = self.num_states - len(self._ends)
        return names_with_ends(None if names is None else names[:known], self._observed)

    def __call__(self, observation: Any) -> int:
        """Return the state of an observation with which the episode did not terminate."""
        return self._checked(self._states(observation))

    def at_end(self, observation: Any) -> int:
        """Return the state of an observation with which an episode terminated."""
        state = self._checked(self._states.at_end(observation))
        return self._ends.get(state, state)

    def observation(self, state: int) -> Any:
        """Return a representative observation of a state."""
        return self._states.observation(int(self._observed[state]))

    def _checked(self, state: int) -> int:
        known = self.num_states - len(self._ends)
        if state >= known:
            raise InputError(
                f"StatesWithEnds: needs a state known when terminal states were added, one of "
                f"{known}, got {state}; learn again"
            )
        return state


def with_ends(states: States, observed: Int[np.ndarray, " S"]) -> States:
    """Return a numbering that includes separate terminal states, if there are any."""
    return StatesWithEnds(states, observed) if len(_own(observed)) else states


def separate_ends(
    seen: Experience, *, entered: Bool[np.ndarray, " S"] | None = None
) -> tuple[Experience, Int[np.ndarray, " T"]]:
    """Return the experience with separate terminal states where other episodes continued.

    A terminating transition into a state from which others continued leads to a new state instead,
    which is never left. Experience without such transitions is returned unchanged.

    Args:
        seen: transitions between S states.
        entered: whether an episode can be in each state; None where all transitions happened.

    Returns:
        The experience, and for each of its states the original state that is observed there.
    """
    size = seen.num_states
    continues = np.zeros(size, bool)
    continues[seen.states[(seen.next_states != seen.states) | (seen.rewards != 0)]] = True
    if entered is not None:
        continues &= entered
    ends = np.unique(seen.next_states[seen.ended])
    ends = ends[continues[ends]]
    observed = np.append(np.arange(size), ends)
    if not len(ends):
        return seen, observed
    own = np.arange(size)
    own[ends] = size + np.arange(len(ends))
    next_states = np.where(seen.ended, own[seen.next_states], seen.next_states)
    return replace(seen, next_states=next_states, num_states=len(observed)), observed


def names_with_ends(
    names: Sequence[str] | None, observed: Int[np.ndarray, " S"]
) -> Sequence[str] | None:
    """Return names, followed by those of separate terminal states: that observed, and ", ended".

    Without one name for each other state, `names` itself is returned.
    """
    own = _own(observed)
    if names is None or not len(own) or len(names) != own[0]:
        return names
    return [*names, *(f"{names[state]}, ended" for state in observed[own])]


def policies_with_ends(
    policies: Sequence[Any] | None, observed: Int[np.ndarray, " S"]
) -> Sequence[Any] | None:
    """Return base policies whose arrays have a row for each separate terminal state.

    The row is that of the observed state. It does not matter, since nothing follows an end.
    Functions, models and arrays with a row for each state are returned unchanged.
    """
    own = _own(observed)
    if policies is None or not len(own):
        return policies
    return [
        policy[observed]
        if isinstance(policy, Array | np.ndarray) and policy.shape[:1] == (own[0],)
        else policy
        for policy in policies
    ]


def _own(observed: Int[np.ndarray, " S"]) -> Int[np.ndarray, " E"]:
    """Return the separate terminal states, which come last."""
    return np.flatnonzero(observed != np.arange(len(observed)))
