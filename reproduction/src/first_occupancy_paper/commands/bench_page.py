"""The benchmark page: for each script, a table of its comparisons and plots of its curves."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from first_occupancy.core.errors import InputError
from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy.plotting.figure_files import save
from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.ledger.page import document, image
from first_occupancy_paper.rows.row import Row, grouped

from .durations import duration

MARKERS = "os^Dv<>p"
"""One marker for each method, so that lines can be told apart in grey too."""

HEAD = "<thead><tr><th>Work<th>Size<th>Ours<th>Compared with<th>Ratio<th>Target</tr></thead>"


def write_page(folder: Path, elsewhere: Iterable[Path]) -> Path:
    """Write the benchmark page.

    Args:
        folder: folder with the rows of this machine, one JSON file per script; the page and its
            figures are written there.
        elsewhere: JSON files with rows from other machines, shown after those of the folder.

    Returns:
        Path of the page.
    """
    sections = [_section(path, folder) for path in [*sorted(folder.glob("[!.]*.json")), *elsewhere]]
    body = (
        "<h1>Benchmarks</h1><p>Methods that are compared took turns in one run; the best time of "
        "each counts. Times differ between machines, so look at the ratios.</p>" + "".join(sections)
    )
    page = folder / "index.html"
    write_whole(page, document("First-occupancy: benchmarks", body))
    return page


def _section(path: Path, folder: Path) -> str:
    try:
        return _written(path.stem, json.loads(path.read_text()), folder)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise InputError(f"{path}: must hold the rows of a benchmark, but is damaged") from None


def _written(name: str, content: Mapping[str, Any], folder: Path) -> str:
    rows = content["rows"]
    lines = "".join(_line(row) for row in rows if "axis" not in row)
    facts = _facts({key: value for key, value in content.items() if key != "rows"})
    table = f'<table class="lines">{HEAD}<tbody>{lines}</tbody></table>' if lines else ""
    title = escape(name.replace("_", " ").capitalize())
    return (
        f'<section id="{name}"><h2>{title}</h2><p class="question">{escape(facts)}</p>'
        f"{table}{''.join(_plots(name, rows, folder))}</section>"
    )


def _facts(origin: Mapping[str, Any]) -> str:
    """Return the origin of rows in one line; nested groups are flattened."""
    return ", ".join(
        _facts(value) if isinstance(value, dict) else f"{key} {value}"
        for key, value in origin.items()
    )


def _line(row: Row) -> str:
    cells = (
        row["question"],
        row["size"],
        f"{row['ours']}: {duration(row['seconds'])}",
        f"{row['peer']}: {duration(row['peer_seconds'])}" if row["peer"] else "",
        f"{row['ratio']:.3g} {row['unit']}",
    )
    kind = {True: "holds", False: "fails", None: "undetermined"}[row["met"]]
    target = f'<td class="verdict {kind}">{escape(row["target"] or "")}'
    return f"<tr>{''.join(f'<td>{escape(str(cell))}' for cell in cells)}{target}</tr>"


def _plots(name: str, rows: Sequence[Row], folder: Path) -> list[str]:
    images = []
    for number, (size, curves) in enumerate(grouped(rows, "axis").items()):
        anchor = f"{name}-{number}"
        path = save(growth_curves(curves, size=size), folder / f"{anchor}.svg")
        images.append(image(path.read_bytes(), anchor=anchor, title=f"Cost against {size}"))
    return images


def growth_curves(rows: Sequence[Row], *, size: str) -> Figure:
    """Return a figure with a line for each method on doubly logarithmic axes.

    Args:
        rows: the seconds of each method at each size.
        size: name of the x axis.
    """
    figure, ax = style.canvas(None, (style.PAGE * 0.75, 3.2))
    for number, (method, points) in enumerate(grouped(rows, "method").items()):
        points.sort(key=lambda row: row["at"])
        ax.loglog(
            [row["at"] for row in points],
            [row["seconds"] for row in points],
            color=style.colour(number),
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=style.LINE,
            label=method,
        )
    # Where an axis spans less than a decade, its minor ticks are the ones with numbers.
    ax.tick_params(which="minor", labelsize=style.SMALL)
    label_axes(ax, size, "seconds", legend="best")
    return figure
