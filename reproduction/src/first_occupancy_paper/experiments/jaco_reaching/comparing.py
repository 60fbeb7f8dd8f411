"""Parts that several lines share: pairs of curves, verdicts of intervals, spans in words."""

import numpy as np

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


def span(bounds: tuple[float, float], form: str = ".1f") -> str:
    """Return an interval's ends in words.

    Args:
        bounds: both ends.
        form: how to format them.
    """
    return f"{bounds[0]:{form}}, {bounds[1]:{form}}"
