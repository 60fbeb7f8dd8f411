"""The parts of an experiment: settings, rows computed from them, figures and findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Config = Any
"""A frozen dataclass of plain values: all that a run depends on, except its seed and the code."""


class Verdict(StrEnum):
    """How our results compare with a claim, either the paper's or our own."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNDETERMINED = "not determined by the paper"
    HOLDS = "holds"
    FAILS = "does not hold"
    UNSETTLED = "not settled by our runs"
    NOT_RUN = "not run yet"
    REMARK = "a remark, without a verdict"

    @classmethod
    def reproduced_if(cls, holds: bool | np.bool_ | None) -> "Verdict":
        """Return the verdict on a claim of the paper; None means that our runs do not settle it."""
        if holds is None:
            return cls.UNSETTLED
        return cls.REPRODUCED if holds else cls.DIFFERS

    @classmethod
    def holds_if(cls, holds: bool | np.bool_ | None) -> "Verdict":
        """Return the verdict on a claim of our own; None means that our runs do not settle it."""
        if holds is None:
            return cls.UNSETTLED
        return cls.HOLDS if holds else cls.FAILS


@dataclass(frozen=True, repr=False)
class Finding(Displayed):
    """One line of the ledger.

    Attributes:
        claim: the statement that was tested.
        paper: what the paper says about it.
        ours: what we found.
        verdict: how the two compare.
        why: explanation of the verdict.
        figure: name of the figure that shows it; None if there is none.
        given: condition on which the verdict depends, such as a choice of ours or a reading found
            by search; it is shown in the verdict's column. Empty if there is none.
        again: whether the claim is already counted by another line, and this one looks at it in
            another way: another reading, setup or experiment.
    """

    claim: str
    paper: str
    ours: str
    verdict: Verdict
    why: str
    figure: str | None = None
    given: str = ""
    again: bool = False

    @property
    def counted(self) -> bool:
        """Whether the line is one of the claims that the ledger counts."""
        return not self.again and self.verdict is not Verdict.REMARK

    @property
    def judgement(self) -> str:
        """The verdict, and the condition on which it depends."""
        return f"{self.verdict}, {self.given}" if self.given else str(self.verdict)

    def _summary(self) -> str:
        lines = [f"Finding: {self.claim}", f"paper: {self.paper}", f"ours: {self.ours}"]
        return "\n  ".join([*lines, f"verdict: {self.verdict}; {self.why}"])


def _no_settings(quick: bool) -> Sequence[tuple[Config, int]]:
    return []


def _one_config(config: Config, quick: bool) -> Sequence[tuple[Config, int]]:
    return [(config, 1)]


def _no_figures(rows: Sequence[Row]) -> "Mapping[str, Figure]":
    return {}


def _no_findings(rows: Sequence[Row]) -> Sequence[Finding]:
    return []


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A question and how to answer it: a name, a config and `run` are enough for a sweep.

    Attributes:
        name: unique name, by which commands refer to the experiment.
        run: yields the rows of one config and seed, and depends on nothing else.
        config: the settings, a frozen dataclass whose fields have defaults, or one made of it. It
            may be left out if `settings` lists configs.
        question: the question it answers.
        paper: figures, tables or sections of the paper that it covers.
        settings: lists pairs (config, number of seeds); the argument asks for a quick version. By
            default it lists `config` with one seed.
        plot: makes figures by name, from stored rows only.
        find: makes the ledger's lines, from stored rows only.
        beyond: whether it goes beyond the paper, and so has a page of its own in the ledger.
        kept: returns rows that are kept with the project, because runs take too long or need a
            GPU; then `settings` lists nothing, and `reproduce` shows these rows. None if all
            rows are computed.
    """

    name: str
    run: Callable[[Config, int], Iterator[Row]]
    config: Config = None
    question: str = ""
    paper: str = ""
    settings: Callable[[bool], Sequence[tuple[Config, int]]] = _no_settings
    plot: Callable[[Sequence[Row]], "Mapping[str, Figure]"] = _no_figures
    find: Callable[[Sequence[Row]], Sequence[Finding]] = _no_findings
    beyond: bool = False
    kept: Callable[[], Sequence[Row]] | None = None

    def __post_init__(self) -> None:
        """Make `settings` of the config, if there are no others."""
        if self.settings is not _no_settings:
            return
        try:
            config = self.config() if isinstance(self.config, type) else self.config
        except TypeError:
            config = None
        if not is_dataclass(config):
            raise InputError(
                f"Experiment: config of {self.name} must be a dataclass whose fields have "
                f"defaults, or one made of it, got {self.config!r}"
            )
        # Not a lambda, which other processes could not be sent.
        object.__setattr__(self, "settings", partial(_one_config, config))
