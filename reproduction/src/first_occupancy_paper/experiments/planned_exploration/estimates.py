"""From rows to shares of the optimum, trial by trial."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from first_occupancy_paper.rows.row import Row, grouped, where

from .peers import PLACES

Shares = dict[str, Float[np.ndarray, " _"]]
"""Total rewards of trials as shares of the optimum, by what was run."""


def by_task(rows: Sequence[Row], part: str) -> dict[str, list[Row]]:
    """Return the rows of a part for each task that has some, in the paper's order."""
    groups = grouped(where(rows, part=part), "task")
    return {task: groups[task] for task in PLACES if task in groups}


def shares(rows: Sequence[Row]) -> Float[np.ndarray, " B"]:
    """Return the shares of all trials; a row has one optimum, or one for each trial."""
    return np.concatenate(
        [np.divide(row["totals"], row.get("optima", row.get("optimum"))) for row in rows]
    )


def shares_by(rows: Sequence[Row], name: str) -> Shares:
    """Return the shares of rows by what they have under a name."""
    return {key: shares(group) for key, group in grouped(rows, name).items()}


def shares_by_task(rows: Sequence[Row], part: str, name: str) -> dict[str, Shares]:
    """Return the shares of a part's rows by what they have under a name, for each task."""
    return {task: shares_by(own, name) for task, own in by_task(rows, part).items()}
