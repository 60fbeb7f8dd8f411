"""What the rows say: which baseline is hard to beat, and whether goals add to it.

`findings.md` has the sentences.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from .. import Line, Row, Verdict, grouped, line, where
from ..answers import Answer, Interval, above, every, some
from .runs import FAR

ORDERS = (2, 3, 4)
"""Orders of the Markov chains that know where a mouse is and whence it comes."""

REWARDED = ("D9a",)
"""Sessions with water."""

NOTHING = 0.005
"""Fewer bits per choice than this count as nothing."""


PLAIN = "turning biases"

SessionFits = Mapping[str, Row]
"""The row of each model that was fitted in one session, by the model's name."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    sessions = {
        session: {row["model"]: row for row in where(own, "model")}
        for session, own in sorted(grouped(rows, "session").items())
    }
    chains = [f"Markov chain of order {order}" for order in ORDERS]
    goals = [f"{PLAIN} + {goal}" for goal in ("homing", "water runs")]

    def better(model: str, than: str = PLAIN, by: float = 0.0) -> list[Answer]:
        """Return whether a model needs fewer bits than another one, in each session."""
        return [above(_gain(fits[than], fits[model]), by) for fits in sessions.values()]

    either_goal = zip(*(better(goal, by=NOTHING) for goal in goals), strict=True)
    return [
        _line("biases", every(better(PLAIN, "random walk")), sessions, ["random walk", PLAIN]),
        _line(
            "markov",
            every([answer for chain in chains for answer in better(chain)]),
            sessions,
            [PLAIN, "Markov chain of order 1", *chains, "Markov chain of variable order"],
        ),
        _line("goals", every(map(some, either_goal)), sessions, [PLAIN, *goals]),
        _novelty(sessions),
        _runs(rows, "exit", list(sessions)),
        _runs(rows, "water", [session for session in sessions if session in REWARDED]),
    ]


def _line(
    id: str, answer: Answer, sessions: Mapping[str, SessionFits], models: Sequence[str]
) -> Line:
    """Return a line on the first model, with which the others are compared, and those others."""
    first, *others = models
    compared = [
        {
            "session": session,
            "first": first,
            "bits": fits[first]["bits"],
            "others": [
                {
                    "model": model,
                    "bits": fits[model]["bits"],
                    "less": _gain(fits[first], fits[model]),
                }
                for model in others
            ],
        }
        for session, fits in sessions.items()
    ]
    verdict = Verdict.holds_if(answer)
    return line(id, verdict, "each session", sessions=compared, num_sessions=len(compared))


def _novelty(sessions: Mapping[str, SessionFits]) -> Line:
    compared: list[dict[str, Any]] = []
    for session, fits in sessions.items():
        plain, by_fr, by_sr = (
            fits[PLAIN + added] for added in ("", " + novelty by the FR", " + novelty by the SR")
        )
        compared.append(
            {
                "session": session,
                "bits": plain["bits"],
                "by_fr": by_fr["bits"],
                "by_sr": by_sr["bits"],
                "gain": _gain(plain, by_fr),
                "apart": _gain(by_sr, by_fr),
            }
        )
    answer = every([above(each["gain"]) for each in compared])
    return line("novelty", Verdict.holds_if(answer), "novelty", sessions=compared)


def _gain(than: Row, model: Row) -> Interval:
    """Return the interval of how many bits per choice fewer a model needs than another one."""
    choices = np.array(model["choices_by_bout"], float)
    fewer = np.array(than["bits_by_bout"]) - np.array(model["bits_by_bout"])
    number = len(choices)
    left = (fewer.sum() - fewer) / (choices.sum() - choices)
    error = np.sqrt((number - 1) / number * ((left - left.mean()) ** 2).sum())
    middle, width = fewer.sum() / choices.sum(), stats.t.ppf(0.975, number - 1)
    return Interval(float(middle - width * error), float(middle + width * error))


def poisson_interval(count: int) -> Interval:
    """Return the exact 95% interval of the expected number, given a count."""
    low = float(stats.chi2.ppf(0.025, 2 * count) / 2) if count else 0.0
    return Interval(low, float(stats.chi2.ppf(0.975, 2 * count + 2) / 2))


def _runs(rows: Sequence[Row], target: str, judged: Sequence[str]) -> Line:
    found = {row["session"]: row for row in where(rows, runs_to=target)}
    controls = {row["session"]: row for row in where(rows, runs_to="other dead ends")}
    intervals = {session: poisson_interval(row["runs"]) for session, row in found.items()}
    # Whether there are more direct runs than turning biases let one expect.
    more = {name: above(each, found[name]["expected"]) for name, each in intervals.items()}
    runs = [
        {
            **row,
            "count": row["runs"],
            **intervals[session]._asdict(),
            "control": controls[session] if target == "water" else None,
        }
        for session, row in found.items()
    ]
    too = [session for session in found if session not in judged and more[session]]
    return line(
        f"runs:{target}",
        Verdict.holds_if(every([more[each] for each in judged]) if judged else None),
        "more runs",
        target=target,
        far=FAR,
        runs=runs,
        rewarded=list(judged),
        # Only water has a control: sessions in which nobody was rewarded with it.
        too=too,
        excess=bool(too) if target == "water" else None,
    )
