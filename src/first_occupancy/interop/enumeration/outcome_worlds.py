"""Worlds whose outcomes are known: exact probabilities in place of samples.

    class Shop:                          # or pass outcomes= with an environment of Gymnasium
        start, num_actions = 0, 2

        def outcomes(self, stock, order):
            return [(0.7, min(stock + order, 9)), (0.3, max(stock + order - 1, 0))]

    world = fo.from_environment(Shop())

Each outcome is (probability, next state), and may go on with the reward and whether it ends the
episode. States are numbers, text, tuples or arrays; equal ones are one state.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.errors import SUM_TOLERANCE, InputError, as_given
from first_occupancy.interop.enumeration.enumerated_worlds import (
    EnumeratedWorld,
    assembled,
    names_of,
)
from first_occupancy.interop.states import whole_key

Outcomes = Callable[[Any, int], Any]
"""From a state and an action, counted from 0, to its outcomes."""


@dataclass(frozen=True, eq=False, repr=False)
class OutcomeWorld(EnumeratedWorld):
    """An exact world of outcomes that a user gave, and the states behind its numbers.

    Attributes:
        states: the states, as `outcomes` gave them.
        numbers: number of each pair of a state's key and whether it ends an episode.
    """

    states: Sequence[Any]
    numbers: dict[tuple[Hashable, bool], int]

    def _found(self, state: Any, seen: Any = None, *, ended: Any = False) -> int:
        return self.numbers.get((whole_key(state), bool(ended)), -1)

    def _holds(self, condition: Callable[[Any], Any]) -> list[bool]:
        return [bool(condition(state)) for state in self.states]

    @property
    def positions(self) -> Float[np.ndarray, "S 2"] | None:
        """The states themselves, where all are pairs of numbers; None otherwise."""
        try:
            places = np.asarray(list(self.states))
        except ValueError:  # of several lengths
            return None
        fits = places.shape == (self.num_states, 2) and places.dtype.kind in "iuf"
        return places.astype(float) if fits else None


def world_of_outcomes(
    outcomes: Outcomes,
    starts: Sequence[Any],
    num_actions: int,
    *,
    limit: int,
    names: Callable[[Any], str] | None,
) -> OutcomeWorld:
    """Return the exact world of known outcomes, of all states that can be reached.

    Args:
        outcomes: function from a state and an action to the outcomes.
        starts: first states of episodes, all equally likely.
        limit: upper bound on the number of states.
        names: function from a state to its name; None for no names.
    """
    numbers: dict[tuple[Hashable, bool], int] = {}
    states: list[Any] = []

    def add(state: Any, end: bool) -> int:
        try:
            number = numbers.setdefault((whole_key(state), end), len(states))
        except TypeError:
            raise InputError(
                "from_environment: states must be numbers, text, tuples or arrays, got "
                f"{as_given(state)}"
            ) from None
        if number == len(states):
            if number == limit:
                raise InputError(f"from_environment: there must be at most {limit:,} states")
            states.append(state)
        return number

    begins = [add(state, False) for state in starts]
    edges: list[tuple[int, int, int, float]] = []
    paid: list[list[float]] = []
    for here, state in enumerate(states):  # which grows
        paid.append([0.0] * num_actions)
        ended = numbers.get((whole_key(state), True)) == here
        for action in range(0 if ended else num_actions):
            given = outcomes(state, action)
            for share, ahead, reward, end in checked_outcomes(
                "from_environment", given, state, action
            ):
                edges.append((here, action, add(ahead, end), share))
                paid[here][action] += share * reward
    ends = np.array([end for _, end in numbers])
    mdp = assembled(
        np.array(edges).reshape(-1, 4).T,
        np.array(paid),
        ends,
        np.array(begins),
        samples=1,
        state_names=None if names is None else names_of(map(names, states), ends),
    )
    return OutcomeWorld(mdp, ends, 1, states, numbers)


def checked_outcomes(
    caller: str, found: Any, state: Any, action: int
) -> list[tuple[float, Any, float, bool]]:
    """Return outcomes with rewards and ends, those without probability left out."""
    where = f"of action {action} in state {as_given(state)}"
    full, usual = [], (0.0, False)
    try:
        for each in found:
            share, ahead, *more = each
            reward, end = (*more, *usual[len(more) :])
            full.append((float(share), ahead, float(reward), bool(end)))
    except (TypeError, ValueError):
        raise InputError(
            f"{caller}: outcomes {where} must be a list of (probability, state), perhaps "
            f"with reward and end, got {as_given(found)}"
        ) from None
    shares = np.array([each[0] for each in full])
    if not (shares >= 0).all() or not abs(shares.sum() - 1) <= SUM_TOLERANCE:
        raise InputError(
            f"{caller}: probabilities {where} must be at least 0 and sum to 1, got a sum "
            f"of {shares.sum():.6g}"
        )
    return [each for each in full if each[0]]
