"""Logs from tables of events."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

import first_occupancy as fo

EVENTS = {
    "case": ["b", "a", "a", "b", "a"],
    "activity": ["home", "home", "shop", "home", "buy"],
    "time": ["2026-01-02", "2026-01-01", "2026-01-03", "2026-01-01", "2026-01-05"],
}


def moves(log):
    names = log.state_names
    pairs = zip(log.states.tolist(), log.next_states.tolist(), strict=True)
    return [(names[s], names[t]) for s, t in pairs]


def test_events_are_put_in_the_order_of_their_times_case_by_case():
    found = moves(fo.event_log(EVENTS))
    assert found == [
        ("home", "shop"), ("shop", "buy"), ("buy", "(end)"), ("home", "home"), ("home", "(end)"),
    ]  # fmt: skip
    assert moves(fo.event_log(EVENTS, end=None)) == [found[0], found[1], found[3]]
    passage = fo.hitting(fo.event_log(EVENTS), "buy")
    start = fo.event_log(EVENTS).state_names.index("home")
    np.testing.assert_allclose(passage.probability[start], 1 / 2)


def test_times_may_be_numbers_dates_or_left_out_and_one_case_is_enough():
    numbers = EVENTS | {"time": [1, 0, 2, 0, 4]}
    dates = EVENTS | {"time": np.array(EVENTS["time"], "datetime64[D]")}
    assert moves(fo.event_log(numbers)) == moves(fo.event_log(dates)) == moves(fo.event_log(EVENTS))
    one = {"case": [1, 1], "activity": ["x", "y"]}
    assert moves(fo.event_log(one, time=None, end=None)) == [("x", "y")]


class NotAvailable:
    """Compares as `pandas.NA` does."""

    def __ne__(self, other):
        return self

    __hash__ = None

    def __bool__(self):
        raise TypeError("ambiguous")


@pytest.mark.parametrize("missing", [None, np.nan, NotAvailable(), np.datetime64("NaT")])
def test_gaps_of_all_kinds_of_tables_are_found(missing):
    times = [datetime(2026, 1, 1, tzinfo=UTC), missing, datetime(2026, 1, 2, tzinfo=UTC)]
    table = {"case": [1, 1, 1], "activity": ["x", "y", "z"], "time": times}
    with pytest.raises(fo.InputError, match="'time' must have no gaps, but row 1 is empty"):
        fo.event_log(table)


def test_times_may_have_zones():
    east, texts = timezone(timedelta(hours=2)), ["2026-01-01T10:00Z", "2026-01-01T11:00+02:00"]
    objects = [datetime(2026, 1, 1, 10, tzinfo=UTC), datetime(2026, 1, 1, 11, tzinfo=east)]
    table = {"case": [1, 1], "activity": ["later", "sooner"]}
    for times in (texts, np.array(objects, object)):
        assert moves(fo.event_log({**table, "time": times}, end=None)) == [("sooner", "later")]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (EVENTS, {"case": "who"}, "case must be the name of a column"),
        ({**EVENTS, "time": [1, None, 2, 3, 4]}, {}, "row 1 is empty"),
        ({**EVENTS, "time": [1, 2.5, np.nan, 3, 4]}, {}, "row 2 is empty"),
        ({**EVENTS, "time": ["soon"] * 5}, {}, "time must be"),
        ({**EVENTS, "time": [1, 2]}, {}, "equally long"),
        (EVENTS, {"end": "buy"}, "end must not be an activity"),
        ({"case": [1, 2], "activity": ["x", "y"]}, {"time": None, "end": None}, "two events"),
        ({"case": [], "activity": []}, {"time": None}, "one per event"),
        (3, {}, "column"),
    ],
)
def test_what_cannot_be_used_is_said(table, options, message):
    with pytest.raises(fo.InputError, match=message):
        fo.event_log(table, **options)
