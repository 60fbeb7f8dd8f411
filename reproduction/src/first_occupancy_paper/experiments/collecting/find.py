"""Rules on rewards that can be taken once; `findings.md` has the sentences.

They were written before the rows existed. A *cell* is a world at one level of noise, with all
numbers of rewards. Shares are returns divided by the best return of any strategy.
"""

from collections.abc import Sequence

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import half_width, mean_of

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
    some = [row for row in rows if all(row[key] == value for key, value in chosen.items())]
    return np.array([row["share"] for row in some if row["method"] == method])


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    exact = [row for row in rows if not row["learned"]]
    return [
        _certain(exact),
        *(_noisy(exact, noise) for noise in (0.1, 0.2, 0.5)),
        _promises(exact),
        *(_ahead(exact, peer) for peer in PEERS),
        _learned(rows),
    ]


def _certain(rows: Sequence[Row]) -> Line:
    found = shares(rows, "orders", noise=0.0)
    if not len(found):
        return line("certain", Verdict.UNSETTLED, draws=0, worst=np.nan)
    off = float(np.abs(found - 1).max())
    return line("certain", Verdict.holds_if(off <= EXACTLY), draws=len(found), worst=off)


def _noisy(rows: Sequence[Row], noise: float) -> Line:
    """At noise up to 0.2 the rule asks for a mean of 0.99 in every world, and for 0.95 always."""
    worlds = sorted({row["world"] for row in rows if row["noise"] == noise})
    found = [shares(rows, "orders", noise=noise, world=world) for world in worlds]
    if not worlds:
        return line(f"noisy:{noise:g}", Verdict.UNSETTLED, noise=noise, worlds=[], worst=np.nan)
    means = [
        {"world": world, "mean": float(each.mean())}
        for world, each in zip(worlds, found, strict=True)
    ]
    worst = float(min(each.min() for each in found))
    good = min(each["mean"] for each in means) >= MEAN and worst >= WORST
    verdict = Verdict.holds_if(good) if noise <= 0.2 else Verdict.REMARK
    return line(f"noisy:{noise:g}", verdict, noise=noise, worlds=means, worst=worst)


def _promises(rows: Sequence[Row]) -> Line:
    """An order's value must not exceed what the agent achieves, in any draw."""
    stated = [row for row in rows if row["method"] == "orders"]
    above = sum(row["promised"] > row["share"] * (1 + EXACTLY) for row in stated)
    lowest = min((row["promised"] / row["share"] for row in stated), default=np.nan)
    return line(
        "promises", Verdict.holds_if(above == 0), above=above, draws=len(stated), lowest=lowest
    )


def _ahead(rows: Sequence[Row], peer: str) -> Line:
    """Orders are ahead if the interval of the mean difference is above 0 in every cell."""
    cells = sorted({(row["world"], row["noise"]) for row in rows})
    lows, highs, means = [], [], []
    for world, noise in cells:
        other = shares(rows, peer, world=world, noise=noise)
        gains = shares(rows, "orders", world=world, noise=noise) - other
        half = half_width(gains, tests=len(cells))
        lows.append(gains.mean() - half)
        highs.append(gains.mean() + half)
        means.append(float(other.mean()))
    wins = sum(low > 0 for low in lows)
    verdict = Verdict.FAILS if min(highs) <= 0 else Verdict.holds_if(wins == len(cells) or None)
    numbers = {"wins": wins, "cells": len(cells), "low": min(means), "high": max(means)}
    return line(f"ahead:{peer}", verdict, peer=peer, **numbers)


def _learned(rows: Sequence[Row]) -> Line:
    """With learned FRs the lead over the better GPI must be above 0, over all levels of noise."""
    chosen = {"learned": True}
    if not len(shares(rows, "orders", **chosen)):
        return line("learned", Verdict.UNSETTLED, mean=np.nan, lead=mean_of([0.0]), kept=np.nan)
    lead = _lead(rows, **chosen)
    known = _lead(rows, learned=False, world="four_rooms", rewards=8)
    gained = mean_of(lead)
    verdict = Verdict.holds_if(
        gained.mean > gained.half or (False if gained.mean + gained.half < 0 else None)
    )
    kept = gained.mean / known.mean() if len(known) else np.nan
    mean = float(shares(rows, "orders", **chosen).mean())
    return line("learned", verdict, mean=mean, lead=gained, kept=kept)


def _lead(rows: Sequence[Row], **chosen: object) -> np.ndarray:
    """Return by how much orders are ahead of the better of the two GPIs, in each draw."""
    gpi = np.maximum(shares(rows, "FR-GPI", **chosen), shares(rows, "SR-GPI", **chosen))
    return shares(rows, "orders", **chosen) - gpi
