import pytest

from first_occupancy_paper.commands.durations import duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (75.0, "75 s"),
        (1.0, "1 s"),
        (0.999, "999 ms"),
        (1.5e-3, "1.5 ms"),
        (2.5e-6, "2.5 µs"),
        (3.21e-9, "3.21 ns"),
        (0.0, "0 ns"),
    ],
)
def test_a_time_has_three_digits_and_the_unit_that_suits_it(seconds, text):
    assert duration(seconds) == text
