"""What the rows say about the study's ranking of models, and about planning with few switches.

`findings.md` has the sentences.
"""

from collections.abc import Sequence

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import Interval, above, every, interval_of
from .candidates import OURS, PUBLISHED, SWITCHES
from .find_moves import detours_line, disagreements_line, phases_line, simulated_line
from .numbers import (
    PUBLISHED_SUMS,
    SPECIES,
    chosen,
    frequencies,
    posterior_over_switches,
    scores,
    switch_names,
    total,
)

RIVALS = ("random walk", "turning biases", "Q-learning", "SR", "SR with traces", *switch_names())
"""Models that are compared by random effects; "model-based" is K = 9 but for a few choices."""

TO_THE_UNIT = 1.0
"""Sums of log-likelihoods are equal if they differ by less than this, in nats."""

NEARLY = 0.9
"""Three switches do nearly as well as nine if they bring this share of the improvement."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    asks = (_published, _planning, _switches, _habits, _all_models)
    further = (phases_line, disagreements_line, simulated_line, detours_line)
    needed = ("random walk", "SR", *switch_names())
    found = [
        ask(rows, species)
        for species in SPECIES
        if all(chosen(rows, species, name) for name in needed)
        for ask in (*asks, *further)
    ]
    return [each for each in found if each is not None]


def _published(rows: Sequence[Row], species: str) -> Line:
    sums = [
        {"model": name, "published": PUBLISHED_SUMS[species, name], "total": total(row)}
        for name in PUBLISHED
        if (row := chosen(rows, species, name)) is not None
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


def _planning(rows: Sequence[Row], species: str) -> Line:
    names = [name for name in RIVALS if name in scores(rows, species, RIVALS)[0]]
    chances = frequencies(rows, species, names).protected
    held_out = dict(zip(names, scores(rows, species, names)[1].sum(axis=0), strict=True))
    shown = ("SR", "FRP, K = 9", "model-based")
    gained = _more(rows, species, "FRP, K = 9", "SR")
    best = names[int(np.argmax(chances))]
    return line(
        f"planning:{species}",
        Verdict.holds_if(every([above(gained), best.startswith("FRP")])),
        "a planner",
        species=species,
        in_sample={name: total(chosen(rows, species, name) or {}) for name in shown},
        held_out=held_out,
        gained=gained,
        protected=[
            {"model": name, "chance": chance}
            for name, chance in zip(names, chances, strict=True)
            if chance >= 0.005
        ],
    )


def _switches(rows: Sequence[Row], species: str) -> Line:
    sums = scores(rows, species, switch_names())[1].sum(axis=0)
    posterior = posterior_over_switches(rows, species)
    best = [SWITCHES[place] for place in posterior.argmax(axis=1)]
    excess = _beyond(rows, species)
    return line(
        f"switches:{species}",
        Verdict.holds_if(above(excess)),
        "nearly",
        species=species,
        switches=list(SWITCHES),
        held_out=sums,
        gain=(sums[SWITCHES.index(3)] - sums[0]) / (sums[-1] - sums[0]),
        excess=excess,
        best=[{"k": each, "count": best.count(each)} for each in SWITCHES if each in best],
        nearly=NEARLY,
    )


def _more(rows: Sequence[Row], species: str, model: str, than: str) -> Interval:
    """Return the interval of how much more likely a model makes a subject's held-out choices."""
    found = scores(rows, species, [than, model])[1]
    return interval_of(found[:, 1] - found[:, 0])


def _beyond(rows: Sequence[Row], species: str) -> Interval:
    """Return the interval of what K = 3 brings, less the share of K = 9 that it has to."""
    by_switches = scores(rows, species, switch_names())[1]
    none, three, nine = (by_switches[:, SWITCHES.index(k)] for k in (0, 3, 9))
    return interval_of((three - none) - NEARLY * (nine - none))


def _habits(rows: Sequence[Row], species: str) -> Line:
    names = [
        name
        for name in ("turning biases", "SR", "SR, turning", "FRP, K = 9", "FRP, K = 9, turning")
        if name in scores(rows, species, [name])[0]
    ]
    sums = {name: float(scores(rows, species, [name])[1].sum()) for name in names}
    ahead = _more(rows, species, "SR", "turning biases")
    both = [(f"{plan}, turning", plan) for plan in ("SR", "FRP, K = 9")]
    pairs = [pair for pair in both if all(name in sums for name in pair)]
    return line(
        f"habits:{species}",
        Verdict.holds_if(above(ahead)),
        "better",
        species=species,
        sums=[{"model": name, "sum": each} for name, each in sums.items()],
        ahead=ahead,
        # With both, choices are likelier than with either.
        add_up=all(sums[one] > max(sums[other], sums[names[0]]) for one, other in pairs),
    )


def _all_models(rows: Sequence[Row], species: str) -> Line:
    models = [
        {
            "model": name,
            "total": total(row),
            "held_out": total(row, "held_out") if row["held_out"] else None,
        }
        for name in ("random walk", *OURS)
        if (row := chosen(rows, species, name)) is not None
    ]
    return line(f"all_models:{species}", Verdict.REMARK, species=species, models=models)
