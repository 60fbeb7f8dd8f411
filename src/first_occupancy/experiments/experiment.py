"""What an experiment is: settings as data, rows from them, and figures and findings from rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from first_occupancy.experiments.row import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Config = Any
"""A frozen dataclass of plain values: everything a run depends on but its seed and the code."""


class Verdict(StrEnum):
    """How a claim of the paper, or beyond it one of our own, compares with what we found."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNDETERMINED = "not determined by the paper"
    HOLDS = "holds"
    FAILS = "does not hold"
    UNSETTLED = "not settled by our runs"
    NOT_RUN = "not run yet"

    @classmethod
    def reproduced_if(cls, holds: bool | np.bool_) -> "Verdict":
        """Return the verdict on a claim of the paper that either holds here or does not."""
        return cls.REPRODUCED if holds else cls.DIFFERS

    @classmethod
    def holds_if(cls, holds: bool | np.bool_) -> "Verdict":
        """Return the verdict on a claim of our own that either holds or does not."""
        return cls.HOLDS if holds else cls.FAILS


@dataclass(frozen=True)
class Finding:
    """One line of the ledger: a claim, what the paper says, what we found, and why."""

    claim: str
    paper: str
    ours: str
    verdict: Verdict
    why: str
    figure: str | None = None


@dataclass(frozen=True)
class Experiment:
    """A question of the paper and how to answer it.

    `settings(quick)` lists (config, number of seeds); `run(config, seed)` yields rows and
    depends on nothing else; `plot` and `find` see stored rows only.
    """

    name: str
    question: str
    paper: str
    settings: Callable[[bool], Sequence[tuple[Config, int]]]
    run: Callable[[Config, int], Iterator[Row]]
    plot: Callable[[Sequence[Row]], "Mapping[str, Figure]"]
    find: Callable[[Sequence[Row]], Sequence[Finding]]
    beyond: bool = False
    """Whether it goes beyond the paper, and so has a page of its own in the ledger."""
    kept: Callable[[], Sequence[Row]] | None = None
    """Returns rows that are kept with the project, where runs take too long, or a GPU. Then
    `settings` lists nothing, and `reproduce` shows these rows instead."""
