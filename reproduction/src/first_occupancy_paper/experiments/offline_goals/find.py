"""What the rows say: success on the eight sets, with little data, of ablations; and bounds.

`findings.md` has the sentences.
"""

from collections.abc import Sequence
from typing import Any

from first_occupancy_paper.experiments import Line, Row, Verdict, grouped, line, where
from first_occupancy_paper.experiments.answers import Answer, Interval, above, every, some, wilson
from first_occupancy_paper.experiments.offline_goals.find_ants import ant_lines
from first_occupancy_paper.experiments.offline_goals.find_control import control_lines
from first_occupancy_paper.experiments.offline_goals.find_peers import (
    SUREST_VALUES,
    VALUE_ITERATION,
    counts,
    peer_lines,
    rate,
)
from first_occupancy_paper.experiments.offline_goals.variants import ABLATIONS, PEERS, WHOLE
from first_occupancy_paper.worlds.point_maze_logs import SETS

TARGETS = {"medium": 0.95, "large": 0.95, "giant": 0.95, "teleport": 0.85}
"""Success to be reached on each maze."""

TABLE = dict(zip(SETS, (82, 86, 68, 45, 80, 84, 50, 44), strict=True))
"""The best of six methods in OGBench's table, in percent: networks, trained on published data. The
numbers are quoted from notes; two of them were checked against another source."""

SMALL = 0.90
"""Success to be reached on giant-stitch with a tenth of the data."""

HELD, TIGHT = 0.95, 0.5
"""Share of the pairs in which a lower bound is to hold, and how much of what is realised it is."""

MADE_AGAIN = ("luckiest instead of expected", "SR products", "FRP, not refined")
"""Variants whose rows were computed again after a fault was found."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    attempts, checks = where(rows, "variant", "reached"), where(rows, "low")
    apart = (VALUE_ITERATION, SUREST_VALUES)
    others = [each.name for each in (*ABLATIONS, *PEERS) if each.name not in apart]
    tried = {row["variant"] for row in attempts}
    peers = peer_lines(attempts)
    control_too = any(each.id == "control" and each.verdict is Verdict.HOLDS for each in peers)
    return [
        _eight_sets(attempts, control_too),
        _little_data(attempts),
        *(_ablation(attempts, name) for name in others if name in tried),
        *peers,
        *([_bounds(checks)] if checks else []),
        *ant_lines(where(rows, "walker")),
        *control_lines(rows),
    ]


def _eight_sets(rows: Sequence[Row], control_too: bool) -> Line:
    sets, answers = [], []
    for maze, kind in SETS:
        reached, total = counts(rows, WHOLE.name, maze, kind)
        if total:
            found = rate(reached, total)
            sets.append({"set": f"{maze}-{kind}", "rate": found, "table": TABLE[maze, kind]})
            answers.append(above(Interval(*wilson(reached, total)), TARGETS[maze]))
    answer: Answer = every(answers) if len(answers) == len(SETS) else None
    return line(
        "eight_sets",
        Verdict.holds_if(answer),
        "every set",
        sets=sets,
        control_too=control_too,
        **_units(rows),
    )


def _units(rows: Sequence[Row]) -> dict[str, Any]:
    """Return where intervals begin if pairs of log and task are the units, or logs."""
    own = where(rows, variant=WHOLE.name, divisor=1)
    of_set = grouped(own, "maze", "kind").get(SETS[0], [])
    cells, logs = len(of_set), len(grouped(of_set, "seed"))
    return {
        "all_arrive": bool(of_set) and all(row["reached"] >= row["episodes"] for row in own),
        "cells": cells,
        "logs": logs,
        "by_pair": 100 * wilson(cells, cells)[0],
        "by_log": 100 * wilson(logs, logs)[0],
    }


def _little_data(rows: Sequence[Row]) -> Line:
    found = {each: counts(rows, WHOLE.name, *each, 10) for each in SETS}
    reached, total = found["giant", "stitch"]
    answer = above(Interval(*wilson(reached, total)), SMALL) if total else None
    sets = [{"set": "-".join(each), "rate": rate(*own)} for each, own in found.items() if own[1]]
    return line("little_data", Verdict.holds_if(answer), "giant", sets=sets)


def _ablation(rows: Sequence[Row], name: str) -> Line:
    pairs = {
        (maze, kind, divisor): (ours, whole)
        for maze, kind in SETS
        for divisor in (1, 10)
        if (ours := counts(rows, name, maze, kind, divisor))[1]
        and (whole := counts(rows, WHOLE.name, maze, kind, divisor))[1]
    }
    sets, answers, tests = [], [], max(len(pairs), 1)
    for (maze, kind, divisor), (ours, whole) in pairs.items():
        theirs, mine = wilson(*ours, tests=tests), wilson(*whole, tests=tests)
        answers.append(True if theirs[1] < mine[0] else False if theirs[0] > mine[1] else None)
        sets.append(
            {
                "set": f"{maze}-{kind}",
                "tenth": divisor == 10,
                "ours": rate(*ours, tests),
                "whole": rate(*whole, tests),
            }
        )
    return line(
        f"ablation:{name}",
        Verdict.holds_if(some(answers)),
        "some set",
        name=name,
        sets=sets,
        made_again=name in MADE_AGAIN,
    )


def _bounds(rows: Sequence[Row]) -> Line:
    mazes = grouped(rows, "maze")
    found, answers, tests = [], [], len(mazes)
    for maze, own in mazes.items():
        below = sum(row["low"] <= row["real"] + 1e-9 for row in own)
        ratios = sorted(row["low"] / row["real"] for row in own if row["real"] > 0)
        median = ratios[len(ratios) // 2] if ratios else 0.0
        share = rate(below, len(own), tests)
        found.append({"maze": maze, "below": share, "pairs": len(own), "median": median})
        held = Interval(*wilson(below, len(own), tests=tests))
        answers += [above(held, HELD), median >= TIGHT]
    return line("bounds", Verdict.holds_if(every(answers)), "bounds", mazes=found)
