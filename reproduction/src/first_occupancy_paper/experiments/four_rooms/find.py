"""What the rows say about the paper's claims; `findings.md` has the sentences."""

from collections.abc import Sequence

import numpy as np

from .. import Line, Row, Verdict, grouped, line, where
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
    by_sweeps = {(row["planner"], row["sweeps"]): row for row in where(rows, "sweeps")}
    accuracy = {row["learned_for"]: row for row in where(rows, "learned_for")}
    (compared,) = where(rows, "gpi_differs_from_frp_0")
    differing = compared["gpi_differs_from_frp_0"]
    return [
        _three_sweeps(by_sweeps),
        _turns(accuracy["exact"]),
        *(_far_below(key, by_sweeps) for key in (("VI", 3), ("VI", 4), ("FRP", 0))),
        line(
            "gpi_is_frp", Verdict.reproduced_if(differing == 0), differing=differing, pairs=68 * 67
        ),
        _noise(where(rows, part="noise")),
        _accuracy(accuracy),
        _learning(where(rows, part="learning_curves")),
    ]


def _three_sweeps(by_sweeps: BySweeps) -> Line:
    ours, optimum = by_sweeps["FRP", 3], by_sweeps["VI", CONVERGED]
    frp, vi = (np.array(row["returns"]) for row in (ours, optimum))
    shortfall = frp - (1 - MATCHING_RETURN) * vi
    return line(
        "three_sweeps",
        Verdict.reproduced_if(above(interval_of(shortfall))),
        "not lost",
        frp=mean_of(frp),
        frp_goals=np.mean(ours["goals"]),
        frp_five=np.mean(ours["returns_to_five_goals"]),
        vi=mean_of(vi),
        vi_goals=np.mean(optimum["goals"]),
        vi_five=np.mean(optimum["returns_to_five_goals"]),
        difference=mean_of(frp - vi),
        exact=ours["expected_return"] - optimum["expected_return"],
        expected=optimum["expected_return"],
        episodes=len(frp),
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
        high=mean_of(high),
        row=row,
        goal_only=mean_of(by_sweeps[GOAL_ONLY, key[1]]["returns"]),
    )


def _noise(rows: Sequence[Row]) -> Line:
    levels = grouped(rows, "noise")
    lost, learned, exact = [], [], []
    for noise, at in levels.items():
        mine, true = (1 - expected(at, name) / expected(at, VI) for name in (UNDER_NOISE, EXACT))
        for answers, losses in ((learned, mine), (exact, true)):
            answers.append(below(interval_of(losses, tests=len(levels)), MATCHING_RETURN))
        half = half_width(mine, tests=len(levels))
        lost.append({"noise": noise, "learned": mine.mean(), "half": half, "exact": true.mean()})
    return line(
        "noise",
        _by_reading(every(exact), every(learned)),
        "matches",
        lost=lost,
        num_levels=len(levels),
        seeds=len(grouped(rows, "seed")),
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
    levels = grouped(where(rows, planner=planner), "noise").values()
    return float(max(np.mean([row["discount_gap"] for row in at]) for at in levels))


def expected(rows: Sequence[Row], planner: str) -> np.ndarray:
    """Return the expected returns of a planner, by seed."""
    return np.array([row["expected_return"] for row in where(rows, planner=planner)])


def _accuracy(accuracy: dict[str, Row]) -> Line:
    after_50 = accuracy["50"]
    learned = [row for name, row in accuracy.items() if name != "exact"]
    return line(
        "accuracy",
        Verdict.UNDETERMINED,
        learned=[{**row, "percent": 100 * _at_three(row)} for row in learned],
        accurate=ACCURATE,
        by_largest=after_50["largest_miss"] <= ACCURATE,
        by_mean=after_50["mean_miss"] <= ACCURATE,
        planning=_at_three(after_50) >= 1 - ACCURATE,
    )


def _at_three(row: Row) -> float:
    """Return the share of paths that are shortest with three switches."""
    return row["shortest"][row["switches"].index(3)]


def _learning(rows: Sequence[Row]) -> Line:
    errors = []
    for name, found in grouped(rows, "representation").items():
        mean = np.mean([row["errors"] for row in found], axis=(0, 1))
        errors.append({"name": name, "first": mean[0], "last": mean[-1]})
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
