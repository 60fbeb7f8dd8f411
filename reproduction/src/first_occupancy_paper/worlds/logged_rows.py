"""Rows that take minutes: each part is a file of JSON lines in a folder, and parts run in parallel.

A file is there once its rows are complete. Those that are there are not made again.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.rows.row import Row

Parts = Mapping[str, Callable[[], Iterable[Row]]]
"""What makes the rows of each file, by its name; other processes are sent it."""


def options(parser: ArgumentParser) -> Namespace:
    """Return the options of a command: those of a parser, and which parts to make where."""
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes to run in parallel")
    parser.add_argument("--only", default="", help="make parts alone whose names contain this")
    return parser.parse_args()


def make(parts: Parts, folder: Path, *, jobs: int = 1, only: str = "") -> None:
    """Make the files of a folder that are not there yet, and print the name of each.

    Args:
        jobs: processes to run in parallel.
        only: text that the names of parts must contain.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lacking = {folder / f"{name}.jsonl": rows for name, rows in parts.items() if only in name}
    lacking = {path: rows for path, rows in lacking.items() if not path.exists()}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for name in pool.map(_write, lacking, lacking.values()):
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()


def _write(path: Path, rows: Callable[[], Iterable[Row]]) -> str:
    write_whole(path, "".join(json.dumps(row) + "\n" for row in rows()).encode())
    return path.stem


def read(folder: Path, pattern: str = "*") -> list[Row]:
    """Return the rows of the files whose names fit a pattern, file by file."""
    paths = sorted(folder.glob(f"{pattern}.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
