import numpy as np
import pytest

from first_occupancy.planning._packed_rows import packed, smallest


def random_rows(seed, legs, values, *, goals=3, size=50):
    rng = np.random.default_rng(seed)
    subgoals = rng.integers(-1, 10**6, legs)
    logs = np.append(-np.inf, -rng.random(values - 1))
    chosen = rng.integers(legs, size=(goals, size))
    return (
        (chosen % 5 - 1).astype(np.int32),
        subgoals[chosen].astype(np.int32),
        logs[rng.integers(values, size=(goals, size))],
    )


@pytest.mark.parametrize(("legs", "values"), [(1, 1), (3, 40), (40, 2), (50, 50)])
def test_rows_come_back_as_they_were(legs, values):
    rows = random_rows(legs, legs, values)
    found = packed(*rows)
    for number in range(3):
        for there, here in zip(found.row(number), rows, strict=True):
            np.testing.assert_array_equal(there, here[number])
        for state in range(50):
            expected = rows[0][number, state], rows[1][number, state]
            assert found.leg(number, state) == expected


def test_a_pair_takes_as_many_bytes_as_its_legs_and_logs_need():
    assert packed(*random_rows(0, 4, 40)).planes.shape[1] == 1  # 2 and 6 bits
    assert packed(*random_rows(0, 50, 40, size=400)).planes.shape[1] == 2


def test_rows_with_too_many_different_discounts_are_not_packed(monkeypatch):
    monkeypatch.setattr("first_occupancy.planning._packed_rows.MOST_BYTES", 1)
    assert packed(*random_rows(0, 30, 40)) is None
    assert packed(*random_rows(0, 3, 40)) is not None


@pytest.mark.parametrize(
    ("highest", "expected"),
    [(127, np.int8), (128, np.int16), (32_767, np.int16), (2**15, np.int32)],
)
def test_whole_numbers_have_the_smallest_type_that_holds_them(highest, expected):
    assert smallest(np.array([-1, highest])).dtype == expected
