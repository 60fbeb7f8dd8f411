"""States of their own for the ends of episodes, where episodes also go on.

It is a transition that ends an episode, not a state. A corridor whose action "stop" ends the
episode on the spot can be left from every cell, and yet nothing follows once "stop" was taken. A
Markov chain only knows states, so an end and the state that is observed there must be two states:
otherwise plans would lead on through the end. `gym.tables.read_table` does the same for tables,
so exploring a world and reading its table give the same MDP.

No second state is needed where nothing can be done or gained anyway: if every transition from a
state stays there and pays nothing, the state and its end are alike.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Array, Int

from first_occupancy.core.errors import InputError
from first_occupancy.interop.gym.experience import Experience
from first_occupancy.interop.states import States


class StatesWithEnds(States):
    """A numbering of observations in which some ends have numbers of their own, after the others.

    Args:
        states: numbering of the observations made while an episode goes on.
        observed: for each state the number that `states` gives its observation: its own, but
            for the ends, which come last.
    """

    def __init__(self, states: States, observed: Int[np.ndarray, " S"]) -> None:
        self._states, self._observed = states, observed
        self._ends = {int(observed[end]): int(end) for end in _own(observed)}

    @property
    def num_states(self) -> int:
        """S, including the ends that have states of their own."""
        return len(self._observed)

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the states, if they have names; an end is named after what is observed."""
        names = self._states.names
        known = self.num_states - len(self._ends)
        return names_with_ends(None if names is None else names[:known], self._observed)

    def __call__(self, observation: Any) -> int:
        """Return the state of an observation made while the episode goes on."""
        return self._checked(self._states(observation))

    def at_end(self, observation: Any) -> int:
        """Return the state of an observation with which an episode terminated."""
        state = self._checked(self._states.at_end(observation))
        return self._ends.get(state, state)

    def observation(self, state: int) -> Any:
        """Return an observation that stands for the state."""
        return self._states.observation(int(self._observed[state]))

    def _checked(self, state: int) -> int:
        known = self.num_states - len(self._ends)
        if state >= known:
            raise InputError(
                f"StatesWithEnds: needs a state seen before the ends were numbered, one of "
                f"{known}, got {state}; learn again"
            )
        return state


def with_ends(states: States, observed: Int[np.ndarray, " S"]) -> States:
    """Return a numbering of states and of the ends that have states of their own, if any has.

    Args:
        states: numbering of the observations made while an episode goes on.
        observed: what `separate_ends` returns: for each state the one that is observed there.

    Returns:
        `states` itself if no end has a state of its own, otherwise a `StatesWithEnds`.
    """
    return StatesWithEnds(states, observed) if len(_own(observed)) else states


def separate_ends(seen: Experience) -> tuple[Experience, Int[np.ndarray, " S"]]:
    """Return the experience with ends of their own in states where episodes also went on.

    A terminating transition into such a state leads to a new state instead, which is never
    left. Experience without such transitions comes back as it is.

    Args:
        seen: transitions between S states.

    Returns:
        The experience, and for each of its states the one of the S that was observed there.
    """
    size = seen.num_states
    continues = np.zeros(size, bool)
    continues[seen.states[(seen.next_states != seen.states) | (seen.rewards != 0)]] = True
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
    """Return the names of all states, including the ends that have states of their own.

    Args:
        names: names of the other states, if they have names.
        observed: for each state the one that is observed there.

    Returns:
        The names, followed by one for each end: that of the observed state, and ", ended". Names
        that are not one for each other state come back as they are.
    """
    own = _own(observed)
    if names is None or not len(own) or len(names) != own[0]:
        return names
    return [*names, *(f"{names[state]}, ended" for state in observed[own])]


def policies_with_ends(
    policies: Sequence[Any] | None, observed: Int[np.ndarray, " S"]
) -> Sequence[Any] | None:
    """Return base policies whose arrays have a row for each end that has a state of its own.

    Nothing follows an end, so what a policy does there is of no consequence: it does what it
    does in the state that is observed there.

    Args:
        policies: base policies, of which arrays may have a row for each state but those ends.
        observed: for each state the one that is observed there.

    Returns:
        The policies; whatever is not an array of that many rows as it is.
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
    """Return the ends that have states of their own, which come last."""
    return np.flatnonzero(observed != np.arange(len(observed)))
