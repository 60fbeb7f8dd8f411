"""Rows that are kept with the project, because they take long, a GPU, or recordings not ours."""

import json
from pathlib import Path

from .row import Row

_INSTALLED = Path(__file__).parents[1] / "results"
_OF_THE_CHECKOUT = Path(__file__).parents[3] / "results"

RESULTS = _INSTALLED if _INSTALLED.is_dir() else _OF_THE_CHECKOUT
"""The folder of kept rows: `reproduction/results`, of which wheels hold a copy."""


def read_kept(name: str) -> list[Row]:
    """Return the rows of a file in that folder, one per line; its README says their origin."""
    text = (RESULTS / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
