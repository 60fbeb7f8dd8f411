"""What the rows say about phases of learning, disagreements of models, and simulated subjects."""

from collections.abc import Sequence

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import Interval, above, every, interval_of, within
from .candidates import BEST, SIMULATED, SWITCHES
from .disagreements import shares
from .numbers import Fits, by_layout, posterior_over_switches
from .simulated import PHASES

FIRST_TRIAL, LATE_TRIALS = "trial 1", "trials 6 to 10"
"""Phases of learning that are compared."""

AS_OFTEN = 0.05
"""Rates of success are equal if they differ by no more than this."""


def phases_line(species: str, fits: Fits) -> Line:
    """Return the line on K in phases of learning."""
    # Each subject's posterior mean of K.
    means = {phase: posterior_over_switches(fits, phase) @ np.array(SWITCHES) for phase in PHASES}
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


def disagreements_line(species: str, rows: Sequence[Row]) -> Line:
    """Return the line on choices at which models prefer different moves, a row for each pair."""
    pairs, ahead = [], {}
    for row in rows:
        first, second, _ = shares(row).T
        if row["second"] == "FRP, K = 9":
            ahead[row["first"]] = interval_of(100 * (second - first))
        pairs.append(
            {
                "first": row["first"],
                "second": row["second"],
                "number": sum(map(sum, (row["did_first"], row["did_second"], row["did_neither"]))),
                "choices": sum(row["choices"]),
                "did_first": first.mean(),
                "did_second": second.mean(),
            }
        )
    return line(
        f"disagreements:{species}",
        Verdict.holds_if(every([above(each) for each in ahead.values()])),
        "rivals",
        species=species,
        pairs=pairs,
        rivals=[{"model": name, **each._asdict()} for name, each in ahead.items()],
    )


def success_line(species: str, fits: Fits) -> Line:
    """Return the line on how often simulated subjects reach the goal."""
    rates = {name: by_layout(fits[name], "simulated_success") for name in SIMULATED}
    recorded = by_layout(fits[BEST], "recorded_success")
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


def detours_line(species: str, fits: Fits) -> Line:
    """Return the line on detours of simulated subjects, layout by layout."""
    simulated = [
        {
            "model": name,
            "moves": np.nanmean(by_layout(fits[name], "simulated_detours")),
            **_correlation(fits[name])._asdict(),
        }
        for name in SIMULATED
    ]
    return line(
        f"detours:{species}",
        Verdict.holds_if(above(_correlation(fits[BEST]))),
        "correlated",
        species=species,
        recorded=np.nanmean(by_layout(fits[BEST], "recorded_detours")),
        simulated=simulated,
        best=BEST,
    )


def _correlation(row: Row) -> Interval:
    """Return the interval of the correlation over layouts of recorded and simulated detours."""
    pair = np.stack([by_layout(row, f"{who}_detours") for who in ("recorded", "simulated")])
    pair = pair[:, np.isfinite(pair).all(axis=0)]
    middle, half = np.arctanh(np.corrcoef(pair)[0, 1]), 1.96 / np.sqrt(pair.shape[1] - 3)
    return Interval(float(np.tanh(middle - half)), float(np.tanh(middle + half)))
