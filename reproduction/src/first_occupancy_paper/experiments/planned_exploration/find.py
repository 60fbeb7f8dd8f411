"""What the rows say: whether targets are met, what each part of the rule does, where it fails.

`findings.md` has the sentences.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from .. import Line, Row, Verdict, line, where
from ..answers import MATTERS, Interval, above, every, half_width, interval_of, mean_of, needed
from ..exploration.protocols import PAPER
from .estimates import Shares, by_task, shares, shares_by, shares_by_task
from .find_peers import against_peers, tasks_by_answer
from .variants import ABLATIONS

TARGET_SHARE, TARGET_REWARD = 0.9, 10_000_000

PARTS = tuple(name for name in ABLATIONS if not name.startswith("rewards x"))
"""Variants of the rule with a line of their own."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    tasks, ablations = by_task(rows, "task"), shares_by_task(rows, "ablation", "variant")
    shown = {name for variants in ablations.values() for name in variants}
    return [
        *(_target(task, own) for task, own in tasks.items()),
        _against_the_paper(tasks),
        *_unlucky(tasks.get("SixArms", [])),
        *(_part(name, tasks, ablations) for name in PARTS if name in shown),
        *_scale(rows, tasks),
        *_hidden_goal(rows),
        *against_peers(rows),
    ]


def _totals(rows: Sequence[Row]) -> np.ndarray:
    return np.concatenate([row["totals"] for row in rows])


def _target(task: str, rows: Sequence[Row]) -> Line:
    totals, optimum = _totals(rows), rows[0]["optimum"]
    target = TARGET_REWARD if task == "SixArms" else TARGET_SHARE * optimum
    answer = above(interval_of(totals), target)
    mean, error = PAPER[task, "Sarsa+FR"]
    steps = np.concatenate([row["first_best"] for row in rows])
    curve = np.mean([row["curve"] for row in rows], axis=0)
    return line(
        f"target:{task}",
        Verdict.holds_if(answer),
        task=task,
        printed=mean,
        error=error,
        printed_share=mean / optimum,
        mine=mean_of(totals),
        share=mean_of(shares(rows)),
        trials=len(totals),
        optimum=optimum,
        outcome=answer,
        median=np.median(steps),
        slowest=np.quantile(steps, 0.9),
        late=(curve[-1] - curve[len(curve) // 2 - 1]) / (optimum / 2),
    )


def _against_the_paper(tasks: Mapping[str, Sequence[Row]]) -> Line:
    ratios, ahead = [], []
    for task, rows in tasks.items():
        totals, (mean, error) = _totals(rows), PAPER[task, "Sarsa+FR"]
        ratios.append({"task": task, "times": totals.mean() / mean})
        ahead.append(interval_of(totals).low > mean + 2 * error)
    return line("against_the_paper", Verdict.holds_if(all(ahead)), ratios=ratios)


def _unlucky(rows: Sequence[Row]) -> list[Line]:
    if not rows:
        return []
    totals, steps = _totals(rows), rows[0]["steps"]
    never = np.concatenate([row["first_best"] for row in rows]) >= steps
    return [
        line(
            "unlucky",
            Verdict.holds_if(not never.any()),
            never=never.sum(),
            trials=len(totals),
            tenth=np.quantile(totals, 0.1),
            half=np.median(totals),
            settled=np.median(totals[never]) / steps if never.any() else None,
        )
    ]


def _part(name: str, tasks: Mapping[str, Sequence[Row]], ablations: Mapping[str, Shares]) -> Line:
    pairs = {
        task: (variants[name], shares(tasks[task]))
        for task, variants in ablations.items()
        if name in variants
    }
    answers = {task: needed(_lost(*pair)) for task, pair in pairs.items()}
    return line(
        f"part:{name}",
        Verdict.holds_if(every(answers.values())),
        "part needed",
        name=name,
        shares=[
            {"task": task, "without": mean_of(without), "mine": mean_of(mine)}
            for task, (without, mine) in pairs.items()
        ],
        answers=[
            {"answer": answer, "tasks": found}
            for answer, found in tasks_by_answer(answers).items()
            if found
        ],
        num_tasks=len(pairs),
        matters=MATTERS,
        trials=min(len(without) for without, _ in pairs.values()),
    )


def _lost(without: np.ndarray, mine: np.ndarray) -> Interval:
    """Return the interval of what is lost without a part, as a share of the optimum."""
    middle = float(mine.mean() - without.mean())
    half = float(np.hypot(half_width(without), half_width(mine)))
    return Interval(middle - half, middle + half)


def _scale(rows: Sequence[Row], tasks: Mapping[str, Sequence[Row]]) -> list[Line]:
    scaled = [row for row in where(rows, "variant") if row["variant"].startswith("rewards x")]
    if not scaled:
        return []

    def same(row: Row) -> bool:
        matches = (each["totals"] for each in tasks[row["task"]])
        return any(
            len(totals) == len(row["totals"]) and np.allclose(totals, row["totals"], rtol=1e-9)
            for totals in matches
        )

    agree, runs = sum(same(row) for row in scaled), len(scaled)
    trials = len(scaled[0]["totals"])
    return [line("scale", Verdict.holds_if(agree == runs), agree=agree, runs=runs, trials=trials)]


def _hidden_goal(rows: Sequence[Row]) -> list[Line]:
    rows = where(rows, part="hidden_goal")
    if not rows:
        return []
    found = shares_by(rows, "agent")
    unplanned = found.pop("explorer, no planning", None)
    mine = found.pop("explorer")
    gains = {name: mine - others for name, others in found.items()}
    goal = line(
        "hidden_goal",
        Verdict.holds_if(every(above(interval_of(gain)) for gain in gains.values())),
        steps=rows[0]["steps"],
        goals=len(mine),
        mine=mean_of(mine),
        others=[
            {
                "name": name,
                "share": mean_of(found[name]),
                "gain": mean_of(gain),
                "better": (gain > 0).mean(),
            }
            for name, gain in gains.items()
        ],
    )
    return [goal] if unplanned is None else [goal, _planning_in_rooms(mine, unplanned)]


def _planning_in_rooms(planned: np.ndarray, unplanned: np.ndarray) -> Line:
    # Seeds are in order, so the goals sought without planning are the first ones.
    planned = planned[: len(unplanned)]
    answer = needed(interval_of(planned - unplanned))
    return line(
        "planning_in_rooms",
        Verdict.holds_if(answer),
        again=True,
        planned=mean_of(planned),
        unplanned=mean_of(unplanned),
        goals=len(unplanned),
        gain=mean_of(planned - unplanned),
        needed=answer,
    )
