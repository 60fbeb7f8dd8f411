"""What rows say of peers: networks on the same logs, value iteration, a graph of positions."""

from collections.abc import Sequence

import numpy as np

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import Answer, Interval, above, every
from first_occupancy_paper.experiments.intervals import wilson
from first_occupancy_paper.experiments.offline_goals.network_peers import PEERS, NetworkPeer
from first_occupancy_paper.experiments.offline_goals.position_graph import NAME as CONTROL
from first_occupancy_paper.experiments.offline_goals.run import SETS
from first_occupancy_paper.experiments.offline_goals.variants import SOONEST, WHOLE

VALUE_ITERATION, SUREST_VALUES = "value iteration", "value iteration, surest"

POOLED = "episodes counted as independent"
"""Condition of every line whose intervals are Wilson's over episodes, although they share logs."""

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
    wanted = (variant, maze, kind, divisor)
    own = [
        row for row in rows if (row["variant"], row["maze"], row["kind"], row["divisor"]) == wanted
    ]
    return sum(row["reached"] for row in own), sum(row["episodes"] for row in own)


def said_of(reached: int, total: int, tests: int = 1) -> str:
    """Return a share in percent with its interval.

    Args:
        reached: episodes that reached their goal.
        total: all of them.
        tests: how many intervals share the error rate.
    """
    low, high = wilson(reached, total, tests=tests)
    return f"{100 * reached / total:.1f}% [{100 * low:.1f}, {100 * high:.1f}]"


def peer_findings(rows: Sequence[Row]) -> list[Finding]:
    """Return a line for each peer that has rows."""
    lines = [_network(rows, peer) for peer in PEERS if _pairs(rows, peer.name, WHOLE.name)]
    if _pairs(rows, VALUE_ITERATION, SOONEST.name):
        lines.append(_value_iteration(rows))
    if _pairs(rows, SUREST_VALUES, WHOLE.name):
        lines.append(_surest_values(rows))
    return [*lines, _control(rows)] if _pairs(rows, CONTROL, WHOLE.name) else lines


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


def _network(rows: Sequence[Row], peer: NetworkPeer) -> Finding:
    pairs = _pairs(rows, peer.name, WHOLE.name)
    said, answers, tests = [], [], len(pairs)
    for each, (theirs, ours) in pairs.items():
        said.append(
            f"{'-'.join(each)} {said_of(*theirs, tests)} (by seed {_by_seed(rows, peer, each)}; "
            f"table {peer.table[each]}) against {said_of(*ours, tests)}"
        )
        answers.append(above(difference(ours, theirs, tests=tests)))
    sizes = peer.training
    answer: Answer = every(answers)
    return Finding(
        claim=f"The surest plan reaches more goals than “{peer.name}”, a network that learns from "
        "the same logs, on every set tried",
        paper="not in the paper",
        ours="; ".join(said),
        verdict=Verdict.holds_if(answer),
        why="Holds if on every set the interval of the difference (Newcombe's, 95% for all sets "
        f"together) lies above 0. The network is small and trained for little: {sizes.depth} "
        f"layers of {sizes.hidden}, {sizes.num_updates:,} updates on batches of "
        f"{sizes.batch_size}. Those in OGBench's table, whose number for the method that it is "
        "like is shown, have three layers of 512 and a million updates on batches of 1,024, and "
        "learned from the published data. Episodes of a seed share one network, so the intervals "
        "do not tell how much networks differ; the rates by seed do. The rule is in "
        "protocols/offline_goal_peers.md.",
        figure="success",
        given=POOLED,
    )


def _by_seed(rows: Sequence[Row], peer: NetworkPeer, each: tuple[str, str]) -> str:
    """Return the rates of a set, one for each seed, in percent."""
    wanted = (peer.name, *each, 1)
    own = [
        row for row in rows if (row["variant"], row["maze"], row["kind"], row["divisor"]) == wanted
    ]
    rates = []
    for seed in sorted({row["seed"] for row in own}):
        reached, total = counts([row for row in own if row["seed"] == seed], peer.name, *each)
        rates.append(f"{100 * reached / total:.0f}")
    return ", ".join(rates)


