"""From rows to numbers: how good the chosen policies are, and how well that was known."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.experiments import Row
from first_occupancy.experiments.intervals import half_width

SHOWN_GOALS = (0.1, 0.4)
"""The two goals of Fig. ff_mountaincar(b); the paper does not say which it shows."""

NOTHING = 1e-9
"""What policies that reach no goal are divided by."""


class Chosen(NamedTuple):
    """The policies chosen for all goals: their numbers, their worth, and the best policies'."""

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
        """Estimated by true value, both summed over goals."""
        return float(self.estimate.sum() / max(self.true.sum(), NOTHING))

    @property
    def gap(self) -> float:
        """How far estimates are off, up or down, by true value, both summed over goals."""
        return float(np.abs(self.estimate - self.true).sum() / max(self.true.sum(), NOTHING))


def chosen(row: Row) -> Chosen:
    """Return a row's choices."""
    policy, goals = np.array(row["chosen"]), np.arange(len(row["goals"]))
    true = np.array(row["true"])
    return Chosen(
        policy, np.array(row["estimates"])[policy, goals], true[policy, goals], true.max(axis=0)
    )


def of(rows: Sequence[Row], **wanted: object) -> list[Row]:
    """Return the rows that have these entries, in the order of their seeds."""
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return sorted(found, key=lambda row: row["seed"])


def measured(rows: Sequence[Row], measure: str) -> Float[np.ndarray, " R"]:
    """Return a measure of `Chosen` for each row."""
    return np.array([getattr(chosen(row), measure) for row in rows])


def values_by_power(rows: Sequence[Row], place: int) -> Float[np.ndarray, "R N"]:
    """Return each row's estimates for all policies, for the goal at that place of the list."""
    return np.array([[of_policy[place] for of_policy in row["estimates"]] for row in rows])


def interval(values: Sequence[float] | np.ndarray, digits: int = 3) -> str:
    """Return mean and 95% interval as the ledger shows them."""
    return f"{np.mean(values):.{digits}f} ± {half_width(values):.{digits}f}"


def by_setting(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    """Return rows of varied settings by what is varied, as "width 0.5"; the chosen ones first."""
    (main, *_) = of(rows, part="choice")
    names = ("num_features", "basis", "width", "step_size", "discount")
    groups: dict[str, list[Row]] = {"as chosen": of(rows, part="choice")}
    for row in rows:
        if row["part"] == "settings":
            varied = [name for name in names if row[name] != main[name]]
            text = ", ".join(f"{_title(name)} {_value(row[name])}" for name in varied)
            groups.setdefault(text, []).append(row)
    return groups


def _title(name: str) -> str:
    return {"step_size": "step size", "basis": "grid"}.get(name, name)


def _value(value: object) -> str:
    return " x ".join(map(str, value)) if isinstance(value, list) else str(value)
