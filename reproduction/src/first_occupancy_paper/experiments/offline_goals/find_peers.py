"""What rows say of peers: networks on the same logs, value iteration, a graph of positions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from first_occupancy_paper.experiments import Line, Row, Verdict, grouped, line, where
from first_occupancy_paper.experiments.answers import Interval, above, every, wilson
from first_occupancy_paper.experiments.offline_goals.network_peers import NETWORKS
from first_occupancy_paper.experiments.offline_goals.position_graph import NAME as CONTROL
from first_occupancy_paper.experiments.offline_goals.variants import SOONEST, WHOLE
from first_occupancy_paper.worlds.point_maze_logs import SETS

VALUE_ITERATION, SUREST_VALUES = "value iteration", "value iteration, surest"

MARGIN = 0.10
"""A plan reaches as many goals as another if it loses at most this share of them."""


def counts(
    rows: Sequence[Row], variant: str, maze: str, kind: str, divisor: int = 1
) -> tuple[int, int]:
    """Return how many episodes reached their goal, and how many there were.

    Args:
        rows: rows of attempts.
        variant: name of the variant.
        maze: name of the maze.
        kind: kind of log.
        divisor: 1 for whole logs, 10 for a tenth.
    """
    return arrivals(where(rows, variant=variant, maze=maze, kind=kind, divisor=divisor))


def arrivals(rows: Sequence[Row]) -> tuple[int, int]:
    """Return how many episodes of some rows reached their goal, and how many there were."""
    return sum(row["reached"] for row in rows), sum(row["episodes"] for row in rows)


class Rate(NamedTuple):
    """A share with its interval, in percent.

    Attributes:
        percent: the share.
        low: lower end of its interval.
        high: upper end of its interval.
    """

    percent: float
    low: float
    high: float


def rate(reached: int, total: int, tests: int = 1) -> Rate:
    """Return a share in percent with its interval.

    Args:
        reached: episodes that reached their goal.
        total: all of them.
        tests: how many intervals share the error rate.
    """
    low, high = wilson(reached, total, tests=tests)
    return Rate(100 * reached / total, 100 * low, 100 * high)


def peer_lines(rows: Sequence[Row]) -> list[Line]:
    """Return a line for each peer that has rows."""
    lines = [_network(rows, name) for name in NETWORKS if _pairs(rows, name, WHOLE.name)]
    if _pairs(rows, VALUE_ITERATION, SOONEST.name):
        same = _same_seeds(rows)
        lines.append(_as_many("value_iteration", rows, SOONEST.name, VALUE_ITERATION, same=same))
    if _pairs(rows, SUREST_VALUES, WHOLE.name):
        lines.append(_as_many("surest_values", rows, WHOLE.name, SUREST_VALUES, again=True))
    if pairs := _pairs(rows, CONTROL, WHOLE.name):
        ours, theirs = np.sum(list(pairs.values()), axis=0).tolist()
        totals = {"ours": tuple(ours), "theirs": tuple(theirs)}
        lines.append(_as_many("control", rows, CONTROL, WHOLE.name, **totals))
    return lines


def _pairs(
    rows: Sequence[Row], one: str, other: str
) -> dict[tuple[str, str], tuple[tuple[int, int], tuple[int, int]]]:
    """Return the counts of two variants on each set on which both have rows."""
    found = {each: (counts(rows, one, *each), counts(rows, other, *each)) for each in SETS}
    return {each: (mine, yours) for each, (mine, yours) in found.items() if mine[1] and yours[1]}


def difference(one: tuple[int, int], other: tuple[int, int], *, tests: int = 1) -> Interval:
    """Return the interval of the difference of two rates, from Wilson's of each (Newcombe 1998).

    Args:
        one: episodes that reached their goal, and all of them.
        other: the same of what it is compared with.
        tests: how many intervals share the error rate.
    """
    rates = np.array([one[0] / one[1], other[0] / other[1]])
    (low, high), (other_low, other_high) = (wilson(*each, tests=tests) for each in (one, other))
    middle = rates[0] - rates[1]
    below = np.hypot(rates[0] - low, other_high - rates[1])
    beyond = np.hypot(high - rates[0], rates[1] - other_low)
    return Interval(float(middle - below), float(middle + beyond))


def _network(rows: Sequence[Row], name: str) -> Line:
    peer, pairs = NETWORKS[name], _pairs(rows, name, WHOLE.name)
    sets, answers, tests = [], [], len(pairs)
    for (maze, kind), (theirs, ours) in pairs.items():
        by_seed = grouped(where(rows, variant=name, maze=maze, kind=kind, divisor=1), "seed")
        sets.append(
            {
                "set": f"{maze}-{kind}",
                "theirs": rate(*theirs, tests),
                "ours": rate(*ours, tests),
                "by_seed": [rate(*arrivals(by_seed[seed])).percent for seed in sorted(by_seed)],
                "table": peer.table[maze, kind],
            }
        )
        answers.append(above(difference(ours, theirs, tests=tests)))
    verdict, training = Verdict.holds_if(every(answers)), peer.training
    return line(f"network:{name}", verdict, "more", name=name, sets=sets, training=training)


def _as_many(
    id: str, rows: Sequence[Row], one: str, other: str, *, again: bool = False, **numbers: Any
) -> Line:
    """Return a line on whether one variant reaches as many goals as another, on each set."""
    pairs = _pairs(rows, one, other)
    found, answers, tests = [], [], len(pairs)
    for each, (ours, theirs) in pairs.items():
        interval = difference(ours, theirs, tests=tests)
        answers.append(above(interval, -MARGIN))
        found.append(
            {
                "set": "-".join(each),
                "ours": 100 * ours[0] / ours[1],
                "theirs": 100 * theirs[0] / theirs[1],
                "low": 100 * interval.low,
                "high": 100 * interval.high,
            }
        )
    points = {"margin": -100 * MARGIN, "points": 100 * MARGIN}
    verdict = Verdict.holds_if(every(answers))
    return line(id, verdict, "as many", again=again, pairs=found, **points, **numbers)


def _same_seeds(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the counts of both on the sets and seeds of value iteration's rows."""
    swept = grouped(where(rows, variant=VALUE_ITERATION, divisor=1), "maze", "kind", "seed")
    own = [row for row in rows if (row["maze"], row["kind"], row["seed"]) in swept]
    return [
        {
            "set": "-".join(each),
            "ours": counts(own, SOONEST.name, *each),
            "theirs": counts(own, VALUE_ITERATION, *each),
        }
        for each in dict.fromkeys((maze, kind) for maze, kind, _ in sorted(swept))
    ]
