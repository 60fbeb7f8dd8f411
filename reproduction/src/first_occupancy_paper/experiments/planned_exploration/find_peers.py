"""What the rows say about the explorer and its peers."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from .. import Line, Row, Verdict, line
from ..answers import MATTERS, Interval, above, every, interval_of, mean_of, needed
from .peers import PLACES, TOLD, UNCHAINED

TARGETS = {"RiverSwim-6": 0.95, "RiverSwim-12": 0.92, "RiverSwim-24": 0.88}

Shares = Mapping[str, np.ndarray]
"""Shares of the optimum, trial by trial, of each method."""


def against_peers(rows: Sequence[Row]) -> list[Line]:
    """Return for each task whether the explorer that is told is ahead, and meets its target."""
    found = shares(rows)
    ahead = [_ahead(task, found[task]) for task in PLACES if TOLD in found.get(task, {})]
    targets = [_target(task, found[task]) for task in TARGETS if TOLD in found.get(task, {})]
    return [*ahead, *targets, *_chaining(found)]


def shares(rows: Sequence[Row]) -> dict[str, dict[str, np.ndarray]]:
    """Return the shares of the optimum of each method, by task."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for row in rows:
        if row["part"] == "peer":
            share = np.array(row["totals"]) / np.array(row["optima"])
            found.setdefault(row["task"], {})[row["agent"]] = share
    return found


def _ahead(task: str, found: Shares) -> Line:
    others = {name: share for name, share in found.items() if name not in (TOLD, UNCHAINED)}
    paired = task == "hidden goal"
    gains = {name: _gain(found[TOLD], share, len(others), paired) for name, share in others.items()}
    best = max(others, key=lambda name: others[name].mean())
    most = max(map(len, found.values()))
    fewer = [
        {"name": name, "trials": len(share)} for name, share in found.items() if len(share) < most
    ]
    return line(
        f"peers:{task}",
        Verdict.holds_if(every(above(gain) for gain in gains.values())),
        "ahead of all",
        place=task,
        shares=[{"name": name, "share": mean_of(found[name])} for name in (TOLD, *others)],
        best=best,
        lead=gains[best],
        trials=most,
        any_fewer=bool(fewer),
        fewer=fewer,
    )


def _gain(mine: np.ndarray, theirs: np.ndarray, tests: int, paired: bool) -> Interval:
    if paired:
        variance, freedom = np.var(mine - theirs, ddof=1) / len(mine), len(mine) - 1
    else:
        variance = np.var(mine, ddof=1) / len(mine) + np.var(theirs, ddof=1) / len(theirs)
        freedom = len(mine) + len(theirs) - 2
    middle = float(mine.mean() - theirs.mean())
    half = float(stats.t.ppf(1 - 0.025 / tests, freedom) * np.sqrt(variance))
    return Interval(middle - half, middle + half)


def _target(task: str, found: Shares) -> Line:
    return line(
        f"peer_target:{task}",
        Verdict.holds_if(above(interval_of(found[TOLD]), TARGETS[task])),
        "above the target",
        task=task,
        target=TARGETS[task],
        mine=mean_of(found[TOLD]),
        trials=len(found[TOLD]),
    )


def _chaining(found: Mapping[str, Shares]) -> list[Line]:
    """Return whether chains of policies, Alg. 1, are what helps."""
    tasks = [task for task in PLACES if UNCHAINED in found.get(task, {})]
    if not tasks:
        return []
    answers = {
        task: needed(_gain(found[task][TOLD], found[task][UNCHAINED], 1, task == "hidden goal"))
        for task in tasks
    }
    helps, without, unsure = (
        [task for task, answer in answers.items() if answer is sort] for sort in (True, False, None)
    )
    return [
        line(
            "chaining",
            Verdict.holds_if(every(answers.values())),
            "chaining",
            shares=[
                {
                    "task": task,
                    "told": mean_of(found[task][TOLD]),
                    "unchained": mean_of(found[task][UNCHAINED]),
                }
                for task in tasks
            ],
            num_tasks=len(tasks),
            matters=MATTERS,
            helps=helps,
            without=without,
            unsure=unsure,
        )
    ]
