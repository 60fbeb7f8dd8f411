"""Breadth-first search over the states of a functional environment, a batch at a time.

States are numbered in the order in which they are met, and expanded in the order of their numbers,
so the numbering is the same whatever the size of a batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool, Float, Int, UInt64

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._jax_steps import Rows, Stepper, taken
from first_occupancy.interop.enumeration._numbering import Growing, Numbering

OTHERS = 2
"""How many further states with the key of a state are kept, to check that the key is enough."""


@dataclass(frozen=True, eq=False)
class Found:
    """All states, and where their actions lead.

    Attributes:
        states: first state that was met with each key, stacked.
        ended: whether each state ends an episode.
        starts: first state of each reset.
        edges: state, action, next state and number of samples of each kind of transition.
        rewards: mean reward of each action in each state.
        alike: pairs of a number of a state, and other states with its key, stacked; None for none.
        whole: hash of each state.
        numbering: hashes and words of the states' keys, and of whether the episode ended.
    """

    states: Any
    ended: Bool[np.ndarray, " S"]
    starts: Int[np.ndarray, " E"]
    edges: Int[np.ndarray, "4 K"]
    rewards: Float[np.ndarray, "S A"]
    alike: tuple[Int[np.ndarray, " D"], Any]
    whole: UInt64[np.ndarray, " S"]
    numbering: Numbering


class Search:
    """A search in progress."""

    def __init__(self, stepper: Stepper, *, limit: int, report: Callable[[int, int], None]) -> None:
        self._stepper, self._limit, self._report = stepper, limit, report
        self._numbering = Numbering()
        self._met = Growing(None)
        """Of each state: itself, whether it ends an episode, the hash of all of it, the number of
        others that were kept with its key, and the hash of the last of them."""
        self._edges = [np.zeros((4, 0), np.int64)]
        self._rewards: list[tuple[np.ndarray, np.ndarray]] = []
        self._others: list[tuple[np.ndarray, Any]] = []

    def run(self, num_resets: int) -> Found:
        """Return all states that can be reached, and where their actions lead."""
        starts, waiting = self._add(self._stepper.starts(num_resets))
        # In the order of their numbers, so batches need not end where a distance does.
        while len(waiting):
            self._report(len(self._numbering), len(waiting))
            batch = next(self._stepper.batches(waiting))
            waiting = np.concatenate([waiting[len(batch) :], self._expand(batch)])
        self._report(len(self._numbering), 0)
        states, ended, whole, *_ = self._met.rows
        rewards = np.zeros((len(ended), self._stepper.environment.num_actions))
        for numbers, mean in self._rewards:
            rewards[numbers] = mean
        alike: Any = (np.zeros(0, np.int64), None)
        if self._others:
            alike = jax.tree.map(lambda *leaves: np.concatenate(leaves), *self._others)
        edges = np.concatenate(self._edges, axis=1)
        return Found(states, ended, starts, edges, rewards, alike, whole, self._numbering)

    def _expand(self, numbers: Int[np.ndarray, " B"]) -> Int[np.ndarray, " K"]:
        """Step from states, and return the new ones that were met and can be left."""
        rows = self._stepper.steps(taken(self._met.rows[0], numbers), numbers)
        following, fresh = self._add(rows)
        actions, samples = self._stepper.environment.num_actions, self._stepper.samples
        pairs = np.repeat(np.arange(len(numbers) * actions), samples)
        size = len(self._numbering)
        kinds, counts = np.unique(pairs * size + following, return_counts=True)
        pair, ahead = kinds // size, kinds % size
        self._edges.append(np.stack([numbers[pair // actions], pair % actions, ahead, counts]))
        mean = rows.rewards.reshape(len(numbers), actions, samples).mean(axis=-1)
        self._rewards.append((numbers, mean))
        return fresh

    def _add(self, rows: Rows) -> tuple[Int[np.ndarray, " R"], Int[np.ndarray, " K"]]:
        """Return the number of each row, and the new states that can be left."""
        before = len(self._numbering)
        numbers, new = self._numbering.add(rows.hashes, rows.words)
        whole = rows.whole[new]
        self._met.extend(
            (taken(rows.states, new), rows.ended[new], whole, np.zeros(len(new), int), whole)
        )
        if len(self._numbering) > self._limit:
            raise InputError(self._too_many())
        self._keep_others(rows, numbers)
        return numbers, before + np.flatnonzero(~rows.ended[new])

    def _keep_others(self, rows: Rows, numbers: Int[np.ndarray, " R"]) -> None:
        """Keep states that have the key of another but differ from it, a few for each."""
        *_, whole, count, last = self._met.rows
        differs = (rows.whole != whole[numbers]) & (rows.whole != last[numbers]) & ~rows.ended
        places = np.flatnonzero(differs & (count[numbers] < OTHERS))
        kept, first = np.unique(numbers[places], return_index=True)
        if len(kept):
            chosen = places[first]
            count[kept] += 1  # views of what has grown so far
            last[kept] = rows.whole[chosen]
            self._others.append((kept, taken(rows.states, chosen)))

    def _too_many(self) -> str:
        part = jax.vmap(self._stepper.key)(self._met.rows[0])
        sizes = {
            jax.tree_util.keystr(path): len(
                np.unique(np.asarray(leaf).reshape(len(leaf), -1), axis=0)
            )
            for path, leaf in jax.tree_util.tree_leaves_with_path(part)
        }
        most = max(sizes, key=sizes.__getitem__)
        return (
            f"enumerate_jax: the world must have at most limit={self._limit} states, but "
            f"{len(self._numbering)} were found and more are to come; state{most} alone takes "
            f"{sizes[most]} values: leave it out with key=, or raise limit"
        )
