"""Tables of sweeps: the mean of each measurement by setting, with 95% intervals over seeds.

table = summarise(sweep(experiment, configs, seeds=range(10)))
table.write_csv("table.csv")
table.figure()
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.experiments.answers import half_width
from first_occupancy_paper.extras import extra_command
from first_occupancy_paper.rows.row import Row, where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = "seeds"
"""Column that says over how many seeds a mean was taken."""

_FORMULA = re.compile(r"(?!-?\d[\d.:e-]*\Z)[=+\-@\t\r\n]")
"""What a text begins with that spreadsheets take for a formula; numbers joined by ":" are none."""


@dataclass(frozen=True, repr=False)
class SweepTable(Displayed):
    """Means by setting; `summarise` makes it.

    Attributes:
        settings: names of the settings that differ, and of what else a line is for.
        measures: names of the measurements.
        lines: one mapping per line: the settings, `seeds`, and for each measurement its mean and
            the ends of its interval, `NAME`, `NAME_low` and `NAME_high`. Missing are measurements
            that a setting has no rows of, and intervals of a single seed.
    """

    settings: tuple[str, ...]
    measures: tuple[str, ...]
    lines: tuple[Mapping[str, Any], ...]

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        ends = [(name, f"{name}_low", f"{name}_high") for name in self.measures]
        return [*self.settings, SEEDS, *(column for each in ends for column in each)]

    def write_csv(self, path: Path | str) -> None:
        """Write the table as comma-separated values, with the names of the columns first.

        Texts that a spreadsheet would take for a formula begin with an apostrophe.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        lines = [[line.get(name, "") for name in self.columns] for line in self.lines]
        writer.writerows([_cell(value) for value in line] for line in [self.columns, *lines])
        write_whole(Path(path), text.getvalue().encode())

    def write_parquet(self, path: Path | str) -> None:
        """Write the table as Parquet, with the extra `tables`."""
        _write_parquet("write_parquet", self.lines, self.columns, path)

    def figure(self) -> "Figure":
        """Draw each measurement by the first setting that is a number."""
        from .setting_curves import setting_figure

        return setting_figure(self.lines, self.settings, self.measures)

    def _summary(self) -> str:
        head = [*self.settings, SEEDS, *self.measures]
        body = [[_shown(line, name, self.measures) for name in head] for line in self.lines]
        widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        rows = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in [head, *body]
        ]
        return "\n".join(rows)


def summarise(rows: Iterable[Row], *, by: Sequence[str] = ()) -> SweepTable:
    """Return the mean of every measurement for each setting, with a 95% interval.

    Numbers in rows are measurements; texts, booleans and the numbers named by `by` say what a row
    is about. Samples are the seeds: rows of one seed about the same thing count as their mean.
    The interval is Student's; with one seed there is none.

    Args:
        rows: rows of a sweep, each with `config`, `seed` and `row`.
        by: names of numbers that are no measurements, such as the step of a learning curve.

    Raises:
        InputError: if there are no rows, or none has a number of a name in `by`.
    """
    listed = list(rows)
    if not listed:
        raise InputError("summarise: rows must be those of a sweep, got none")
    for name in by:
        if not any(name in each["row"] for each in listed):
            raise InputError(f"summarise: by must name numbers of the rows, got {name!r}")
    varied = _varied([each["config"] for each in listed])
    about = dict.fromkeys(name for each in listed for name in _about(each["row"], by))
    measures = dict.fromkeys(name for each in listed for name in _measured(each["row"], by))
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for each in listed:
        values = [each["config"].get(name) for name in varied]
        values += [each["row"].get(name) for name in about]
        groups.setdefault(tuple(map(_written, values)), []).append(each)
    settings = (*varied, *about)
    lines = [
        _line(dict(zip(settings, key, strict=True)), group, by) for key, group in groups.items()
    ]
    return SweepTable(settings, tuple(measures), tuple(lines))


def write_rows_as_parquet(rows: Iterable[Row], path: Path | str) -> None:
    """Write the rows of a sweep as Parquet, with the extra `tables`.

    Args:
        rows: rows of a sweep, each with `config`, `seed` and `row`.
        path: file to write.
    """
    flat = []
    for each in rows:
        config = {f"config.{name}": value for name, value in each["config"].items()}
        flat.append({**config, "seed": each["seed"], **each["row"]})
    columns = list(dict.fromkeys(name for each in flat for name in each))
    _write_parquet("write_rows_as_parquet", flat, columns, path)


def check_parquet(caller: str) -> Any:
    """Return the package that writes Parquet; raise, naming the extra, if it is missing."""
    try:
        return import_module("pyarrow.parquet")
    except ImportError:
        raise InputError(f"{caller}: needs pyarrow: {extra_command('tables')}") from None


def _write_parquet(
    caller: str, lines: Sequence[Mapping[str, Any]], columns: Sequence[str], path: Path | str
) -> None:
    parquet = check_parquet(caller)
    arrays = {name: [line.get(name) for line in lines] for name in columns}
    content = io.BytesIO()
    parquet.write_table(import_module("pyarrow").table(arrays), content)
    write_whole(Path(path), content.getvalue())


def _varied(configs: Sequence[Row]) -> list[str]:
    """Return the settings that differ between configs."""
    names = dict.fromkeys(name for config in configs for name in config)
    values = {name: [config[name] for config in where(configs, name)] for name in names}
    return [name for name, found in values.items() if any(each != found[0] for each in found)]


def _measured(row: Row, by: Sequence[str]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in row.items()
        if name not in by and isinstance(value, int | float) and not isinstance(value, bool)
    }


def _about(row: Row, by: Sequence[str]) -> list[str]:
    """Return the names of a row's values that say what it is about."""
    plain = [name for name, value in row.items() if isinstance(value, str | int | float)]
    measured = _measured(row, by)
    return [name for name in plain if name not in measured]


def _line(settings: Row, rows: Sequence[Row], by: Sequence[str]) -> Row:
    """Return the settings, the number of seeds, and the mean and interval of each measurement."""
    line = {**settings, SEEDS: len({each["seed"] for each in rows})}
    samples: dict[str, dict[int, list[float]]] = {}
    for each in rows:
        for name, value in _measured(each["row"], by).items():
            samples.setdefault(name, {}).setdefault(each["seed"], []).append(value)
    for name, seeds in samples.items():
        means = [float(np.mean(values)) for values in seeds.values()]
        middle, half = float(np.mean(means)), half_width(means)
        line[name] = middle
        if len(means) > 1:  # one sample has no interval
            line |= {f"{name}_low": middle - half, f"{name}_high": middle + half}
    return line


def _written(value: Any) -> Any:
    """Return a setting as one cell of a table."""
    return ":".join(map(str, value)) if isinstance(value, list) else value


def _cell(value: Any) -> Any:
    """Return a value for a spreadsheet, which runs no text that begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    text = f"'{value}" if _FORMULA.match(value) else value
    return text.replace("\r", "\n")  # the writer does not quote a carriage return


def _shown(line: Mapping[str, Any], name: str, measures: Sequence[str]) -> str:
    if name not in line:
        return ""
    if name not in measures:
        return str(line[name])
    half = "" if f"{name}_high" not in line else f" ± {line[f'{name}_high'] - line[name]:.2g}"
    return f"{line[name]:.4g}{half}"
