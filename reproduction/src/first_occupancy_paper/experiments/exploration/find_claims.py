"""What the rows say about the claims made with Tables 1 and 2, and about the published code."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import Interval, above, below, every, interval_of, some
from .estimates import (
    Estimate,
    agrees,
    estimate,
    gain,
    log_ratio,
    mean_agrees,
    searched,
    task_estimate,
)
from .protocols import PAPER, RIVERS, TASKS

Estimates = Mapping[tuple[str, str], Estimate]

FR, SR, PAIRS = "fr_printed", "sr_drawn_anew", "fr_inverse_pairs"
"""The protocols of the tables' cells, and a reading of the FR's bonus that a search found."""

COMPENSATED = 0.5
"""A larger coefficient makes up for a longer river if it keeps this share of the reward."""

NEARLY_EVERY = 0.95
"""Share of the visits that "every" asks for."""


def printed(task: str, method: str) -> dict[str, Any]:
    """Return a cell of the paper's tables, and whether it is the one with a typo."""
    mean, error = PAPER[task, method]
    return {"mean": mean, "error": error, "typo": (task, method) == ("SixArms", "Sarsa+FR")}


def published_code(rows: Sequence[Row]) -> list[Line]:
    """Return what the authors' published code gives for all three methods."""
    parts = [row for row in rows if row["part"] == "published"]
    if not parts:
        return []
    groups: dict[tuple[bool, str], list[Row]] = {}
    for row in parts:
        groups.setdefault((row["world"] == "published", row["method"]), []).append(row)
    found = {key: estimate(group) for key, group in groups.items()}
    methods = ("Sarsa+FR", "Sarsa+SR", "Sarsa")
    fr, sr, plain = (found[True, method] for method in methods)
    fr_gain, sr_gain = gain(fr, sr), gain(sr, plain)
    order = line(
        "published_order",
        Verdict.reproduced_if(every([above(fr_gain), above(sr_gain)])),
        "both ahead",
        again=True,
        fr=fr,
        sr=sr,
        plain=plain,
        fr_gain=fr_gain,
        sr_gain=sr_gain,
    )
    return [*(_published_cell(method, found, parts) for method in methods), order]


def _published_cell(
    method: str, found: Mapping[tuple[bool, str], Estimate], rows: Sequence[Row]
) -> Line:
    (text,) = {row["protocol"] for row in rows if row["method"] == method}
    return line(
        f"published:{method}",
        Verdict.reproduced_if(agrees(found[True, method], PAPER["RiverSwim-6", method])),
        "as printed",
        again=True,
        method=method,
        printed=printed("RiverSwim-6", method),
        mine=found[True, method],
        other=found[False, method],
        protocol=text,
    )


def better_bonus(ours: Estimates) -> Line:
    """Return whether the FR's bonus gives more reward than the SR's."""

    def ahead(fr: str = FR, sr: str = SR) -> dict[str, Interval]:
        return {task: gain(ours[task, fr], ours[task, sr]) for task in TASKS}

    def won(gains: Mapping[str, Interval]) -> list[str]:
        return [task for task, interval in gains.items() if above(interval)]

    leads = ahead()
    return line(
        "better_bonus",
        Verdict.reproduced_if(every(map(above, leads.values()))),
        "ahead everywhere",
        leads=[
            {"task": task, "lead": lead, "times": ours[task, FR].mean / ours[task, SR].mean}
            for task, lead in leads.items()
        ],
        won=won(leads),
        unsettled=[task for task, lead in leads.items() if above(lead) is None],
        alike=won(ahead(sr="sr_taken_next")),
        instead=won(ahead(fr=PAIRS)),
        pairs=PAIRS,
    )


