"""The parts of an experiment: settings, rows computed from them, figures and findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row

from .findings import Finding, Line, Verdict, findings, line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Config = Any
"""A frozen dataclass of plain values: all that a run depends on, except its seed and the code."""


def _no_settings(quick: bool) -> Sequence[tuple[Config, int]]:
    return []


def _one_config(config: Config, quick: bool) -> Sequence[tuple[Config, int]]:
    return [(config, 1)]


def _no_figures(rows: Sequence[Row]) -> "Mapping[str, Figure]":
    return {}


def _no_lines(rows: Sequence[Row]) -> Sequence[Line]:
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
            default it lists `config` with one seed, and nothing if rows are kept.
        plot: makes figures by name, from stored rows only.
        find: makes the ledger's lines, from stored rows only; `findings` has their sentences.
        beyond: whether it goes beyond the paper, and so has a page of its own in the ledger.
        kept: returns rows that are kept with the project, because runs take too long or need a
            GPU, and which `reproduce` shows. None if all rows are computed.
    """

    name: str
    run: Callable[[Config, int], Iterator[Row]]
    config: Config = None
    question: str = ""
    paper: str = ""
    settings: Callable[[bool], Sequence[tuple[Config, int]]] = _no_settings
    plot: Callable[[Sequence[Row]], "Mapping[str, Figure]"] = _no_figures
    find: Callable[[Sequence[Row]], Sequence[Line]] = _no_lines
    beyond: bool = False
    kept: Callable[[], Sequence[Row]] | None = None

    def __post_init__(self) -> None:
        """Make `settings` of the config, if there are no others."""
        if self.settings is not _no_settings or self.kept is not None:
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

    def findings(self, rows: Sequence[Row]) -> list[Finding]:
        """Return what rows say, in the sentences of `findings.md` next to the module of `find`."""
        if not rows and self.kept is not None:
            return findings([line("no_rows", Verdict.NOT_RUN)], self.find)
        return findings(self.find(rows), self.find)
