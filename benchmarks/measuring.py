"""What the benchmarks share: timing in turn, the rows they yield, and how they are run.

A benchmark is a script with one question and a function `measure(quick)` that yields
rows, plain dicts:

    question, size       what work, how much of it
    ours, seconds        what of ours was timed, and its best time
    peer, peer_seconds   what it is compared with, in the same run
    ratio, unit          the number that counts, and what it is
    target, met          what it should be at least (or "at most ..."), and whether it is

or, for curves, `axis, at, method, seconds`. Machines are noisy, so things that are compared
take turns and the best time of each counts.

Benchmarks need both packages: `pip install -e . -e './reproduction[bench]'`, in a checkout.

Machines with a GPU may have JAX and little else, so what draws tables is imported to draw them.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import jax

from first_occupancy_paper.commands.durations import duration

if TYPE_CHECKING:
    from rich.table import Table

Row = dict[str, str | float | bool | None]


def best_times(calls: Mapping[str, Callable[[], object]], *, repeats: int = 5) -> dict[str, float]:
    """Return the best time of each call, in seconds; they take turns, after a first warm one."""
    best = dict.fromkeys(calls, float("inf"))
    for turn in range(repeats + 1):
        for name, call in calls.items():
            begin = time.perf_counter()
            jax.block_until_ready(call())
            if turn:
                best[name] = min(best[name], time.perf_counter() - begin)
    return best


def once(call: Callable[[], object]) -> float:
    """Return the seconds one call takes, without a first warm one."""
    begin = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - begin


def compared(
    question: str,
    size: str,
    *,
    ours: tuple[str, float],
    peer: tuple[str, float],
    ratio: float,
    unit: str,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Row:
    """Return a row, with whether the ratio is what it should be."""
    low, high = at_least, at_most
    met = (low is None or ratio >= low) and (high is None or ratio <= high)
    bounds = [f"{sign} {bound:g}" for sign, bound in ((">=", low), ("<=", high)) if bound]
    return {
        "question": question,
        "size": size,
        "ours": ours[0],
        "seconds": ours[1],
        "peer": peer[0],
        "peer_seconds": peer[1],
        "ratio": ratio,
        "unit": unit,
        "target": " ".join(bounds) or None,
        "met": met if bounds else None,
    }


def main(measure: Callable[[bool], Iterable[Row]]) -> None:
    """Run a benchmark from the command line: print its rows, and write them if asked to."""
    from rich.console import Console

    parser = argparse.ArgumentParser(description=sys.modules[measure.__module__].__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes that show the shape only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there")
    options = parser.parse_args()
    rows = list(measure(options.quick))
    if options.quick:  # targets are meant for the full size
        rows = [row | {"met": None} if "met" in row else row for row in rows]
    Console().print(table(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


def table(rows: Iterable[Row]) -> "Table":
    """Return the rows as a table for the terminal."""
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for column in ("question", "size", "ours", "peer", "ratio", "target", "met"):
        shown.add_column(column, overflow="fold")
    for row in rows:
        if "axis" in row:
            at = f"{row['axis']} = {row['at']:g}"
            shown.add_row("growth", at, f"{row['method']} {duration(row['seconds'])}")
            continue
        shown.add_row(
            str(row["question"]),
            str(row["size"]),
            f"{row['ours']} {duration(row['seconds'])}",
            f"{row['peer']} {duration(row['peer_seconds'])}",
            f"{row['ratio']:.3g} {row['unit']}",
            str(row["target"] or ""),
            {True: "yes", False: "NO", None: ""}[row["met"]],  # pyrefly: ignore[bad-index]
        )
    return shown
