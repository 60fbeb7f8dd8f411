"""Numbers go to states in the order in which they are found, as a dictionary gives them."""

import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.interop.enumeration._numbering import Growing, Numbering


def hashed(words):
    return (words[:, 0].astype(np.uint64) * np.uint64(2654435761)) % np.uint64(2**40)


def test_numbers_are_those_of_a_dictionary():
    rng = np.random.default_rng(0)
    numbering, plain = Numbering(), {}
    for _ in range(20):
        words = rng.integers(200, size=(30, 1)).astype(np.uint32)
        before = len(plain)
        expected = [plain.setdefault(int(word), len(plain)) for word in words[:, 0]]
        numbers, new = numbering.add(hashed(words), words)
        assert numbers.tolist() == expected
        assert [plain[int(word)] for word in words[new, 0]] == list(range(before, len(plain)))
    assert numbering.words[:, 0].tolist() == list(plain)
    some = np.array([[int(next(iter(plain)))], [999]], np.uint32)
    assert numbering.look_up(hashed(some), some).tolist() == [0, -1]


@pytest.mark.parametrize("known", [0, 1])
def test_different_states_with_one_hash_are_noticed(known):
    words, hashes = np.array([[1], [2]], np.uint32), np.array([7, 7], np.uint64)
    numbering = Numbering()
    numbering.add(hashes[:known], words[:known])
    with pytest.raises(InputError, match="pass another seed"):
        numbering.add(hashes[known:], words[known:])


def test_rows_are_appended():
    growing = Growing(None)
    for count in (3, 0, 5, 40):
        growing.extend({"pairs": np.full((count, 2), count), "numbers": np.full(count, count)})
    assert growing.rows["pairs"].shape == (48, 2)
    assert growing.rows["numbers"].tolist() == [3] * 3 + [5] * 5 + [40] * 40
