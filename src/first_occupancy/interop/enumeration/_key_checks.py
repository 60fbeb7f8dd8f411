"""Is the key enough? States with the same key must have the same future.

States that were merged by their key, and those that random walks meet, are stepped once more with
the random keys of the state that stands for them. If the key is enough, each sample has the same
outcome. Where it has not, because the program draws its random numbers in another order,
frequencies decide: they may differ by no more than chance explains.
"""

from collections import Counter
from functools import partial
from typing import Any

import jax
import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._jax_search import Found
from first_occupancy.interop.enumeration._jax_steps import Rows, Stepper, taken
from first_occupancy.interop.enumeration.enumerated_worlds import differ

FEW = 16
"""Samples in the first look; pairs of states that differ get as many as the world has."""

WALKS, WALK_STEPS = 16, 128
"""Number and length of the random walks, over several episodes where these are short."""

EACH, TOGETHER = 8, 2048
"""How many states from random walks are compared with each state that has their key.

Where there are few states, each is compared with more, up to this many together."""


def check_key(stepper: Stepper, found: Found) -> None:
    """Raise if two states with the same key were seen to have different futures."""
    few = stepper.with_samples(min(stepper.samples, FEW))
    numbers, others = _with_walks(few, found)
    for batch in few.batches(np.arange(len(numbers))):
        own, other = taken(found.states, numbers[batch]), taken(others, batch)
        doubtful = _differing(few, own, other, numbers[batch])
        for row, action in doubtful:
            pair = [taken(states, [row]) for states in (own, other)]
            number = numbers[batch][[row]]
            counts = [_kinds(stepper, each, number, action) for each in pair]
            if differ(*counts):
                raise InputError(_told(stepper, pair[0], pair[1], action))


def _with_walks(stepper: Stepper, found: Found) -> tuple[np.ndarray, Any]:
    """Return states that have the key of another one, with its number."""
    walked = _walked(stepper, found)
    met = found.numbering.look_up(walked.hashes, walked.words)
    known = (met >= 0) & ~walked.ended
    known[known] = walked.whole[known] != found.whole[met[known]]
    most = max(EACH, TOGETHER // len(found.ended))
    places = _a_few_each(np.flatnonzero(known), met, walked.whole, most)
    own, last = met[places], taken(walked.states, places)
    if found.alike[1] is None:
        return own, last
    return jax.tree.map(lambda *a: np.concatenate(a), found.alike, (own, last))


def _walked(stepper: Stepper, found: Found) -> Rows:
    """Return the states that random walks meet, episode after episode."""
    rng, count = np.random.default_rng(0), stepper.environment.num_actions
    walks = np.arange(min(WALKS, stepper.largest))

    def starts() -> Any:
        return taken(found.states, rng.choice(found.starts, len(walks)))

    states, met = starts(), []
    for _ in range(WALK_STEPS):
        actions, draws = rng.integers([count, 2**31], size=(len(walks), 2)).T
        rows = stepper.steps(states, draws)
        rows = taken(rows, (walks * count + actions) * stepper.samples)
        met.append(rows)
        states = jax.tree.map(partial(_where, rows.ended), starts(), rows.states)
    return jax.tree.map(lambda *parts: np.concatenate(parts), *met)


def _where(which: np.ndarray, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    return np.where(which.reshape(-1, *[1] * (old.ndim - 1)), new, old)


def _a_few_each(places: np.ndarray, met: np.ndarray, whole: np.ndarray, most: int) -> np.ndarray:
    """Return places of different states, no more than `most` with the same number."""
    places = places[np.unique(whole[places], return_index=True)[1]]  # in the order of hashes
    order = np.argsort(met[places], kind="stable")
    numbers = met[places][order]
    rank = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
    return places[order][rank < most]


def _differing(
    stepper: Stepper, own: Any, other: Any, numbers: np.ndarray
) -> list[tuple[int, int]]:
    """Return the pairs of states, and the actions, some of whose samples differ."""
    ours, theirs = stepper.steps(own, numbers), stepper.steps(other, numbers)
    same = (ours.hashes == theirs.hashes) & np.isclose(ours.rewards, theirs.rewards)
    differs = ~same.reshape(len(numbers), -1, stepper.samples).all(axis=2)
    return [(int(row), int(action)) for row, action in np.argwhere(differs)]


def _kinds(stepper: Stepper, states: Any, number: np.ndarray, action: int) -> Counter[Any]:
    """Return how often an action had each outcome, told by the next state and the reward."""
    rows = stepper.steps(states, number)
    where = slice(action * stepper.samples, (action + 1) * stepper.samples)
    return Counter(zip(rows.hashes[where].tolist(), rows.rewards[where].tolist(), strict=True))


def _told(stepper: Stepper, own: Any, other: Any, action: int) -> str:
    names = stepper.environment.action_names
    what = f"action {action}" if names is None else f"action {names[action]!r}"
    first = jax.tree_util.tree_leaves_with_path(own)
    second = jax.tree.leaves(other)
    paths = [
        f"state{jax.tree_util.keystr(path)}"
        for (path, a), b in zip(first, second, strict=True)
        if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    ]
    key = stepper.key(taken(own, 0))
    part = jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), key)
    return (
        f"enumerate_jax: key must tell apart states with different futures, but {what} leads "
        f"two states with the key {part} to different outcomes; they differ in "
        f"{', '.join(paths)}: add to key= what matters"
    )
