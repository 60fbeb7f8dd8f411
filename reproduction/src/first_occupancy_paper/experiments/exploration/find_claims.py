"""What the rows say about the claims made with Tables 1 and 2."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import Line, Row, Verdict, grouped, line, where
from ..answers import Interval, above, below, every, interval_of, some
from .estimates import Estimate, estimate, gain, log_ratio, mean_agrees, searched
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
        ahead=ahead.count(True),
        rivers=len(RIVERS),
        best=max(mine.mean for (task, _), mine in ours.items() if task == "RiverSwim-24"),
    )


def larger_beta(rows: Sequence[Row], ours: Estimates) -> list[Line]:
    """Return whether larger coefficients make up for the SR's losses on longer rivers."""
    short = ours["RiverSwim-6", SR]
    rivers, answers = [], []
    for task, own in grouped(where(rows, part="larger_beta"), "task").items():
        tried = [{"beta": row["settings"]["beta"], "mine": estimate([row])} for row in own]
        rivers.append({"task": task, "usual": ours[task, SR].mean, "tried": tried})
        kept = [log_ratio([each["mine"], short], (1, -1)) for each in tried]
        answers.append(some(above(each, float(np.log(COMPENSATED))) for each in kept))
    if not rivers:
        return []
    tried = rivers[0]["tried"]
    return [
        line(
            "larger_beta",
            Verdict.reproduced_if(every(answers)),
            "compensated",
            rivers=rivers,
            trials=tried[0]["mine"].trials,
            compensated=COMPENSATED,
            short=short.mean,
            num_betas=len(tried),
        )
    ]


def search(rows: Sequence[Row]) -> list[Line]:
    """Return how many readings of a search give the printed column."""
    readings = searched(rows)
    if not readings:
        return []
    rivers, hits = [], []
    for task in RIVERS:
        ours = [reading[task] for reading in readings]
        answers = [mean_agrees(mine, PAPER[task, "Sarsa+FR"]) for mine in ours]
        hits.append(answers)
        rivers.append(
            {
                "task": task,
                "printed": printed(task, "Sarsa+FR"),
                "yes": answers.count(True),
                "open": answers.count(None),
                "best": max(mine.mean for mine in ours),
            }
        )
    whole = [every(each) for each in zip(*hits, strict=True)]
    return [
        line(
            "search",
            Verdict.reproduced_if(some(whole)),
            "whole column",
            rivers=rivers,
            readings=len(readings),
            whole=whole.count(True),
            not_excluded=whole.count(None),
        )
    ]


def norm_claims(rows: Sequence[Row]) -> list[Line]:
    """Return how the norms behind the bonuses change from step to step."""
    found = {row["variant"]: row for row in where(rows, part="norms")}
    if not found:
        return []
    fr, sr = found[FR], found[SR]
    known, falls = (interval_of(np.array(each)) for each in (fr["grows_on_known"], sr["grows"]))
    larger = interval_of(np.array(fr["mean_norm"]) - np.array(sr["mean_inverse"]))
    norm, inverse = np.mean(fr["mean_norm"]), np.mean(sr["mean_inverse"])
    numbers = {
        "known": known,
        "falls": falls,
        "nearly_every": NEARLY_EVERY,
        "norm": norm,
        "inverse": inverse,
        "norm_bonus": 50 * norm,
        "inverse_bonus": 100 * inverse,
        "larger": larger,
        "trials": len(sr["grows"]),
    }
    answers = (
        ("norm_grows", "few repeat", below(known, 1 - NEARLY_EVERY)),
        ("bonus_falls", "nearly every", above(falls, NEARLY_EVERY)),
        ("bonus_larger", "larger", above(larger)),
    )
    return [
        line(id, Verdict.reproduced_if(answer), rule, **numbers) for id, rule, answer in answers
    ]
