"""Is the key enough, and are copies faithful? Merged states and replayed paths give the answer."""

from functools import partial
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._copy_search import Expander, Found
from first_occupancy.interop.enumeration.enumerated_worlds import differ

PATHS, WALKS, WALK_STEPS = 20, 10, 50
"""Numbers of paths and of random walks that are replayed, and the length of these walks."""


def check_others(expander: Expander, found: Found) -> None:
    """Raise if two states with the same key were seen to have different futures."""
    keys = found.keys
    for number, other in found.others:
        for action in range(expander.num_actions):
            ours, theirs = (
                expander.watching(partial(expander.tried, number, saved, action))[1]
                for saved in (found.saved[number], other)
            )
            if differ(ours, theirs):
                raise InputError(_not_enough(expander, keys[number], action))


def check_paths(expander: Expander, found: Found, seeds: list[int]) -> None:
    """Raise unless the environment itself goes where the world says it does.

    The longest path, others to random states, and random walks are replayed from resets. Steps
    that were seen to be stochastic are not compared.
    """
    ahead = _certain(found)
    rng = np.random.default_rng(0)
    begins = dict(zip(found.starts[::-1], seeds[::-1], strict=True))
    size = len(found.saved)
    for state in [size - 1, *rng.integers(size, size=PATHS).tolist()]:
        start, actions = found.path(state)
        _replay(expander, found, ahead, start, begins[start], actions)
    for _ in range(WALKS):
        start = int(rng.choice(found.starts))
        actions = rng.integers(expander.num_actions, size=WALK_STEPS).tolist()
        _replay(expander, found, ahead, start, begins[start], actions)


def _certain(found: Found) -> dict[tuple[int, int], int]:
    """Return the next state of each state and action that has only one."""
    ahead: dict[tuple[int, int], int] = {}
    several = set()
    for state, action, following, _ in found.edges:
        if ahead.setdefault((state, action), following) != following:
            several.add((state, action))
    return {pair: following for pair, following in ahead.items() if pair not in several}


def _replay(
    expander: Expander,
    found: Found,
    ahead: dict[tuple[int, int], int],
    state: int,
    seed: int,
    actions: list[int],
) -> None:
    copies = expander.copies
    copies.reset(seed)
    for action in actions:
        _, ended = copies.step(expander.first + action)
        promised = ahead.get((state, action))
        met = found.numbers.get((expander.key_now(), ended), -1)
        if promised is None:  # stochastic
            if met < 0:
                return
        elif met != promised:
            raise InputError(_unfaithful(expander, found.keys[state], action))
        state = met
        if ended:
            return


def _not_enough(expander: Expander, key: Any, action: int) -> str:
    return (
        "enumerate_copies: key must tell apart states with different futures, but action "
        f"{action + expander.first} leads two states with the key {_short(key)} to different "
        "outcomes; add to key= what matters"
    )


def _unfaithful(expander: Expander, key: Any, action: int) -> str:
    if expander.key is not None:
        return _not_enough(expander, key, action)
    return (
        "enumerate_copies: a restored state must behave like the saved one, but in the environment "
        f"itself action {action + expander.first} leads from the state with the key {_short(key)} "
        "elsewhere; part of the state is not copied, or not observed: pass key=, or Copies of your "
        "own"
    )


def _short(key: Any) -> str:
    text = repr(key)
    return text if len(text) <= 80 else f"{text[:77]}..."
