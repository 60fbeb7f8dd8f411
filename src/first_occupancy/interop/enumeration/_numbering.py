"""Numbers for states in the order in which they are found, many at a time."""

from typing import Any

import numpy as np
from jaxtyping import Int, UInt32, UInt64


class HashCollision(Exception):  # noqa: N818 (nothing that users cause)
    """Two different states have the same hash; another salt will tell them apart."""


class Numbering:
    """The states found so far: hashes to find them by, and words to compare them exactly."""

    def __init__(self) -> None:
        self._hashes = np.zeros(0, np.uint64)
        self._numbers = np.zeros(0, np.int64)
        self._words: Growing | None = None

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._hashes)

    @property
    def words(self) -> UInt32[np.ndarray, "S W"]:
        """The words of every state."""
        return np.zeros((0, 0), np.uint32) if self._words is None else self._words.rows

    def add(
        self, hashes: UInt64[np.ndarray, " R"], words: UInt32[np.ndarray, "R W"]
    ) -> tuple[Int[np.ndarray, " R"], Int[np.ndarray, " K"]]:
        """Return the number of the state of each row, and the rows of those that are new.

        Raises:
            HashCollision: if two different states have the same hash.
        """
        if self._words is None:
            self._words = Growing(words[:0])
        distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        _check_same(words, words[first][inverse])
        numbers, places = self._look_up(distinct)
        known = numbers >= 0
        _check_same(words[first[known]], self._words.rows[numbers[known]])
        new = np.flatnonzero(~known)
        new = new[np.argsort(first[new], kind="stable")]
        numbers[new] = len(self) + np.arange(len(new))
        self._words.extend(words[first[new]])
        fresh = np.sort(new)
        self._numbers = np.insert(self._numbers, places[fresh], numbers[fresh])
        self._hashes = np.insert(self._hashes, places[fresh], distinct[fresh])
        return numbers[inverse], first[new]

    def look_up(
        self, hashes: UInt64[np.ndarray, " R"], words: UInt32[np.ndarray, "R W"]
    ) -> Int[np.ndarray, " R"]:
        """Return the number of the state of each row; -1 for unknown ones."""
        numbers, _ = self._look_up(hashes)
        same = (self.words[numbers] == words).all(axis=1)
        return np.where((numbers >= 0) & same, numbers, -1)

    def _look_up(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        places = np.searchsorted(self._hashes, hashes)
        if not len(self):
            return np.full(len(hashes), -1), places
        near = np.minimum(places, len(self) - 1)
        return np.where(self._hashes[near] == hashes, self._numbers[near], -1), places


class Growing:
    """An array to which rows are appended, in amortised constant time per row."""

    def __init__(self, rows: np.ndarray) -> None:
        self._all, self._size = np.array(rows), len(rows)

    @property
    def rows(self) -> Any:
        """All rows so far."""
        return self._all[: self._size]

    def extend(self, rows: np.ndarray) -> None:
        """Append rows."""
        size = self._size + len(rows)
        if size > len(self._all):
            grown = np.empty((max(size, 2 * len(self._all)), *self._all.shape[1:]), self._all.dtype)
            grown[: self._size] = self.rows
            self._all = grown
        self._all[self._size : size] = rows
        self._size = size


def _check_same(rows: np.ndarray, others: np.ndarray) -> None:
    if not np.array_equal(rows, others):
        raise HashCollision
