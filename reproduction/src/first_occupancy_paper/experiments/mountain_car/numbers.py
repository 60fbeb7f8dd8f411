"""From rows to numbers: how good the chosen policies are, and how accurate their estimates."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy_paper.rows.row import Row, where

SHOWN_GOALS = (0.1, 0.4)
"""The two goals of Fig. ff_mountaincar(b); the paper does not say which it shows."""

NOTHING = 1e-9
"""Lower bound on the divisor, for policies that reach no goal."""


class Chosen(NamedTuple):
    """The policies chosen for all goals, and their values.

    Attributes:
        policy: index of the chosen policy.
        estimate: its estimated value.
        true: its true value.
        best: true value of the best policy.
    """

    policy: Int[np.ndarray, " G"]
    estimate: Float[np.ndarray, " G"]
    true: Float[np.ndarray, " G"]
    best: Float[np.ndarray, " G"]

    @property
    def share(self) -> float:
        """True value as a share of the best policy's, mean over goals."""
        return float(np.mean(self.true / self.best))

    @property
    def ratio(self) -> float:
        """Estimated value divided by true value, both summed over goals."""
        return float(self.estimate.sum() / max(self.true.sum(), NOTHING))

    @property
    def gap(self) -> float:
        """Absolute error of the estimates divided by true value, both summed over goals."""
        return float(np.abs(self.estimate - self.true).sum() / max(self.true.sum(), NOTHING))


def chosen(row: Row) -> Chosen:
    """Return a row's choices."""
    policy, goals = np.array(row["chosen"]), np.arange(len(row["goals"]))
    true = np.array(row["true"])
    return Chosen(
        policy, np.array(row["estimates"])[policy, goals], true[policy, goals], true.max(axis=0)
    )


def measured(rows: Sequence[Row], measure: str) -> Float[np.ndarray, " R"]:
    """Return a measure of `Chosen` for each row."""
    return np.array([getattr(chosen(row), measure) for row in rows])


def values_by_power(row: Row, goal: float, column: str = "estimates") -> Float[np.ndarray, " N"]:
    """Return the value of each policy for a goal: estimated, or of column "true"."""
    return np.array(row[column])[:, row["goals"].index(goal)]


def by_setting(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    """Return rows by the setting that is varied, such as "width 0.5"; "as chosen" comes first."""
    main = where(rows, part="choice")
    titles = {"basis": "grid", "width": "width", "step_size": "step size", "discount": "discount"}
    groups = {"as chosen": main}
    for row in where(rows, part="settings"):
        varied = [name for name in titles if row[name] != main[0][name]]
        text = ", ".join(f"{titles[name]} {_value(row[name])}" for name in varied)
        groups.setdefault(text, []).append(row)
    return groups


def _value(value: object) -> str:
    return " x ".join(map(str, value)) if isinstance(value, list) else str(value)
