"""The type of the rows that experiments yield, and how to choose among them."""

from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]
"""One observation: a mapping from names to values that JSON can hold; no NaN, no infinity."""


def where(rows: Iterable[Row], *names: str, **wanted: Any) -> list[Row]:
    """Return the rows that have all these names, some of them with these values.

    >>> where([{"part": "tour"}, {"part": "orders", "goals": 3}], "goals", part="orders")
    [{'part': 'orders', 'goals': 3}]
    """
    names = (*names, *wanted)
    return [
        row
        for row in rows
        if all(name in row for name in names)
        and all(row[name] == value for name, value in wanted.items())
    ]


def grouped(rows: Iterable[Row], *names: str) -> dict[Any, list[Row]]:
    """Return rows by what they have under a name, or under several as a tuple, in their order.

    Rows without one of the names are left out.

    >>> list(grouped([{"noise": 0.1}, {"part": "tour"}, {"noise": 0.2}], "noise"))
    [0.1, 0.2]
    """
    groups: dict[Any, list[Row]] = {}
    for row in where(rows, *names):
        values = tuple(row[name] for name in names)
        groups.setdefault(values[0] if len(names) == 1 else values, []).append(row)
    return groups
