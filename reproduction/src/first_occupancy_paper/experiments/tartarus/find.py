"""What the rows say about the study's ranking of models, and about planning with few switches.

`findings.md` has the sentences.
"""

from collections.abc import Sequence

import numpy as np

from first_occupancy.behaviour.model_selection import model_frequencies

from .. import Line, Row, Verdict, line, where
from ..answers import Interval, above, every, interval_of
from .candidates import CANDIDATES, PLANNERS, PUBLISHED, SWITCHES
from .find_moves import detours_line, disagreements_line, phases_line, success_line
from .numbers import Fits, fits_by_species, posterior_over_switches, scores, total

RIVALS = ("random walk", "turning biases", "Q-learning", "SR", "SR with traces", *PLANNERS)
"""Models that are compared by random effects; "model-based" is K = 9 but for a few choices."""

TO_THE_UNIT = 1.0
"""Sums of log-likelihoods are equal if they differ by less than this, in nats."""

NEARLY = 0.9
"""Three switches do nearly as well as nine if they bring this share of the improvement."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    found = []
    for species, fits in fits_by_species(rows).items():
        found += [
            _published(species, fits),
            _planning(species, fits),
            _switches(species, fits),
            _habits(species, fits),
            _all_models(species, fits),
            phases_line(species, fits),
            disagreements_line(species, where(rows, kind="disagreement", species=species)),
            success_line(species, fits),
            detours_line(species, fits),
        ]
    return found


def _published(species: str, fits: Fits) -> Line:
    sums = [
        {"model": name, "published": published[species], "total": total(fits[name])}
        for name, published in PUBLISHED.items()
    ]
    exact = all(
        abs(each["published"] - each["total"]) < TO_THE_UNIT
        for each in sums
        if "model-free" not in each["model"]
    )
    return line(
        f"published:{species}",
        Verdict.holds_if(exact),
        "published sums",
        species=species,
        sums=sums,
        to_the_unit=TO_THE_UNIT,
    )


def _planning(species: str, fits: Fits) -> Line:
    logs = scores(fits, RIVALS)
    chances = model_frequencies(logs).protected
    gained = _more(fits, "FRP, K = 9", "SR")
    best = RIVALS[int(np.argmax(chances))]
    return line(
        f"planning:{species}",
        Verdict.holds_if(every([above(gained), best.startswith("FRP")])),
        "a planner",
        species=species,
        in_sample={name: total(fits[name]) for name in ("SR", "FRP, K = 9", "model-based")},
        held_out=dict(zip(RIVALS, logs.sum(axis=0), strict=True)),
        gained=gained,
        protected=[
            {"model": name, "chance": chance}
            for name, chance in zip(RIVALS, chances, strict=True)
            if chance >= 0.005
        ],
    )


def _switches(species: str, fits: Fits) -> Line:
    logs = scores(fits, PLANNERS)
    none, three, nine = (logs[:, SWITCHES.index(k)] for k in (0, 3, 9))
    # The gain of three switches beyond the required share of the gain of nine.
    excess = interval_of((three - none) - NEARLY * (nine - none))
    sums = dict(zip(SWITCHES, logs.sum(axis=0), strict=True))
    best = [SWITCHES[place] for place in posterior_over_switches(fits).argmax(axis=1)]
    return line(
        f"switches:{species}",
        Verdict.holds_if(above(excess)),
        "nearly",
        species=species,
        switches=list(SWITCHES),
        held_out=list(sums.values()),
        gain=(sums[3] - sums[0]) / (sums[9] - sums[0]),
        excess=excess,
        best=[{"k": each, "count": best.count(each)} for each in SWITCHES if each in best],
        nearly=NEARLY,
    )


def _more(fits: Fits, model: str, than: str) -> Interval:
    """Return the interval of how much more likely a model makes a subject's held-out choices."""
    less, more = scores(fits, [than, model]).T
    return interval_of(more - less)


def _habits(species: str, fits: Fits) -> Line:
    biases, plans = "turning biases", ("SR", "FRP, K = 9")
    names = [biases, *(each for plan in plans for each in (plan, f"{plan}, turning"))]
    sums = {name: total(fits[name], "held_out") for name in names}
    ahead = _more(fits, "SR", biases)
    return line(
        f"habits:{species}",
        Verdict.holds_if(above(ahead)),
        "better",
        species=species,
        sums=[{"model": name, "sum": each} for name, each in sums.items()],
        ahead=ahead,
        # With both, choices are likelier than with either.
        add_up=all(sums[f"{plan}, turning"] > max(sums[plan], sums[biases]) for plan in plans),
    )


def _all_models(species: str, fits: Fits) -> Line:
    models = [
        {
            "model": name,
            "total": total(fits[name]),
            "held_out": total(fits[name], "held_out") if fits[name]["held_out"] else None,
        }
        for name in CANDIDATES
        if name == "random walk" or name not in PUBLISHED
    ]
    return line(f"all_models:{species}", Verdict.REMARK, species=species, models=models)
