"""Rules on rewards that can be taken once; `findings.md` has the sentences.

They were written before the rows existed. A *cell* is a world at one level of noise, with all
numbers of rewards. Shares are returns divided by the best return of any strategy.
"""

from collections.abc import Sequence

import numpy as np

from .. import Line, Row, Verdict, grouped, line, where
from ..answers import above, every, interval_of, mean_of

EXACTLY = 1e-9
"""How far from the best return an exact share may be."""

MEAN, WORST = 0.99, 0.95
"""The mean share, and that of the worst draw, that are asked for at noise up to 0.2."""

PEERS = (
    *("FR-GPI", "SR-GPI", "FR-GPI over legs", "SR-GPI over legs"),
    *("nearest first", "best first"),
)
"""The methods that orders are compared with."""


def shares(rows: Sequence[Row], method: str, **chosen: object) -> np.ndarray:
    """Return the shares of a method in some rows, in the order of their draws."""
    return np.array([row["share"] for row in where(rows, method=method, **chosen)])


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    exact = where(rows, learned=False)
    return [
        _certain(exact),
        *(_noisy(exact, noise) for noise in (0.1, 0.2, 0.5)),
        _promises(exact),
        *(_ahead(exact, peer) for peer in PEERS),
        _learned(rows),
    ]


def _certain(rows: Sequence[Row]) -> Line:
    found = shares(rows, "orders", noise=0.0)
    off = max(abs(found - 1), default=np.nan)
    verdict = Verdict.holds_if(off <= EXACTLY if len(found) else None)
    return line("certain", verdict, draws=len(found), worst=off)


def _noisy(rows: Sequence[Row], noise: float) -> Line:
    """At noise up to 0.2 the rule asks for a mean of 0.99 in every world, and for 0.95 always."""
    by_world = grouped(where(rows, method="orders", noise=noise), "world")
    found = {world: shares(by_world[world], "orders") for world in sorted(by_world)}
    worst = min((each.min() for each in found.values()), default=np.nan)
    good = all(each.mean() >= MEAN for each in found.values()) and worst >= WORST
    verdict = Verdict.holds_if(good if found else None)
    if found and noise > 0.2:
        verdict = Verdict.REMARK
    worlds = [{"world": world, "mean": each.mean()} for world, each in found.items()]
    return line(f"noisy:{noise:g}", verdict, noise=noise, worlds=worlds, worst=worst)


def _promises(rows: Sequence[Row]) -> Line:
    """An order's value must not exceed what the agent achieves, in any draw."""
    ratios = [row["promised"] / row["share"] for row in where(rows, method="orders")]
    broken = sum(ratio > 1 + EXACTLY for ratio in ratios)
    return line(
        "promises",
        Verdict.holds_if(broken == 0),
        above=broken,
        draws=len(ratios),
        lowest=min(ratios),
    )


def _ahead(rows: Sequence[Row], peer: str) -> Line:
    """Orders are ahead if the interval of the mean difference is above 0 in every cell."""
    cells = grouped(rows, "world", "noise")
    gains, means = [], []
    for cell in cells.values():
        other = shares(cell, peer)
        gains.append(interval_of(shares(cell, "orders") - other, tests=len(cells)))
        means.append(other.mean())
    wins = [above(gain) for gain in gains]
    numbers = {"wins": wins.count(True), "cells": len(cells), "low": min(means), "high": max(means)}
    return line(f"ahead:{peer}", Verdict.holds_if(every(wins)), peer=peer, **numbers)


def _learned(rows: Sequence[Row]) -> Line:
    """With learned FRs the lead over the better GPI must be above 0, over all levels of noise."""
    learned, known = where(rows, learned=True), where(rows, world="four_rooms", rewards=8)
    lead, lead_known = _lead(learned), _lead(where(known, learned=False))
    kept = lead.mean() / lead_known.mean() if len(lead_known) else np.nan
    return line(
        "learned",
        Verdict.holds_if(above(interval_of(lead))),
        mean=shares(learned, "orders").mean(),
        lead=mean_of(lead),
        kept=kept,
    )


def _lead(rows: Sequence[Row]) -> np.ndarray:
    """Return by how much orders are ahead of the better of the two GPIs, in each draw."""
    gpi = np.maximum(shares(rows, "FR-GPI"), shares(rows, "SR-GPI"))
    return shares(rows, "orders") - gpi
