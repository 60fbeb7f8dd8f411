"""Sums over subjects, the curve over K and posteriors over K, from stored rows."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from first_occupancy.behaviour.model_selection import ModelFrequencies, model_frequencies
from first_occupancy_paper.rows.row import Row

from .candidates import SWITCHES

SPECIES = ("rats", "humans")

PUBLISHED_SUMS = {
    ("rats", "random walk"): -55_452,
    ("rats", "model-free, published"): -54_488,
    ("rats", "model-based, published"): -53_889,
    ("rats", "SR, published"): -53_650,
    ("humans", "random walk"): -87_581,
    ("humans", "model-free, published"): -85_082,
    ("humans", "model-based, published"): -83_734,
    ("humans", "SR, published"): -83_151,
}
"""Summed log-likelihoods of the study, in nats."""


def chosen(rows: Sequence[Row], species: str, model: str) -> Row | None:
    """Return the row of a species and a model; None if it was not run."""
    found = [
        row
        for row in rows
        if row["kind"] == "fit" and (row["species"], row["model"]) == (species, model)
    ]
    return found[0] if found else None


def total(row: Row, key: str = "log_likelihoods") -> float:
    """Return the sum over subjects."""
    return float(np.sum(row[key]))


def scores(
    rows: Sequence[Row], species: str, models: Sequence[str]
) -> tuple[list[str], Float[np.ndarray, "I M"]]:
    """Return held-out log-likelihoods by subject and model, of the models that were held out.

    A model without parameters has nothing to be held out from: its likelihoods count.
    """
    names, columns = [], []
    for model in models:
        row = chosen(rows, species, model)
        if row is not None and (row["held_out"] is not None or not row["values"]):
            names.append(model)
            columns.append(row["held_out"] or row["log_likelihoods"])
    return names, np.array(columns, float).T if columns else np.zeros((0, 0))


def frequencies(rows: Sequence[Row], species: str, models: Sequence[str]) -> ModelFrequencies:
    """Return the random-effects comparison by held-out log-likelihoods.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
        models: names of at least two models.
    """
    return model_frequencies(scores(rows, species, models)[1])


def switch_names() -> list[str]:
    """Return the names of the models with at most K switches."""
    return [f"FRP, K = {switches}" for switches in SWITCHES]


def posterior_over_switches(
    rows: Sequence[Row], species: str, phase: str | None = None
) -> Float[np.ndarray, "I K"]:
    """Return each subject's posterior over K, from held-out likelihoods and a uniform prior.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
        phase: one of `phases.PHASES`, whose choices count; None for all choices.
    """
    found = [chosen(rows, species, name) for name in switch_names()]
    columns = [row["held_out"] if phase is None else row["by_phase"][phase] for row in found if row]
    logs = np.array(columns, float).T
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def expected_switches(
    rows: Sequence[Row], species: str, phase: str | None = None
) -> Float[np.ndarray, " I"]:
    """Return each subject's posterior mean of K.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
        phase: phase whose choices count; None for all.
    """
    return posterior_over_switches(rows, species, phase) @ np.array(SWITCHES, float)


def disagreements(
    rows: Sequence[Row], species: str
) -> dict[tuple[str, str], Float[np.ndarray, "I 3"]]:
    """Return shares of disagreements at which subjects did as either model prefers, or neither."""
    found = {}
    for row in rows:
        if row["kind"] == "disagreement" and row["species"] == species:
            counts = [row[f"did_{name}"] for name in ("first", "second", "neither")]
            table = np.array(counts, float).T
            number = table.sum(axis=1, keepdims=True)
            found[row["first"], row["second"]] = table / np.where(number > 0, number, np.nan)
    return found


def by_layout(row: Row, key: str) -> Float[np.ndarray, " L"]:
    """Return what a simulation says about each layout; NaN where there is nothing.

    Args:
        row: row of a model that was simulated.
        key: such as "recorded_detours".
    """
    return np.array([np.nan if each is None else each for each in row[key]], float)
