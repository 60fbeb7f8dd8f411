import pytest

from first_occupancy_paper.commands.seeds import LARGEST, MOST, read_seeds


def test_seeds_are_so_many_or_from_the_first_to_the_last():
    assert list(read_seeds("3")) == [0, 1, 2]
    assert list(read_seeds("4-6")) == [4, 5, 6]
    assert list(read_seeds("7-7")) == [7]
    assert len(read_seeds(str(MOST))) == MOST
    assert read_seeds(f"{LARGEST}-{LARGEST}")[0] == LARGEST


@pytest.mark.parametrize("text", ["0", "-3", "7-4", "x", "", "1.5"])
def test_what_is_no_number_of_seeds_is_refused(text, error_of):
    message = f"--seeds must be a number of at least 1, or FIRST-LAST, got {text!r}"
    assert error_of(lambda: read_seeds(text)) == message


@pytest.mark.parametrize("text", [str(MOST + 1), f"0-{MOST}", f"{LARGEST}-{LARGEST + 1}"])
def test_a_seed_taken_for_a_number_of_them_is_refused(text, error_of):
    assert error_of(lambda: read_seeds(text)) == (
        f"--seeds must be at most 100,000 seeds, none above {LARGEST}, got {text!r}; "
        "for a single seed write FIRST-LAST, as in 7-7"
    )
