"""Logs from tables of events: one row per event, with its case, its activity and its time.

Tables are pandas or Polars data frames, or mappings from names to columns.
"""

import warnings
from typing import Any

import numpy as np

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.interop.data.logs import Log, transition_log

END = "(end)"
"""The state in which all cases end."""


@check_arguments
def event_log(
    table: Any,
    *,
    case: str = "case",
    activity: str = "activity",
    time: str | None = "time",
    end: str | None = END,
) -> Log:
    """Return the log of the journeys in a table of events, with activities as states.

    A journey is the events of one case in the order of their times; events at one time stay in the
    order of the table.

    >>> visits = {"case": [1, 2, 1], "activity": ["home", "home", "buy"], "time": [0, 0, 5]}
    >>> log = event_log(visits)
    >>> log.state_names, len(log)
    (('buy', 'home', '(end)'), 3)

    Args:
        table: data frame or mapping from names to columns.
        case: name of the column that says which events belong together.
        activity: name of the column with the states.
        time: name of the column of times, as numbers, dates or ISO texts; None if the rows of each
            case are in order.
        end: name of the state that follows the last event of each case; None to add none, so
            that an activity after which nothing was ever seen is never left.

    Raises:
        InputError: if a column is missing or has gaps, or no case has two events and no end.
    """
    cases, activities = _column(table, case, "case"), _column(table, activity, "activity")
    times = np.zeros(len(cases)) if time is None else _times(_column(table, time, "time"))
    if not len(cases) == len(activities) == len(times):
        raise InputError("event_log: columns must be equally long")
    names, states = np.unique(activities.astype(str), return_inverse=True)
    numbers = np.unique(cases.astype(str), return_inverse=True)[1]
    order = np.lexsort((times, numbers))
    states, numbers = states[order], numbers[order]
    follows = np.append(numbers[1:] == numbers[:-1], False)
    ahead = np.append(states[1:], 0)
    labels = names.tolist()
    if end is not None:
        if end in labels:
            raise InputError(f"event_log: end must not be an activity, got {end!r}")
        labels.append(end)
        ahead = np.where(follows, ahead, len(names))
        follows[:] = True
    if not follows.any():
        raise InputError("event_log: some case must have two events, or end must be given")
    return transition_log(
        states[follows],
        ahead[follows],
        episodes=numbers[follows],
        terminations=None if end is None else ahead[follows] == len(names),
        state_names=labels,
    )


def _column(table: Any, name: str, what: str) -> np.ndarray:
    try:
        column = np.asarray(table[name])
    except Exception:  # each kind of table has errors of its own
        raise InputError(
            f"event_log: {what} must be the name of a column of the table, got {as_given(name)}"
        ) from None
    if column.ndim != 1 or not len(column):
        raise InputError(f"event_log: column {name!r} must be a list of values, one per event")
    # Neither NaN nor NaT equals itself, and pandas.NA says neither.
    values = column.astype(object) if column.dtype.kind in "OmM" else column.tolist()
    missing = np.array([each is None or str(each != each) != "False" for each in values])
    if missing.any():
        raise InputError(
            f"event_log: column {name!r} must have no gaps, but row {missing.argmax()} is empty"
        )
    return column


def _times(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind in "iufmM":
        return column
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # times with a zone become those of Greenwich
            return column.astype("datetime64[us]")
    except (TypeError, ValueError):
        raise InputError(
            "event_log: time must be a column of numbers, dates or ISO texts, got "
            f"{str(column[0])[:40]!r}"
        ) from None
