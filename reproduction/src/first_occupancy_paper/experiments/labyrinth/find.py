"""What the rows say: which baseline is hard to beat, and whether goals add to it.

`findings.md` has the sentences.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from .. import Line, Row, Verdict, line
from ..answers import Answer, Interval, above, every, some
from .runs import FAR, poisson_interval

ORDERS = (2, 3, 4)
"""Orders of the Markov chains that know where a mouse is and whence it comes."""

REWARDED = ("D9a",)
"""Sessions with water."""

NOTHING = 0.005
"""Fewer bits per choice than this count as nothing."""


PLAIN = "turning biases"


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    sessions = sorted({row["session"] for row in rows})
    chains = [f"Markov chain of order {order}" for order in ORDERS]
    goals = [f"{PLAIN} + {goal}" for goal in ("homing", "water runs")]

    def more(session: str, model: str, than: str = PLAIN, by: float = 0.0) -> Answer:
        return above(_gain(rows, session, than, model), by)

    return [
        _line(
            "biases",
            every([more(each, PLAIN, "random walk") for each in sessions]),
            rows,
            ["random walk", PLAIN],
        ),
        _line(
            "markov",
            every([more(each, chain) for each in sessions for chain in chains]),
            rows,
            [PLAIN, "Markov chain of order 1", *chains, "Markov chain of variable order"],
        ),
        _line(
            "goals",
            every([some([more(each, goal, by=NOTHING) for goal in goals]) for each in sessions]),
            rows,
            [PLAIN, *goals],
        ),
        _novelty(rows),
        _runs(rows, "exit", sessions),
        _runs(rows, "water", [each for each in sessions if each in REWARDED]),
    ]


def _line(id: str, answer: Answer, rows: Sequence[Row], models: Sequence[str]) -> Line:
    """Return a line on the first model, with which the others are compared, and those others."""
    bits = _bits(rows)
    first, *others = models
    compared = [
        {
            "session": session,
            "first": first,
            "bits": bits[session, first],
            "others": [
                {
                    "model": model,
                    "bits": bits[session, model],
                    "less": _gain(rows, session, first, model),
                }
                for model in others
            ],
        }
        for session in sorted({row["session"] for row in rows})
    ]
    verdict = Verdict.holds_if(answer)
    return line(id, verdict, "each session", sessions=compared, num_sessions=len(compared))


def _novelty(rows: Sequence[Row]) -> Line:
    bits = _bits(rows)
    by_fr, by_sr = (f"{PLAIN} + novelty by the {each}" for each in ("FR", "SR"))
    sessions = [
        {
            "session": session,
            "bits": bits[session, PLAIN],
            "by_fr": bits[session, by_fr],
            "by_sr": bits[session, by_sr],
            "gain": _gain(rows, session, PLAIN, by_fr),
            "apart": _gain(rows, session, by_sr, by_fr),
        }
        for session in sorted({row["session"] for row in rows})
    ]
    answer = every([above(each["gain"]) for each in sessions])
    return line("novelty", Verdict.holds_if(answer), "novelty", sessions=sessions)


def _bits(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    return {(row["session"], row["model"]): row["bits"] for row in rows if "model" in row}


def _gain(rows: Sequence[Row], session: str, than: str, model: str) -> Interval:
    """Return the interval of how many bits per choice fewer a model needs than another one."""
    found = {row["model"]: row for row in rows if row["session"] == session and "model" in row}
    choices = np.array(found[model]["choices_by_bout"], float)
    fewer = np.array(found[than]["bits_by_bout"]) - np.array(found[model]["bits_by_bout"])
    number = len(choices)
    left = (fewer.sum() - fewer) / (choices.sum() - choices)
    error = np.sqrt((number - 1) / number * ((left - left.mean()) ** 2).sum())
    middle, width = fewer.sum() / choices.sum(), student.ppf(0.975, number - 1)
    return Interval(float(middle - width * error), float(middle + width * error))


def _runs(rows: Sequence[Row], target: str, judged: Sequence[str]) -> Line:
    found = {row["session"]: row for row in rows if row.get("runs_to") == target}
    controls = {row["session"]: row for row in rows if row.get("runs_to") == "other dead ends"}
    more = {session: _more(row) for session, row in found.items()}
    runs = [
        {
            **row,
            "count": row["runs"],
            **Interval(*poisson_interval(row["runs"]))._asdict(),
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


def _more(row: Row) -> Answer:
    """Return whether there are more direct runs than turning biases let one expect."""
    return above(Interval(*poisson_interval(row["runs"])), row["expected"])
