"""What the rows say about phases of learning, disagreements of models, and simulated subjects."""

from collections.abc import Sequence

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import Interval, above, every, interval_of, within
from .candidates import SWITCHES
from .numbers import by_layout, chosen, disagreements, expected_switches, switch_names

BEST = "FRP, K = 9, turning"
"""The model with the largest held-out likelihood, whose simulated subjects are judged."""

FIRST_TRIAL, LATE_TRIALS = "trial 1", "trials 6 to 10"
"""Phases of learning that are compared."""

AS_OFTEN = 0.05
"""Rates of success are equal if they differ by no more than this."""


PLANNER = "FRP, K = 9"


def phases_line(rows: Sequence[Row], species: str) -> Line | None:
    """Return the line on K in phases of learning; None without such rows."""
    row = chosen(rows, species, switch_names()[0])
    if row is None or "by_phase" not in row:
        return None
    means = {phase: expected_switches(rows, species, phase) for phase in row["by_phase"]}
    more = interval_of(means[LATE_TRIALS] - means[FIRST_TRIAL])
    return line(
        f"phases:{species}",
        Verdict.holds_if(above(more)),
        "later",
        species=species,
        phases=[{"phase": phase, "mean": mean.mean()} for phase, mean in means.items()],
        first=FIRST_TRIAL,
        late=LATE_TRIALS,
        more=more,
        switches=list(SWITCHES),
        prior=np.mean(SWITCHES),
    )


def disagreements_line(rows: Sequence[Row], species: str) -> Line | None:
    """Return the line on choices at which models prefer different moves; None without such rows."""
    found = disagreements(rows, species)
    if not found:
        return None
    ahead = {
        first: interval_of(100 * (shares[:, 1] - shares[:, 0]))
        for (first, second), shares in found.items()
        if second == PLANNER
    }
    pairs = []
    for (first, second), shares in found.items():
        (row,) = [
            row
            for row in rows
            if row["kind"] == "disagreement"
            and (row["species"], row["first"], row["second"]) == (species, first, second)
        ]
        pairs.append(
            {
                "first": first,
                "second": second,
                "number": sum(map(sum, (row["did_first"], row["did_second"], row["did_neither"]))),
                "choices": sum(row["choices"]),
                "did_first": shares[:, 0].mean(),
                "did_second": shares[:, 1].mean(),
            }
        )
    rivals = [each for each in ("turning biases", "SR") if each in ahead]
    return line(
        f"disagreements:{species}",
        Verdict.holds_if(every([above(ahead[each]) for each in rivals])),
        "rivals",
        species=species,
        pairs=pairs,
        rivals=[{"model": each, **ahead[each]._asdict()} for each in rivals],
    )


def simulated_line(rows: Sequence[Row], species: str) -> Line | None:
    """Return the line on how often simulated subjects reach the goal; None if none are."""
    found = _simulated(rows, species, "simulated_success")
    if BEST not in found:
        return None
    rates = {name: by_layout(row, "simulated_success") for name, row in found.items()}
    recorded = by_layout(found[BEST], "recorded_success")
    apart = interval_of(rates[BEST] - recorded)
    return line(
        f"success:{species}",
        Verdict.holds_if(within(apart, -AS_OFTEN, AS_OFTEN)),
        "as often",
        species=species,
        recorded=recorded.mean(),
        simulated=[{"model": name, "rate": each.mean()} for name, each in rates.items()],
        best=BEST,
        low=100 * apart.low,
        high=100 * apart.high,
        points=100 * AS_OFTEN,
    )


def detours_line(rows: Sequence[Row], species: str) -> Line | None:
    """Return the line on detours of simulated subjects, layout by layout; None if none are."""
    found = _simulated(rows, species, "simulated_detours")
    if BEST not in found:
        return None
    simulated = [
        {
            "model": name,
            "moves": np.nanmean(by_layout(row, "simulated_detours")),
            **_correlation(row)._asdict(),
        }
        for name, row in found.items()
    ]
    return line(
        f"detours:{species}",
        Verdict.holds_if(above(_correlation(found[BEST]))),
        "correlated",
        species=species,
        recorded=np.nanmean(by_layout(found[BEST], "recorded_detours")),
        simulated=simulated,
        best=BEST,
    )


def _simulated(rows: Sequence[Row], species: str, key: str) -> dict[str, Row]:
    """Return the rows of models whose simulated subjects are shown."""
    return {
        name: row
        for name in ("SR", PLANNER, BEST)
        if (row := chosen(rows, species, name)) is not None and key in row
    }


def _correlation(row: Row) -> Interval:
    """Return the interval of the correlation over layouts of recorded and simulated detours."""
    pair = np.stack([by_layout(row, f"{who}_detours") for who in ("recorded", "simulated")])
    pair = pair[:, np.isfinite(pair).all(axis=0)]
    middle, half = np.arctanh(np.corrcoef(pair)[0, 1]), 1.96 / np.sqrt(pair.shape[1] - 3)
    return Interval(float(np.tanh(middle - half)), float(np.tanh(middle + half)))
