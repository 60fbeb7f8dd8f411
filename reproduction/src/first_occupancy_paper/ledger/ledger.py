"""The ledger: one page that compares the paper's numbers and claims with ours.

It is made from stored rows only.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from first_occupancy.plotting.figure_files import save
from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.experiments import Experiment, Finding, Row, Verdict
from first_occupancy_paper.rows.folders import prepare_folder
from first_occupancy_paper.sweeps.dependencies import code_version

from .page import choices, document, image

SUFFIXES = ("svg", "png")
"""The page embeds the SVGs; the PNGs are for slides, and quick runs omit them."""


class Part(NamedTuple):
    """What the page shows of an experiment.

    Attributes:
        experiment: the experiment.
        findings: what its rows say.
        figures: path of the SVG of each figure, by the figure's name; empty if none is shown.
    """

    experiment: Experiment
    findings: Sequence[Finding]
    figures: Mapping[str, Path]


def write(folder: Path, parts: Sequence[Part], *, quick: bool) -> Path:
    """Write the page.

    Args:
        folder: folder to write to.
        parts: what the page shows, in this order.
        quick: whether the rows come from small runs; the page then says so.

    Returns:
        Path of the page.
    """
    page = folder / "ledger.html"
    write_whole(page, _page(parts, quick))
    return page


def draw(
    experiment: Experiment, rows: Sequence[Row], folder: Path, *, quick: bool
) -> dict[str, Path]:
    """Draw the figures of an experiment; files whose rows and drawing code are unchanged are kept.

    Args:
        experiment: the experiment to plot.
        rows: its rows.
        folder: folder of the page; the figures go to its subfolder `figures`.
        quick: whether to draw SVGs only, without PNGs.

    Returns:
        Path of the SVG of each figure, by the figure's name.
    """
    known = drawn(experiment, rows, folder, quick=quick)
    if known:
        return known
    plotted = experiment.plot(rows)
    prepare_folder(folder / "figures")
    for name, figure in plotted.items():
        for suffix in _suffixes(quick):
            save(figure, _path(experiment, name, suffix, folder))
            figure.set_layout_engine("none")  # laid out once; layout takes half of the time
    stamp = {"drawn_from": _drawn_from(experiment, rows), "names": list(plotted)}
    write_whole(_stamp(experiment, folder), json.dumps(stamp).encode())
    return {name: _path(experiment, name, "svg", folder) for name in plotted}


def drawn(
    experiment: Experiment, rows: Sequence[Row], folder: Path, *, quick: bool
) -> dict[str, Path]:
    """Return the figures of an experiment that have been drawn from these rows, all or none.

    Returns:
        Path of the SVG of each figure, by the figure's name.
    """
    try:
        known = json.loads(_stamp(experiment, folder).read_text())
        names = known["names"] if known["drawn_from"] == _drawn_from(experiment, rows) else []
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    files = [_path(experiment, name, each, folder) for name in names for each in _suffixes(quick)]
    if not all(path.exists() for path in files):
        return {}
    return {name: _path(experiment, name, "svg", folder) for name in names}


def _suffixes(quick: bool) -> tuple[str, ...]:
    return SUFFIXES[:1] if quick else SUFFIXES


def _drawn_from(experiment: Experiment, rows: Sequence[Row]) -> str:
    content = [json.dumps(rows, sort_keys=True), code_version(experiment.plot), code_version(save)]
    return hashlib.sha256("".join(content).encode()).hexdigest()


def _stamp(experiment: Experiment, folder: Path) -> Path:
    return folder / "figures" / f".{experiment.name}.json"


def _path(experiment: Experiment, name: str, suffix: str, folder: Path) -> Path:
    return folder / "figures" / f"{experiment.name}-{name}.{suffix}"


RULES = (
    "<p>A claim <em>reproduced</em> or that <em>holds</em> is inside its margin with its whole "
    "interval, one that <em>differs</em> or <em>does not hold</em> outside with its whole "
    "interval; <em>not settled</em> means that the interval holds both answers, <em>not "
    "determined</em> that the answer depends on what the paper does not print. Margins: 10% of a "
    "printed mean and a factor of 2 of a printed spread; 5% of a return that is to be matched; "
    "half for far below, twice for far above. Intervals are 95% unless a line says otherwise. "
    "Conditions stand beside the verdict. Each claim is counted once; lines marked "
    "<em>again</em> look at one in another way, and remarks have no verdict.</p>"
)
"""How verdicts are reached, in short; `experiments.answers` has the rules."""


def _page(parts: Sequence[Part], quick: bool) -> bytes:
    paper = [_section(part) for part in parts if not part.experiment.beyond]
    beyond = [_section(part) for part in parts if part.experiment.beyond]
    heading = ["<h1>Beyond the paper</h1>"] if beyond else []
    lines = [line for part in parts for line in part.findings]
    counts = Counter(line.verdict for line in lines if line.counted)
    told = ", ".join(f"{counts[v]} {_COUNTED.get(v, v)}" for v in Verdict if counts[v])
    warning = (
        '<p class="note">Made by <code>--quick</code>: small runs that show the shape of the '
        "results. Verdicts need the full size.</p>"
        if quick
        else ""
    )
    shown = Counter(line.verdict for line in lines)
    kinds = {v.kind: f"{v} ({shown[v]})" for v in Verdict if shown[v]}
    body = (
        "<h1>A first-occupancy representation: the paper and what we found</h1>\n"
        f"<p>Claims: {told}.</p>{warning}\n{_brief(parts)}\n{RULES}\n"
        f"{choices('verdict', kinds)}\n" + "\n".join([*paper, *heading, *beyond])
    )
    return document("First-occupancy: the ledger", body)


_COUNTED = {Verdict.DIFFERS: "differ", Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold"}
"""Verdicts on several claims, where the word is another than for one."""

STANDS = (Verdict.REPRODUCED, Verdict.HOLDS)
FALLS = (Verdict.DIFFERS, Verdict.FAILS)


def _brief(parts: Sequence[Part]) -> str:
    """Return a line for each experiment: how many of its claims stand, fall, and are open."""
    rows = []
    for each, findings, _ in parts:
        counted = [line.verdict for line in findings if line.counted]
        good, bad = (sum(v in kind for v in counted) for kind in (STANDS, FALLS))
        numbers = {"good": good, "bad": bad, "open": len(counted) - good - bad}
        cells = [f'<td class="{name}">{number or "&ndash;"}' for name, number in numbers.items()]
        link = f'<a href="#{each.name}">{_title(each)}</a>. {escape(each.question)}'
        rows.append(f"<tr><td>{link}{''.join(cells)}</tr>")
    head = "<tr><th>Question<th>stands<th>falls<th>open</tr>"
    return f'<table class="brief"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _section(part: Part) -> str:
    experiment, findings, figures = part
    lines = "".join(_line(experiment, finding, figures) for finding in findings)
    head = "<thead><tr><th>Claim<th>Paper<th>Ours<th>Verdict<th>Why</tr></thead>"
    images = "".join(_image(experiment, name, path) for name, path in figures.items())
    if not figures and any(finding.figure for finding in findings):
        command = f"first-occupancy reproduce {experiment.name}"
        images = f"<p>The figures are drawn by <code>{command}</code>.</p>"
    return (
        f'<section id="{experiment.name}"><h2>{_title(experiment)}</h2>'
        f'<p class="question">{escape(experiment.question)} {escape(experiment.paper)}.</p>'
        f'<table class="lines claims">{head}<tbody>{lines}</tbody></table>{images}</section>'
    )


def _line(experiment: Experiment, finding: Finding, figures: Collection[str]) -> str:
    """Return a row. On a screen long texts are cut after a few lines until a box is ticked.

    Class "cut" is for texts that are long on a phone, and "wide" for those that are on any screen.
    """
    kind = finding.verdict.kind
    again = ' <span class="again">(again)</span>' if finding.again else ""
    anchor = f"{experiment.name}-{finding.figure}"
    link = f' <a href="#{anchor}">Figure</a>' if finding.figure in figures else ""
    ours, why = len(finding.ours), len(finding.why)
    cut = " cut wide" if ours > 120 or why > 330 else " cut" if max(ours, why) > 90 else ""
    more = '<label class="more"><input type="checkbox">all of it</label>' if cut else ""
    cells = "".join(
        f'<td{style}><div data-label="{label}">{text}</div>{after}'
        for label, style, text, after in (
            ("Claim", "", escape(finding.claim), ""),
            ("Paper", "", escape(finding.paper), ""),
            ("Ours", "", escape(finding.ours), ""),
            ("Verdict", ' class="verdict"', escape(finding.judgement) + again, ""),
            ("Why", "", escape(finding.why), more + link),
        )
    )
    return f'<tr class="{kind}{cut}">{cells}</tr>'


def _image(experiment: Experiment, name: str, path: Path) -> str:
    title = f"{_title(experiment)}: {name.replace('_', ' ')}"
    return image(path.read_bytes(), anchor=f"{experiment.name}-{name}", title=title)


def _title(experiment: Experiment) -> str:
    return experiment.name.replace("_", " ").capitalize()
