"""How often the behaviours that the paper describes occur, with Wilson's intervals.

Rates at several lengths of exploration share the error rate of 5%, so that a behaviour found at
one of them is found at that error rate.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from first_occupancy_paper.rows.row import Row, grouped, where

from ..answers import wilson

Behaviour = Callable[[Row], bool]


class Rate(NamedTuple):
    """How many runs show a behaviour, with an interval for its probability.

    Attributes:
        count: number of runs that show it.
        total: number of runs.
        low: lower end of the interval.
        high: upper end of the interval.
    """

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of the runs that show the behaviour; 0 if there are none."""
        return self.count / self.total if self.total else 0.0


class LengthRate(NamedTuple):
    """How often a behaviour occurs at one length of exploration.

    Attributes:
        length: number of steps of an exploration episode.
        rate: how many runs show the behaviour.
    """

    length: int
    rate: Rate


def hits_first(row: Row) -> bool:
    """Return whether the first trial runs into the barrier."""
    return row["trial_1"]["hits"] > 0


def round_first(row: Row) -> bool:
    """Return whether the first trial gets below the barrier."""
    return row["trial_1"]["past_barrier"]


def stuck_then_round(row: Row) -> bool:
    """Return whether the first trial hits the barrier and still gets below it."""
    return hits_first(row) and round_first(row)


def reaches_second(row: Row) -> bool:
    """Return whether the second trial ends in the shelter."""
    return row["trial_2"]["reached"]


def avoids_second(row: Row) -> bool:
    """Return whether the second trial ends in the shelter without touching the barrier."""
    return reaches_second(row) and row["trial_2"]["hits"] == 0


def shorter_second(row: Row) -> bool:
    """Return whether the second trial ends in the shelter, sooner than the first trial ended."""
    return reaches_second(row) and row["trial_2"]["steps"] < row["trial_1"]["steps"]


def whole_story(row: Row) -> bool:
    """Return whether all that the text describes happens: hit, shelter, then shorter, no hit."""
    return row["trial_1"]["reached"] and barrier_then_shorter(row)


def barrier_then_shorter(row: Row) -> bool:
    """Return whether the first trial hits the barrier and the second is shorter, without a hit."""
    return hits_first(row) and avoids_second(row) and shorter_second(row)


def never_past(row: Row) -> bool:
    """Return whether neither trial gets below the barrier."""
    return not (row["trial_1"]["past_barrier"] or row["trial_2"]["past_barrier"])


def rate(rows: Sequence[Row], behaviour: Behaviour, *, tests: int = 1) -> Rate:
    """Return how often a behaviour occurs.

    Args:
        rows: one row for each run.
        behaviour: tells whether a run shows the behaviour.
        tests: how many rates are asked the same question, and share its error rate.
    """
    count, total = sum(behaviour(row) for row in rows), len(rows)
    return Rate(count, total, *wilson(count, total, tests=tests))


def by_length(rows: Sequence[Row], behaviour: Behaviour) -> list[LengthRate]:
    """Return how often a behaviour occurs at each length of exploration episodes, in order.

    Args:
        rows: one row for each run.
        behaviour: tells whether a run shows the behaviour.
    """
    lengths = sorted(grouped(rows, "episode_steps").items())
    return [
        LengthRate(length, rate(runs, behaviour, tests=len(lengths))) for length, runs in lengths
    ]


def select(
    rows: Sequence[Row], variant: str, representation: str = "FR", *, detailed: bool = False
) -> list[Row]:
    """Return an agent's runs.

    Args:
        rows: one row for each run.
        variant: variant of the protocol, as in `Config`.
        representation: "FR" or "SR".
        detailed: whether to return the detailed runs of the figures instead of those of the sweep.
    """
    return where(rows, variant=variant, representation=representation, detailed=detailed)