def more_robust(ours: Estimates) -> Line:
    """Return whether the FR's bonus loses less than the SR's as rivers grow."""

    def left(variant: str) -> float:
        return ours["RiverSwim-24", variant].mean / ours["RiverSwim-6", variant].mean

    cells = [
        ours[task, variant] for variant in (FR, SR) for task in ("RiverSwim-24", "RiverSwim-6")
    ]
    kept = log_ratio(cells, (1, -1, -1, 1))
    ahead = [above(gain(ours[task, FR], ours[task, SR])) for task in RIVERS]
    return line(
        "more_robust",
        Verdict.reproduced_if(every([above(kept), *ahead])),
        "robust",
        again=True,
        fr=left(FR),
        sr=left(SR),
        fr_pairs=left(PAIRS),
        pairs=PAIRS,
        low=np.exp(kept.low),
        high=np.exp(kept.high),
        ahead=sum(each is True for each in ahead),
        rivers=len(RIVERS),
        best=max(mine.mean for (task, _), mine in ours.items() if task == "RiverSwim-24"),
    )


def larger_beta(rows: Sequence[Row], ours: Estimates) -> list[Line]:
    """Return whether larger coefficients make up for the SR's losses on longer rivers."""
    found = {
        (row["task"], row["settings"]["beta"]): estimate([row])
        for row in rows
        if row["part"] == "larger_beta"
    }
    if not found:
        return []
    short = ours["RiverSwim-6", SR]
    kept = {
        key: above(log_ratio([each, short], (1, -1)), float(np.log(COMPENSATED)))
        for key, each in found.items()
    }
    tasks = sorted({task for task, _ in found}, key=TASKS.index)
    rivers = [
        {
            "task": task,
            "usual": ours[task, SR].mean,
            "tried": [
                {"beta": beta, "mean": each.mean, "error": each.error}
                for (river, beta), each in found.items()
                if river == task
            ],
        }
        for task in tasks
    ]
    answer = every(some(a for (river, _), a in kept.items() if river == task) for task in tasks)
    return [
        line(
            "larger_beta",
            Verdict.reproduced_if(answer),
            "compensated",
            rivers=rivers,
            trials=next(iter(found.values())).trials,
            compensated=COMPENSATED,
            short=short.mean,
            num_betas=len({beta for _, beta in found}),
        )
    ]


def search(rows: Sequence[Row]) -> list[Line]:
    """Return how many readings of a search give the printed column."""
    readings = searched(rows)
    if not readings:
        return []
    hits = {
        task: [
            mean_agrees(task_estimate(reading, task), PAPER[task, "Sarsa+FR"])
            for reading in readings
        ]
        for task in RIVERS
    }
    whole = [every(each) for each in zip(*hits.values(), strict=True)]
    best = {task: max(task_estimate(each, task).mean for each in readings) for task in RIVERS}
    return [
        line(
            "search",
            Verdict.reproduced_if(some(whole)),
            "whole column",
            rivers=[{"task": task, "printed": printed(task, "Sarsa+FR")} for task in RIVERS],
            readings=len(readings),
            hits=[
                {"task": task, "yes": each.count(True), "open": each.count(None)}
                for task, each in hits.items()
            ],
            whole=whole.count(True),
            not_excluded=whole.count(None),
            best=[{"task": task, "mean": mean} for task, mean in best.items()],
        )
    ]


def norm_claims(rows: Sequence[Row]) -> list[Line]:
    """Return how the norms behind the bonuses change from step to step."""
    found = {row["variant"]: row for row in rows if row["part"] == "norms"}
    if not found:
        return []
    fr, sr = found[FR], found[SR]
    known, falls = (interval_of(np.array(each)) for each in (fr["grows_on_known"], sr["grows"]))
    larger = interval_of(np.array(fr["mean_norm"]) - np.array(sr["mean_inverse"]))
    norm, inverse = np.mean(fr["mean_norm"]), np.mean(sr["mean_inverse"])
    trials = len(sr["grows"])
    return [
        line(
            "norm_grows",
            Verdict.reproduced_if(below(known, 1 - NEARLY_EVERY)),
            "few repeat",
            known=known,
            trials=trials,
        ),
        line(
            "bonus_falls",
            Verdict.reproduced_if(above(falls, NEARLY_EVERY)),
            "nearly every",
            falls=falls,
            nearly_every=NEARLY_EVERY,
            trials=trials,
        ),
        line(
            "bonus_larger",
            Verdict.reproduced_if(above(larger)),
            "larger",
            norm=norm,
            inverse=inverse,
            norm_bonus=50 * norm,
            inverse_bonus=100 * inverse,
            larger=larger,
            trials=trials,
        ),
    ]
