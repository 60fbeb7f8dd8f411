"""From rows to shares of the optimum, with 95% intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from first_occupancy_paper.rows.row import Row

from ..answers import half_width
from ..exploration.protocols import TASKS


@dataclass(frozen=True)
class ShareEstimate:
    """The mean total reward of independent trials, compared with the optimum.

    Attributes:
        mean: the mean over trials.
        half_width: half of its 95% interval: t times the standard error over trials.
        trials: number of trials.
        optimum: largest expected total reward.
    """

    mean: float
    half_width: float
    trials: int
    optimum: float

    @property
    def share(self) -> float:
        """The mean as a share of the optimum."""
        return self.mean / self.optimum

    @property
    def half_share(self) -> float:
        """Half of the share's 95% interval; the optimum is exact."""
        return self.half_width / self.optimum


def estimate(rows: Iterable[Row]) -> ShareEstimate:
    """Return the estimate from the trials of all rows of one task."""
    rows = list(rows)
    totals = np.concatenate([row["totals"] for row in rows])
    return ShareEstimate(float(totals.mean()), half_width(totals), len(totals), rows[0]["optimum"])


def whole(rows: Sequence[Row]) -> dict[str, ShareEstimate]:
    """Return the whole rule's estimate for each task that has rows, in the paper's order."""
    groups = _by(rows, "task", part="task")
    return {task: estimate(groups[task]) for task in sorted(groups, key=TASKS.index)}


def ablated(rows: Sequence[Row]) -> dict[str, dict[str, ShareEstimate]]:
    """Return for each task the estimate of each variant of the rule."""
    groups = _by(rows, "task", part="ablation")
    return {
        task: {name: estimate(group) for name, group in _by(groups[task], "variant").items()}
        for task in sorted(groups, key=TASKS.index)
    }


def goal_shares(rows: Sequence[Row]) -> dict[str, Float[np.ndarray, " G"]]:
    """Return for each agent the share of each hidden goal's optimum; goals in the same order."""
    groups = _by(rows, "agent", part="hidden_goal")
    return {
        agent: np.concatenate([np.array(row["totals"]) / row["optima"] for row in group])
        for agent, group in groups.items()
    }


def of_task(rows: Sequence[Row], task: str) -> list[Row]:
    """Return the rows of the whole rule on a task."""
    return [row for row in rows if row["part"] == "task" and row["task"] == task]


def _by(rows: Sequence[Row], key: str, *, part: str | None = None) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if part is None or row["part"] == part:
            groups.setdefault(row[key], []).append(row)
    return groups
