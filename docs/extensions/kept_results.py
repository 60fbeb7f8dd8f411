"""Results that are kept with the project: the ledger's lines, the benchmarks' rows, and figures.

They are read from `reproduction/results/`, never typed, and say where they come from.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from first_occupancy.plotting.figure_files import save
from first_occupancy_paper.commands.durations import duration
from first_occupancy_paper.experiments.registry import EXPERIMENTS
from first_occupancy_paper.ledger.keep import part
from first_occupancy_paper.rows.kept import RESULTS

Cells = Sequence[str | nodes.Node]


class Ledger(SphinxDirective):
    """Becomes the lines of `ledger.json`: a section and a table for each experiment."""

    def run(self) -> list[nodes.Node]:
        """Return where the lines come from, how many verdicts of each kind, and the tables."""
        path = RESULTS / "ledger.json"
        for source in (path, *RESULTS.rglob("*.jsonl")):
            self.env.note_dependency(str(source))
        kept = json.loads(path.read_text(encoding="utf-8"))
        parts = [_newest(old) for old in kept["experiments"]]
        lines = [line for each in parts for line in each["lines"]]
        counted = [line for line in lines if not line["again"] and line["kind"] != "remark"]
        counts = Counter(line["verdict"] for line in counted)
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        summary += (
            f" (one count for each claim; {len(lines) - counts.total()} more lines look again)"
        )
        commits = kept["provenance"]["commit"].split(", ")
        facts = kept["provenance"] | {"commit": " and ".join(map(_short, commits))}
        origin = ", ".join(f"{name} {value}" for name, value in facts.items())
        found: list[nodes.Node] = [
            nodes.paragraph(
                text=f"{summary}. Run with {origin}; kept rows say where they come from."
            )
        ]
        for each in parts:
            section = nodes.section(ids=[each["name"].replace("_", "-")])
            section += nodes.title(text=each["name"].replace("_", " ").capitalize())
            section += nodes.paragraph("", "", nodes.emphasis(text=each["question"]))
            about = "Beyond the paper" if each["beyond"] else each["paper"]
            section += nodes.paragraph(text=f"{about}.")
            lines = [_ledger_line(line) for line in each["lines"]]
            section += table(("claim", "paper", "ours", "verdict and why"), lines, "ledger")
            found.append(section)
        return found


def _newest(old: dict[str, Any]) -> dict[str, Any]:
    """Return what the kept rows say now of an experiment that has no others."""
    for experiment in EXPERIMENTS:
        if experiment.name == old["name"] and experiment.kept and not experiment.settings(False):
            return part(experiment, list(experiment.kept()))
    return old


def _ledger_line(line: dict[str, str]) -> Cells:
    judged = ", ".join(filter(None, [line["verdict"], line["given"]]))
    verdict = nodes.inline(text=judged, classes=["verdict", line["kind"]])
    why = nodes.paragraph("", "", verdict, nodes.Text(f". {line['why']}"))
    return line["claim"], line["paper"], line["ours"], why


class KeptFigure(SphinxDirective):
    """Becomes a figure of kept rows, as in `jaco_reaching reaching`.

    The content says what it shows, for those who cannot see it.
    """

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the figure, drawn anew."""
        name, which = self.arguments
        for source in (RESULTS / name).glob("*.jsonl"):
            self.env.note_dependency(str(source))
        (experiment,) = [each for each in EXPERIMENTS if each.name == name]
        assert experiment.kept is not None
        path = Path("generated", "kept", f"{name}-{which}.svg")
        target = Path(self.env.srcdir) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        save(experiment.plot(list(experiment.kept()))[which], target)
        return [nodes.image(uri=f"/{path.as_posix()}", alt=" ".join(self.content))]


class Benchmarks(SphinxDirective):
    """Becomes the rows of a kept benchmark, as in `gpu_planning`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return where the rows come from, and the table."""
        path = RESULTS / f"{self.arguments[0]}.json"
        self.env.note_dependency(str(path))
        kept = json.loads(path.read_text(encoding="utf-8"))
        facts = {**kept["hardware"], **kept["versions"], "commit": _short(kept["commit"])}
        origin = ", ".join(f"{name} {value}" for name, value in facts.items())
        head = ("work", "size", "ours", "compared with", "ratio", "target")
        rows = [_benchmark_line(row) for row in kept["rows"] if "axis" not in row]
        return [nodes.paragraph(text=f"Run on: {origin}."), table(head, rows, "benchmarks")]


def _short(commit: str) -> str:
    """Return a commit's first digits, and whether there were changes beside it."""
    digits, dash, changes = commit.partition("-")
    return f"{digits[:12]}{dash}{changes}"


def _benchmark_line(row: dict[str, Any]) -> Cells:
    compared = f"{row['peer']}: {duration(row['peer_seconds'])}" if row["peer"] != "clock" else ""
    word = {True: "met", False: "not met", None: ""}[row["met"]]
    kind = "holds" if row["met"] else "fails"
    target = nodes.paragraph("", f"{row['target'] or ''} ")
    target += nodes.inline(text=word, classes=["verdict", kind])
    ours = f"{row['ours']}: {duration(row['seconds'])}"
    return (
        row["question"],
        row["size"],
        ours,
        compared,
        f"{row['ratio']:.3g} {row['unit']}",
        target,
    )


def table(head: Sequence[str], rows: Sequence[Cells], name: str) -> nodes.table:
    """Return a table; a cell is text, or a node that is put into it."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *[_row(cells) for cells in rows])
    return nodes.table("", group, classes=[name])


def _row(cells: Cells) -> nodes.row:
    texts = [nodes.paragraph(text=cell) if isinstance(cell, str) else cell for cell in cells]
    return nodes.row("", *[nodes.entry("", text) for text in texts])


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives `ledger`, `benchmarks` and `kept-figure`."""
    app.add_directive("ledger", Ledger)
    app.add_directive("kept-figure", KeptFigure)
    app.add_directive("benchmarks", Benchmarks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