def _value_iteration(rows: Sequence[Row]) -> Finding:
    said, answer = _as_many(rows, SOONEST.name, VALUE_ITERATION)
    return Finding(
        claim="The refined plan reaches as many goals as plain value iteration at the same "
        "discount over the same landmarks",
        paper="not in the paper",
        ours=said,
        verdict=Verdict.holds_if(answer),
        why="Holds if on every set the interval of the difference (Newcombe's, 95% for all sets "
        f"together) lies above {-100 * MARGIN:.0f} points. Both plan for arriving soon, with a "
        "discount of .998 (“soonest”). The refined plan starts from likely paths and improves by "
        "policy iteration, without FRs, so this compares two ways to one optimum. "
        "On the seeds that both have, from the same data and starts, "
        f"the two reach {_same_seeds(rows)}. The rule is in protocols/offline_goal_peers.md.",
        figure="success",
        given=POOLED,
    )


def _surest_values(rows: Sequence[Row]) -> Finding:
    said, answer = _as_many(rows, WHOLE.name, SUREST_VALUES)
    return Finding(
        claim="The surest plan reaches as many goals as value iteration at a discount of .99999",
        paper="not in the paper",
        ours=said,
        verdict=Verdict.holds_if(answer),
        why="Judged as the line above. What the surest plan, whose discount is 1, gains over "
        "“soonest” comes from the discount, if this line holds.",
        figure="success",
        given=f"a question asked afterwards; {POOLED}",
        again=True,
    )


def _control(rows: Sequence[Row]) -> Finding:
    said, answer = _as_many(rows, CONTROL, WHOLE.name)
    totals = np.sum(list(_pairs(rows, CONTROL, WHOLE.name).values()), axis=0)
    return Finding(
        claim="A search on a graph of positions, without landmarks, pessimism or FRs, reaches "
        f"nearly as many goals, at most {100 * MARGIN:.0f} points fewer on every set",
        paper="not in the paper",
        ours=f"{totals[0][0]:,} of {totals[0][1]:,} against {totals[1][0]:,} of "
        f"{totals[1][1]:,}: {said}",
        verdict=Verdict.holds_if(answer),
        why="Holds if on every set the interval of the difference (Newcombe's, 95% for all sets "
        f"together) lies above {-100 * MARGIN:.0f} points. Bins of half a unit, joined where the "
        "log moves from one to the other in five steps, closed where it jumps; Dijkstra's search; "
        "a few random steps after a standstill. So what plans gain over networks that learn from "
        "the same logs shows what a search on a graph of positions does, and nothing about first "
        "occupancy.",
        figure="success",
        given=f"a control added afterwards; {POOLED}",
    )


def _as_many(rows: Sequence[Row], one: str, other: str) -> tuple[str, Answer]:
    """Return the rates of two variants on each set, and whether the first reaches as many goals."""
    pairs = _pairs(rows, one, other)
    said, answers, tests = [], [], len(pairs)
    for each, (ours, theirs) in pairs.items():
        low, high = found = difference(ours, theirs, tests=tests)
        said.append(
            f"{'-'.join(each)} {100 * ours[0] / ours[1]:.1f}% against "
            f"{100 * theirs[0] / theirs[1]:.1f}%, difference [{100 * low:.1f}, {100 * high:.1f}]"
        )
        answers.append(above(found, -MARGIN))
    return "; ".join(said), every(answers)


def _same_seeds(rows: Sequence[Row]) -> str:
    """Return the counts of both on the sets and seeds of value iteration's rows."""
    known = {
        (row["maze"], row["kind"], row["seed"])
        for row in rows
        if row["variant"] == VALUE_ITERATION and row["divisor"] == 1
    }
    own = [row for row in rows if (row["maze"], row["kind"], row["seed"]) in known]
    said = []
    for maze, kind in dict.fromkeys((maze, kind) for maze, kind, _ in sorted(known)):
        ours, theirs = (counts(own, each, maze, kind) for each in (SOONEST.name, VALUE_ITERATION))
        said.append(f"{ours[0]} of {ours[1]} and {theirs[0]} of {theirs[1]} ({maze}-{kind})")
    return ", ".join(said)
