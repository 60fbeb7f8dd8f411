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

A line that is printed for a row has the ratio, our time and the peer's, the target and whether it
is met; then what the ratio is, how much work and which methods. On a terminal it is cut at the
width.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import jax

from first_occupancy_paper.commands.durations import duration

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
    parser = argparse.ArgumentParser(description=sys.modules[measure.__module__].__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes that show the shape only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there")
    options = parser.parse_args()
    rows = list(measure(options.quick))
    if options.quick:  # targets are meant for the full size
        rows = [row | {"met": None} if "met" in row else row for row in rows]
    # Where nobody looks at the width, as in a file, nothing is cut.
    width = os.get_terminal_size().columns if sys.stdout.isatty() else None
    print("\n".join(lines(rows, width)))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


def lines(rows: Iterable[Row], width: int | None) -> Iterator[str]:
    """Yield a line for each question, and below it one for each row, numbers first.

    Args:
        rows: rows of a benchmark.
        width: characters after which a line is cut; None cuts none.
    """
    shown, last = [_cells(row) for row in rows], None
    widths = [max(map(len, column)) for column in zip(*(each[1:-1] for each in shown), strict=True)]
    for question, *numbers, words in shown:
        if question != last:
            yield _cut(question, width)
        last = question
        columns = [cell.rjust(size) for cell, size in zip(numbers, widths, strict=True)]
        yield _cut("  ".join(["", *columns, words]), width)


def _cells(row: Row) -> tuple[str, ...]:
    """Return the question, five numbers and the words of a row, as texts."""
    if "axis" in row:
        at, seconds = f"{row['axis']} = {row['at']:g}", duration(row["seconds"])
        return "growth", "", seconds, "", "", "", f"{row['method']}, {at}"
    met = {True: "yes", False: "NO", None: ""}[row["met"]]  # pyrefly: ignore[bad-index]
    ours, peer = duration(row["seconds"]), duration(row["peer_seconds"]) if row["peer"] else ""
    against = f" against {row['peer']}" if row["peer"] else ""
    words = f"{row['unit']}; {row['size']}: {row['ours']}{against}"
    return (
        str(row["question"]),
        f"{row['ratio']:.3g}",
        ours,
        peer,
        str(row["target"] or ""),
        met,
        words,
    )


def _cut(line: str, width: int | None) -> str:
    return line if width is None or len(line) <= width else f"{line[: width - 1]}…"
