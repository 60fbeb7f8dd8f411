"""Parts that several lines share: pairs of curves, verdicts of intervals, and what was run."""

from typing import Any

import numpy as np

from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS, FORMAT
from first_occupancy_paper.arm.runs.run_config import RunConfig
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.jaco_reaching.run_curves import (
    Curves,
    Setup,
    finetuning_curves,
)

FEWEST = 3
"""Fewest seeds of each agent for a conclusion."""


def settled(holds: bool, fails: bool, yes: Verdict, no: Verdict) -> Verdict:
    """Return the verdict of an interval that lies on one side of a threshold, or on neither.

    Args:
        holds: whether it lies on the side of the claim.
        fails: whether it lies on the other side.
        yes: verdict on a claim that holds.
        no: verdict on one that does not.
    """
    return yes if holds else no if fails else Verdict.UNSETTLED


def pair_of(setup: Setup) -> tuple[Curves, Curves] | None:
    """Return curves of APF and APS over the same steps, if there are enough runs of both."""
    apf, aps = (finetuning_curves(setup, agent) for agent in ("apf", "aps"))
    if apf is None or aps is None or min(len(apf.seeds), len(aps.seeds)) < FEWEST:
        return None
    last = min(int(apf.steps[-1]), int(aps.steps[-1]))
    return apf.until(last), aps.until(last)


def standard_error(samples: np.ndarray) -> float:
    """Return the standard error of a mean over seeds."""
    return float(samples.std(ddof=1) / np.sqrt(len(samples)))


def about(setup: Setup) -> dict[str, Any]:
    """Return what was run, for a line's sentences."""
    return {
        "words": words(setup),
        "config": setup.config,
        "agents": [_runs_of(setup, agent) for agent in setup.runs],
        "hardware": list(setup.hardware),
    }


def _runs_of(setup: Setup, agent: str) -> dict[str, Any]:
    """Return how many runs of an agent there are, and how far they got."""
    runs = {"agent": agent, "seeds": len(setup.runs[agent])}
    if not setup.config["finetuning_steps"]:
        return {**runs, "together": None}
    reached = setup.reached(agent)
    least, most = min(reached), max(reached)
    far = {"finished": len(setup.finished(agent)), "least": least, "most": most}
    return {**runs, **far, "together": least == most}


def words(setup: Setup) -> list[str]:
    """Return in words which setup a claim is about."""
    config = setup.config
    found = ["pre-training only"]
    if config["finetuning_steps"]:
        published = config["hand_over"] == "as_published"
        found = ["handed over as published" if published else "all parts handed over"]
        if config["task"] != RunConfig.task:
            found.append(config["task"].replace("_", " "))
        if config["first_actions"] != FIRST_ACTIONS[FORMAT]:
            found.append(f"begun by {config['first_actions']}")
    if config["width"] != RunConfig.width:
        found.append(f"width {config['width']}")
    if config["bounded"]:
        found.append("values bounded")
    return found
