"""Progress is shown on standard error where it is wanted, and nowhere else."""

from first_occupancy.interop.enumeration._progress import progress_bar


def test_numbers_of_states_are_shown(capsys):
    with progress_bar(True, 5000) as report:
        report(1200, 200)
    told = capsys.readouterr()
    assert "1,000 states expanded" in told.err
    assert "1,200 found (limit 5,000)" in told.err
    assert told.out == ""


def test_nothing_is_shown_outside_a_terminal(capsys):
    with progress_bar(None, 5000) as report:
        report(1200, 200)
    assert capsys.readouterr() == ("", "")
