"""Rewards and starts as users give them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError, as_given, check_probabilities
from first_occupancy.core.world import World, number_in
from first_occupancy.planning.limits import MOST_REWARDS

Rewards = Any
"""What states are worth at their first visit: by state, or one number for each."""


def read_rewards(caller: str, world: World, rewards: Rewards) -> dict[int, float]:
    """Return what states are worth, by number."""
    found: dict[int, float] = {}
    for state, worth in _pairs(caller, "rewards", world, rewards):
        number, reward = number_in(world, state, caller=caller, what="a reward"), _value(worth)
        told = f"got {as_given(worth)} for {as_given(state)}"
        if reward < 0:
            raise InputError(
                f"{caller}: rewards must be at least 0, {told}; to keep away from a state, give "
                "avoid="
            )
        if not np.isfinite(reward):
            raise InputError(f"{caller}: rewards must be finite numbers, {told}")
        if number in found:
            raise InputError(
                f"{caller}: rewards must name each state once, got {as_given(state)} twice"
            )
        found[number] = reward
    some = sum(reward > 0 for reward in found.values())
    if some > MOST_REWARDS:
        raise InputError(f"{caller}: rewards must be at most {MOST_REWARDS}, got {some}")
    return found


def read_start(caller: str, world: World, start: Any) -> dict[int, float]:
    """Return the probability to begin in each state where it is above 0."""
    several = isinstance(start, Mapping) or getattr(start, "ndim", 0) == 1
    if not several:
        return {number_in(world, start, caller=caller, what="start"): 1.0}
    shares: dict[int, float] = {}
    for state, share in _pairs(caller, "start", world, start):
        number = number_in(world, state, caller=caller, what="start")
        shares[number] = shares.get(number, 0.0) + _value(share)
    if not shares:
        raise InputError(f"{caller}: start must have probabilities that sum to 1, got none")
    check_probabilities(caller, "start", np.array(list(shares.values())), ())
    total = sum(shares.values())
    return {state: share / total for state, share in shares.items() if share > 0}


def _pairs(caller: str, what: str, world: World, given: Any) -> Iterable[tuple[Any, Any]]:
    """Return states and their numbers, from a mapping or one number for each state."""
    if isinstance(given, Mapping):
        return given.items()
    try:
        numbers = np.asarray(given)
        numbers = numbers.astype(np.float64) if numbers.dtype.kind in "iuf" else np.zeros(())
    except (TypeError, ValueError, OverflowError):
        numbers = np.zeros(())
    if numbers.shape != (world.num_states,):
        raise InputError(
            f"{caller}: {what} must be a mapping from states to numbers, or an array [S] = "
            f"[{world.num_states}], got {as_given(given)}"
        )
    return [(int(state), numbers[state]) for state in np.flatnonzero(numbers != 0)]


def _value(number: Any) -> float:
    try:
        return float(number)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
