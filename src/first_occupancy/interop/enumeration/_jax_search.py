"""Breadth-first search over the states of a functional environment, a batch at a time.

States are numbered in the order in which they are met, and expanded in the order of their numbers,
so the numbering is the same whatever the size of a batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool, Float, Int, UInt32, UInt64

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._jax_steps import Rows, Stepper
from first_occupancy.interop.enumeration._numbering import Growing, Numbering

OTHERS = 2
"""How many further states with the key of a state are kept, to check that the key is enough."""


@dataclass(frozen=True, eq=False)
class Found:
    """All states, and where their actions lead.

    Attributes:
        states: first state that was met with each key, stacked.
        words: words of each key, and of whether the episode ended.
        ended: whether each state ends an episode.
        starts: first state of each reset.
        edges: state, action, next state and number of samples of each kind of transition.
        rewards: mean reward of each action in each state.
        alike: pairs of a number of a state, and other states with its key, stacked; None for none.
        whole: hash of each state.
        numbering: hashes and words of the states.
    """

    states: Any
    words: UInt32[np.ndarray, "S W"]
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
        self._leaves: list[Growing] = []
        self._ended, self._whole = Growing(np.zeros(0, bool)), Growing(np.zeros(0, np.uint64))
        self._edges: list[np.ndarray] = []
        self._rewards: list[tuple[np.ndarray, np.ndarray]] = []
        self._num_others = Growing(np.zeros(0, np.int64))
        self._other_hash = Growing(np.zeros(0, np.uint64))
        self._others: list[tuple[np.ndarray, Any]] = []

    def run(self, num_resets: int) -> Found:
        """Return all states that can be reached, and where their actions lead."""
        first = self._stepper.starts(num_resets)
        self._structure = jax.tree.structure(first.states)
        self._leaves = [Growing(leaf[:0]) for leaf in jax.tree.leaves(first.states)]
        starts, waiting = self._add(first)
        # In the order of their numbers, so batches need not end where a distance does.
        while len(waiting):
            self._report(len(self._numbering), len(waiting))
            batch = next(self._stepper.batches(waiting))
            waiting = np.concatenate([waiting[len(batch) :], self._expand(batch)])
        self._report(len(self._numbering), 0)
        return self._found(starts)

    def states(self, numbers: Int[np.ndarray, " B"]) -> Any:
        """Return states by number, stacked."""
        return jax.tree.unflatten(self._structure, [leaf.rows[numbers] for leaf in self._leaves])

    def _expand(self, numbers: Int[np.ndarray, " B"]) -> Int[np.ndarray, " K"]:
        """Step from states, and return the new ones that were met and can be left."""
        rows = self._stepper.steps(self.states(numbers), numbers)
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
        for leaf, found in zip(self._leaves, jax.tree.leaves(rows.states), strict=True):
            leaf.extend(found[new])
        self._ended.extend(rows.ended[new])
        self._whole.extend(rows.whole[new])
        self._num_others.extend(np.zeros(len(new), np.int64))
        self._other_hash.extend(rows.whole[new])
        if len(self._numbering) > self._limit:
            raise InputError(self._too_many())
        self._keep_others(rows, numbers)
        fresh = before + np.flatnonzero(~rows.ended[new])
        return numbers, fresh

    def _keep_others(self, rows: Rows, numbers: Int[np.ndarray, " R"]) -> None:
        """Keep states that have the key of another but differ from it, a few for each."""
        differs = (rows.whole != self._whole.rows[numbers]) & ~rows.ended
        differs &= rows.whole != self._other_hash.rows[numbers]
        differs &= self._num_others.rows[numbers] < OTHERS
        places = np.flatnonzero(differs)
        kept, first = np.unique(numbers[places], return_index=True)
        if len(kept):
            chosen = places[first]
            self._num_others.rows[kept] += 1
            self._other_hash.rows[kept] = rows.whole[chosen]
            self._others.append((kept, jax.tree.map(lambda leaf: leaf[chosen], rows.states)))

    def _found(self, starts: Int[np.ndarray, " E"]) -> Found:
        rewards = np.zeros((len(self._numbering), self._stepper.environment.num_actions))
        for numbers, mean in self._rewards:
            rewards[numbers] = mean
        pairs = [numbers for numbers, _ in self._others] or [np.zeros(0, np.int64)]
        others = [states for _, states in self._others]
        stacked = jax.tree.map(lambda *leaves: np.concatenate(leaves), *others) if others else None
        return Found(
            states=self.states(np.arange(len(self._numbering))),
            words=self._numbering.words,
            ended=self._ended.rows,
            starts=starts,
            edges=np.concatenate(self._edges or [np.zeros((4, 0), np.int64)], axis=1),
            rewards=rewards,
            alike=(np.concatenate(pairs), stacked),
            whole=self._whole.rows,
            numbering=self._numbering,
        )

    def _too_many(self) -> str:
        states = self.states(np.arange(len(self._numbering)))
        part = jax.vmap(self._stepper.key)(states)
        sizes = {
            jax.tree_util.keystr(path): len(
                np.unique(np.asarray(leaf).reshape(len(leaf), -1), axis=0)
            )
            for path, leaf in jax.tree_util.tree_leaves_with_path(part)
        }
        most = max(sizes, key=sizes.__getitem__)
        return (
            f"{self._stepper.caller}: the world must have at most limit={self._limit} states, but "
            f"{len(self._numbering)} were found and more are to come; state{most} alone takes "
            f"{sizes[most]} values: leave it out with key=, or raise limit"
        )
