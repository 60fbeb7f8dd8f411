"""What the rows say: whether targets are met, what each part of the rule does, where it fails.

`findings.md` has the sentences.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import MATTERS, Interval, above, every, interval_of, mean_of, needed
from ..exploration.protocols import PAPER
from .estimates import ShareEstimate, ablated, goal_shares, of_task, whole
from .find_peers import against_peers
from .variants import ABLATIONS

TARGET_SHARE, TARGET_REWARD = 0.9, 10_000_000

PARTS = tuple(name for name in ABLATIONS if not name.startswith("rewards x"))
"""Variants of the rule with a line of their own."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    tasks, ablations = whole(rows), ablated(rows)
    return [
        *(_target(task, mine, rows) for task, mine in tasks.items()),
        _against_the_paper(tasks),
        *_unlucky(rows),
        *(_part(name, tasks, ablations) for name in PARTS if _shown(name, ablations)),
        *_scale(rows),
        *_hidden_goal(rows),
        *against_peers(rows),
    ]


def _target(task: str, mine: ShareEstimate, rows: Sequence[Row]) -> Line:
    target = TARGET_REWARD if task == "SixArms" else TARGET_SHARE * mine.optimum
    interval = Interval(mine.mean - mine.half_width, mine.mean + mine.half_width)
    answer = above(interval, target)
    mean, error = PAPER[task, "Sarsa+FR"]
    steps = [step for row in of_task(rows, task) for step in row["first_best"]]
    curve = np.mean([row["curve"] for row in of_task(rows, task)], axis=0)
    return line(
        f"target:{task}",
        Verdict.holds_if(answer),
        task=task,
        printed=mean,
        error=error,
        printed_share=mean / mine.optimum,
        mine=mine,
        outcome=answer,
        median=np.median(steps),
        slowest=np.quantile(steps, 0.9),
        late=(curve[-1] - curve[len(curve) // 2 - 1]) / (mine.optimum / 2),
    )


def _against_the_paper(tasks: Mapping[str, ShareEstimate]) -> Line:
    ratios, ahead = [], []
    for task, mine in tasks.items():
        mean, error = PAPER[task, "Sarsa+FR"]
        ratios.append({"task": task, "times": mine.mean / mean})
        ahead.append(mine.mean - mine.half_width > mean + 2 * error)
    return line("against_the_paper", Verdict.holds_if(all(ahead)), ratios=ratios)


def _unlucky(rows: Sequence[Row]) -> list[Line]:
    arms = of_task(rows, "SixArms")
    if not arms:
        return []
    totals = np.concatenate([row["totals"] for row in arms])
    first = np.concatenate([row["first_best"] for row in arms])
    never = first >= arms[0]["steps"]
    return [
        line(
            "unlucky",
            Verdict.holds_if(not never.any()),
            never=never.sum(),
            trials=len(first),
            tenth=np.quantile(totals, 0.1),
            half=np.median(totals),
            settled=np.median(totals[never]) / arms[0]["steps"] if never.any() else None,
        )
    ]


def _shown(name: str, ablations: Mapping[str, Mapping[str, ShareEstimate]]) -> bool:
    return any(name in variants for variants in ablations.values())


def _part(
    name: str,
    tasks: Mapping[str, ShareEstimate],
    ablations: Mapping[str, Mapping[str, ShareEstimate]],
) -> Line:
    pairs = {task: (v[name], tasks[task]) for task, v in ablations.items() if name in v}
    answers = {task: needed(_lost(*pair)) for task, pair in pairs.items()}
    by_answer = {
        sort: [task for task, answer in answers.items() if answer is sort]
        for sort in (True, False, None)
    }
    return line(
        f"part:{name}",
        Verdict.holds_if(every(answers.values())),
        "part needed",
        name=name,
        shares=[
            {"task": task, "without": without, "mine": mine}
            for task, (without, mine) in pairs.items()
        ],
        answers=[{"answer": sort, "tasks": found} for sort, found in by_answer.items() if found],
        num_tasks=len(pairs),
        matters=MATTERS,
        trials=min(without.trials for without, _ in pairs.values()),
    )


def _lost(without: ShareEstimate, mine: ShareEstimate) -> Interval:
    """Return the interval of what is lost without a part, as a share of the optimum."""
    middle = mine.share - without.share
    half = float(np.hypot(without.half_share, mine.half_share))
    return Interval(middle - half, middle + half)


def _scale(rows: Sequence[Row]) -> list[Line]:
    scaled = [row for row in rows if row.get("variant", "").startswith("rewards x")]
    if not scaled:
        return []

    def same(row: Row) -> bool:
        matches = (each["totals"] for each in of_task(rows, row["task"]))
        return any(
            len(totals) == len(row["totals"]) and np.allclose(totals, row["totals"], rtol=1e-9)
            for totals in matches
        )

    agree, runs = sum(same(row) for row in scaled), len(scaled)
    trials = len(scaled[0]["totals"])
    return [line("scale", Verdict.holds_if(agree == runs), agree=agree, runs=runs, trials=trials)]


def _hidden_goal(rows: Sequence[Row]) -> list[Line]:
    shares = goal_shares(rows)
    if not shares:
        return []
    unplanned = shares.pop("explorer, no planning", None)
    mine = shares.pop("explorer")
    gains = {name: mine - others for name, others in shares.items()}
    found = line(
        "hidden_goal",
        Verdict.holds_if(every(above(interval_of(gain)) for gain in gains.values())),
        steps=next(row["steps"] for row in rows if row["part"] == "hidden_goal"),
        goals=len(mine),
        mine=mean_of(mine),
        others=[
            {
                "name": name,
                "share": mean_of(shares[name]),
                "gain": mean_of(gain),
                "better": (gain > 0).mean(),
            }
            for name, gain in gains.items()
        ],
    )
    return [found] if unplanned is None else [found, _planning_in_rooms(mine, unplanned)]


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
