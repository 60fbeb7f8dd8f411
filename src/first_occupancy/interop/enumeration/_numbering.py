"""Numbers for states in the order in which they are found, many at a time."""

from typing import Any

import jax
import numpy as np
from jaxtyping import Int, UInt32, UInt64

from first_occupancy.core.errors import InputError


class Numbering:
    """The states found so far: hashes to find them by, and words to compare them exactly."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._words = Growing(None)

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._numbers)

    @property
    def words(self) -> UInt32[np.ndarray, "S W"]:
        """The words of every state."""
        return self._words.rows

    def add(
        self, hashes: UInt64[np.ndarray, " R"], words: UInt32[np.ndarray, "R W"]
    ) -> tuple[Int[np.ndarray, " R"], Int[np.ndarray, " K"]]:
        """Return the number of the state of each row, and the rows of those that are new."""
        before = len(self)
        distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        met = [self._numbers.setdefault(each, len(self)) for each in distinct[order].tolist()]
        numbers = np.empty(len(distinct), np.int64)
        numbers[order] = met
        new = first[order][numbers[order] >= before]
        self._words.extend(words[new])
        numbers = numbers[inverse]
        if not np.array_equal(self.words[numbers], words):
            raise InputError(
                "enumerate_jax: two states have the same hash by chance; pass another seed"
            )
        return numbers, new

    def look_up(
        self, hashes: UInt64[np.ndarray, " R"], words: UInt32[np.ndarray, "R W"]
    ) -> Int[np.ndarray, " R"]:
        """Return the number of the state of each row; -1 for unknown ones."""
        numbers = np.array([self._numbers.get(each, -1) for each in hashes.tolist()], int)
        same = (self.words[numbers] == words).all(axis=1)
        return np.where(same, numbers, -1)


class Growing:
    """A tree of arrays to which rows are appended, in amortised constant time per row."""

    def __init__(self, tree: Any) -> None:
        self._all, self._size = tree, 0

    @property
    def rows(self) -> Any:
        """All rows so far."""
        return jax.tree.map(lambda leaf: leaf[: self._size], self._all)

    def extend(self, rows: Any) -> None:
        """Append the rows of a tree of the same structure."""
        before, self._size = self._size, self._size + len(jax.tree.leaves(rows)[0])
        if self._all is None:
            self._all = jax.tree.map(lambda leaf: leaf[:0].copy(), rows)
        self._all = jax.tree.map(lambda old, new: self._longer(old, new, before), self._all, rows)

    def _longer(self, old: np.ndarray, new: np.ndarray, before: int) -> np.ndarray:
        if self._size > len(old):
            grown = np.empty((max(self._size, 2 * len(old)), *old.shape[1:]), old.dtype)
            grown[:before] = old[:before]
            old = grown
        old[before : self._size] = new
        return old
