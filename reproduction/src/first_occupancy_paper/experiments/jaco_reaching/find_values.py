"""The ledger's lines on the values that critics learn, in pre-training and in fine-tuning."""

from collections.abc import Sequence
from typing import Any

from .. import Line, Verdict, line
from .comparing import about
from .run_curves import (
    End,
    Points,
    Setup,
    ends,
    largest_targets,
    last_targets,
    relative_values,
    span_of,
)

ALLOWED = 2.0
"""Tolerated ratio of values to rewards: policies may find more than the mean reward."""
GROWN = 10.0
"""Targets this many times those of APF and APS, and still growing, count as unbounded."""


def plausible(setup: Setup) -> Line | None:
    """Return how values compare with the largest possible return, if there are any rows."""
    worths = {agent: worth for agent in ("apf", "aps") if (worth := relative_values(setup, agent))}
    if not worths:
        return None
    holds = all(max(worth) <= ALLOWED for worth in worths.values())
    return line(
        "plausible",
        Verdict.holds_if(holds),
        "plausible",
        worths=[
            {"name": agent.upper(), "least": min(worth), "most": max(worth)}
            for agent, worth in worths.items()
        ],
        allowed=ALLOWED,
        beyond="" if holds else _after(setup),
    )


def _after(setup: Setup) -> str:
    """Return what becomes of values beyond their worth after pre-training."""
    if not setup.config["finetuning_steps"]:
        return "pre-training only"
    return "as published" if setup.config["hand_over"] == "as_published" else "handed over"


def outgrown(setup: Setup) -> Line | None:
    """Return whether the runs that fail are those whose values exceed any possible return."""
    agents = {agent: last for agent in setup.runs if (last := ends(setup, agent))}
    everyone = [end for last in agents.values() for end in last]
    beyond, within = ([end.earned for end in part] for part in _parts(everyone).values())
    if not beyond:
        return None
    return line(
        "outgrown",
        Verdict.holds_if(bool(within) and max(beyond) < min(within)),
        "outgrown",
        ends=[
            {
                "name": agent.upper(),
                "parts": [
                    {
                        "runs": len(part),
                        "above": above,
                        "values": _span([end.aimed_at for end in part], ".2g"),
                        "returns": _span([end.earned for end in part], ".0f"),
                    }
                    for above, part in _parts(last).items()
                    if part
                ],
            }
            for agent, last in agents.items()
        ],
        allowed=ALLOWED,
    )


def _parts(last: Sequence[End]) -> dict[bool, list[End]]:
    """Return the ends of runs, by whether their values are beyond what rewards are worth."""
    return {
        above: [end for end in last if (end.aimed_at > ALLOWED) == above] for above in (True, False)
    }


def _span(numbers: Sequence[float], form: str) -> dict[str, Any]:
    """Return the least and the largest number, and whether they differ when they are shown."""
    low, high = min(numbers), max(numbers)
    return {"low": low, "high": high, "several": format(low, form) != format(high, form)}


def bounded(found: Sequence[Setup]) -> Line:
    """Return whether the printed target stays finite, in the first setup that ran it."""
    for setup in found:
        runs = largest_targets(setup, "apf_printed")
        if runs:
            return _growth(setup, list(runs.values()))
    return line("bounded_not_run", Verdict.NOT_RUN)


def _growth(setup: Setup, runs: Sequence[Points]) -> Line:
    lasts = [points[-1][1] for points in runs]
    middles = [points[len(points) // 2][1] for points in runs]
    grows = [
        last is None or (middle is not None and last > middle)
        for last, middle in zip(lasts, middles, strict=True)
    ]
    others = {
        agent: span_of(last_targets(setup, agent).values())["most"] for agent in ("apf", "aps")
    }
    known = {agent: largest for agent, largest in others.items() if largest is not None}
    usual = max(known.values(), default=None)
    unbounded = [
        last is None or (usual is not None and last > GROWN * usual and grow)
        for last, grow in zip(lasts, grows, strict=True)
    ]
    return line(
        "bounded",
        Verdict.reproduced_if(not any(unbounded)),
        "bounded",
        step=runs[0][-1][0],
        **span_of(lasts),
        infinite=lasts.count(None),
        runs=len(lasts),
        others=[{"name": agent.upper(), "largest": each} for agent, each in known.items()],
        grown=GROWN,
        **about(setup),
    )
