"""What the rows say about the paper's claims; `findings.md` has the sentences."""

from collections.abc import Sequence
from math import nan

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import (
    FAR_BELOW,
    MATCHING_RETURN,
    Answer,
    above,
    below,
    every,
    half_width,
    interval_of,
    mean_of,
)
from .noise import EXACT, UNDER_NOISE, VI, WITHOUT_NOISE
from .returns import CONVERGED, GOAL_ONLY

ACCURATE = 0.05
"""An FR is accurate if it is off by no more than one step's discount, 1 - .95."""

BySweeps = dict[tuple[str, int | str], Row]


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    by_sweeps = {(row["planner"], row["sweeps"]): row for row in rows if "sweeps" in row}
    accuracy = {row["learned_for"]: row for row in rows if "learned_for" in row}
    differing = sum(row.get("gpi_differs_from_frp_0", 0) for row in rows)
    return [
        _three_sweeps(by_sweeps),
        _turns(accuracy["exact"]),
        *(_far_below(key, by_sweeps) for key in (("VI", 3), ("VI", 4), ("FRP", 0))),
        line(
            "gpi_is_frp",
            Verdict.reproduced_if(differing == 0),
            differing=differing,
            pairs=68 * 67,
        ),
        _noise([row for row in rows if row["part"] == "noise"]),
        _accuracy(accuracy),
        _learning([row for row in rows if row["part"] == "learning_curves"]),
    ]


def _three_sweeps(by_sweeps: BySweeps) -> Line:
    ours, optimum = by_sweeps["FRP", 3], by_sweeps["VI", CONVERGED]
    difference = np.subtract(ours["returns"], optimum["returns"])
    shortfall = np.array(ours["returns"]) - (1 - MATCHING_RETURN) * np.array(optimum["returns"])
    return line(
        "three_sweeps",
        Verdict.reproduced_if(above(interval_of(shortfall))),
        "not lost",
        frp=mean_of(ours["returns"]),
        frp_goals=np.mean(ours["goals"]),
        frp_five=np.mean(ours["returns_to_five_goals"]),
        vi=mean_of(optimum["returns"]),
        vi_goals=np.mean(optimum["goals"]),
        vi_five=np.mean(optimum["returns_to_five_goals"]),
        difference=mean_of(difference),
        exact=ours["expected_return"] - optimum["expected_return"],
        expected=optimum["expected_return"],
        episodes=len(difference),
        matching=MATCHING_RETURN,
    )


def _turns(exact: Row) -> Line:
    shortest = dict(zip(exact["switches"], exact["shortest"], strict=True))
    needed = min((k for k, part in shortest.items() if part == 1), default=None)
    return line(
        "turns",
        Verdict.reproduced_if(needed == 3),
        needed=needed,
        shares=[{"k": k, "percent": 100 * part} for k, part in shortest.items()],
    )


def _far_below(key: tuple[str, int], by_sweeps: BySweeps) -> Line:
    row, best = by_sweeps[key], by_sweeps["FRP", 3]
    low, high = (np.array(each["returns"]) for each in (row, best))
    planner = f"{key[0]} {key[1]}"
    return line(
        f"far_below:{planner}",
        Verdict.reproduced_if(below(interval_of(low - FAR_BELOW * high))),
        "far",
        planner=planner,
        low=mean_of(low),
        exact=row["expected_return"],
        high=mean_of(high),
        undecided=row["expected_return_undecided"],
        goal_only=mean_of(by_sweeps[GOAL_ONLY, key[1]]["returns"]),
    )


def _noise(rows: Sequence[Row]) -> Line:
    levels = sorted({row["noise"] for row in rows})
    lost, matches = [], {UNDER_NOISE: [], EXACT: []}
    for noise in levels:
        at = [row for row in rows if row["noise"] == noise]
        losses = {name: 1 - _expected(at, name) / _expected(at, VI) for name in matches}
        for name, found in matches.items():
            shared = interval_of(losses[name], tests=len(levels))
            found.append(below(shared, MATCHING_RETURN))
        lost.append(
            {
                "noise": noise,
                "learned": losses[UNDER_NOISE].mean(),
                "half": half_width(losses[UNDER_NOISE], tests=len(levels)),
                "exact": losses[EXACT].mean(),
            }
        )
    learned, exact = matches[UNDER_NOISE], matches[EXACT]
    return line(
        "noise",
        _by_reading(every(exact), every(learned)),
        "matches",
        lost=lost,
        num_levels=len(levels),
        seeds=len(_expected(rows, VI)) // max(len(levels), 1),
        exactly=sum(ok is True for ok in exact),
        exact_matches=every(exact),
        beyond=[noise for noise, ok in zip(levels, learned, strict=True) if ok is False],
        unsure=[noise for noise, ok in zip(levels, learned, strict=True) if ok is None],
        matching=MATCHING_RETURN,
        gaps=tuple(_largest_gap(rows, each) for each in (UNDER_NOISE, WITHOUT_NOISE, EXACT)),
    )


def _by_reading(exact: Answer, learned: Answer) -> Verdict:
    """Return the verdict of both; if they contradict each other, what is not printed decides."""
    if {exact, learned} == {True, False}:
        return Verdict.UNDETERMINED
    return Verdict.reproduced_if(every((exact, learned)))


def _largest_gap(rows: Sequence[Row], planner: str) -> float:
    """Return the largest of the mean gaps of a planner's discounts at each level of noise."""
    gaps: dict[float, list[float]] = {}
    for row in rows:
        if row["planner"] == planner:
            gaps.setdefault(row["noise"], []).append(row["discount_gap"])
    return float(max(map(np.mean, gaps.values()), default=nan))


def _expected(rows: Sequence[Row], planner: str) -> np.ndarray:
    chosen = sorted((r["seed"], r["expected_return"]) for r in rows if r["planner"] == planner)
    return np.array([value for _, value in chosen])


def _accuracy(accuracy: dict[str, Row]) -> Line:
    learned = {int(name): row for name, row in accuracy.items() if name != "exact"}
    return line(
        "accuracy",
        Verdict.UNDETERMINED,
        learned=[
            {
                **row,
                "count": count,
                "percent": 100 * _at_three(row),
            }
            for count, row in sorted(learned.items())
        ],
        accurate=ACCURATE,
        by_largest=learned[50]["largest_miss"] <= ACCURATE,
        by_mean=learned[50]["mean_miss"] <= ACCURATE,
        planning=_at_three(learned[50]) >= 1 - ACCURATE,
    )


def _at_three(row: Row) -> float:
    """Return the share of paths that are shortest with three switches."""
    return row["shortest"][row["switches"].index(3)]


def _learning(rows: Sequence[Row]) -> Line:
    changes = {"FR": [], "SR": []}
    for row in rows:
        mean = np.mean(row["errors"], axis=0)
        changes[row["representation"]].append((mean[0], mean[-1]))
    errors = [
        {
            "name": name,
            "first": np.mean([p[0] for p in pairs]),
            "last": np.mean([p[1] for p in pairs]),
        }
        for name, pairs in changes.items()
    ]
    halved = [run[-1] < run[0] / 2 for row in rows for run in row["errors"]]
    return line(
        "learning",
        Verdict.reproduced_if(all(halved)),
        "halve",
        errors=errors,
        halved=sum(halved),
        runs=len(halved),
        runs_each=len(rows[0]["errors"]),
    )
