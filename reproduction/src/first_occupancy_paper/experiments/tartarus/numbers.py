"""Sums over subjects, held-out likelihoods and posteriors over K, from stored rows."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from .. import Row, grouped, where
from .candidates import PLANNERS

Fits = Mapping[str, Row]
"""The row of each model that was fitted to one species, by the model's name."""


def fits_by_species(rows: Sequence[Row]) -> dict[str, Fits]:
    """Return the fits to rats, and those to humans."""
    by_species = grouped(where(rows, kind="fit"), "species")
    return {name: {row["model"]: row for row in own} for name, own in by_species.items()}


def total(row: Row, key: str = "log_likelihoods") -> float:
    """Return the sum over subjects."""
    return float(np.sum(row[key]))


def scores(fits: Fits, models: Sequence[str]) -> Float[np.ndarray, "I M"]:
    """Return held-out log-likelihoods by subject and model.

    A model without parameters has nothing to be held out from: its likelihoods count.
    """
    columns = [fits[name]["held_out"] or fits[name]["log_likelihoods"] for name in models]
    return np.array(columns, float).T


def posterior_over_switches(fits: Fits, phase: str | None = None) -> Float[np.ndarray, "I K"]:
    """Return each subject's posterior over K, from held-out likelihoods and a uniform prior.

    Args:
        fits: fits to one species.
        phase: one of `simulated.PHASES`, whose choices count; None for all choices.
    """
    if phase is None:
        return softmax(scores(fits, PLANNERS), axis=1)
    return softmax(np.array([fits[name]["by_phase"][phase] for name in PLANNERS]).T, axis=1)


def by_layout(row: Row, key: str) -> Float[np.ndarray, " L"]:
    """Return what a simulation says about each layout; NaN where there is nothing.

    Args:
        row: row of a model that was simulated.
        key: such as "recorded_detours".
    """
    return np.array(row[key], float)  # None becomes NaN
