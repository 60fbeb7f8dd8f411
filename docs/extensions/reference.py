"""The reference: a page for each module, found by looking, and the commands' own help."""

import argparse
import ast
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from first_occupancy.cli.parsing import command_parser

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src" / "first_occupancy"
REPRODUCTION = ROOT / "reproduction" / "src" / "first_occupancy_paper"
PACKAGES = {
    LIBRARY / "core": "The shared vocabulary",
    LIBRARY / "storage": "Our own files",
    LIBRARY / "environments": "Worlds",
    LIBRARY / "representations": "Representations",
    LIBRARY / "planning": "Planning",
    LIBRARY / "plotting": "Plotting",
    LIBRARY / "continuous": "Goals in continuous worlds",
    LIBRARY / "interop": "The outside world",
    REPRODUCTION / "experiments": "Experiments",
    REPRODUCTION / "explorers": "Explorers",
    REPRODUCTION / "arm": "The arm",
    REPRODUCTION / "walkers": "Walkers",
    REPRODUCTION / "worlds": "Worlds of the experiments",
    REPRODUCTION / "rows": "Rows",
    REPRODUCTION / "sweeps": "Sweeps",
}


def write_pages(app: Sphinx) -> None:
    """Write a page for each package and each of its modules."""
    folder = Path(app.srcdir) / "generated" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    expected = set()
    for place, title in PACKAGES.items():
        package = place.name
        pages = {f"{package}.{name}": first_line for name, first_line in modules(place)}
        for module in pages:
            full_name = f"{place.parent.name}.{module}"
            text = f"# {module}\n\n```{{eval-rst}}\n.. automodule:: {full_name}\n```\n"
            expected.add(_write(folder / f"{module}.md", text))
        expected.add(_write(folder / f"{package}.md", _package_page(place, title, pages)))
    for page in set(folder.glob("*.md")) - expected:
        page.unlink()


def modules(place: Path) -> list[tuple[str, str]]:
    """Return the public modules of a folder and those inside it, with their first sentence."""
    found = []
    for path in sorted(place.iterdir()):
        inside = path / "__init__.py" if path.is_dir() else path
        if path.name.startswith("_") or inside.suffix != ".py" or not inside.exists():
            continue
        doc = ast.get_docstring(ast.parse(inside.read_text(encoding="utf-8"))) or ""
        found.append((path.stem, doc.split("\n\n")[0].replace("\n", " ")))
        if path.is_dir():
            found += [(f"{path.name}.{name}", line) for name, line in modules(path)]
    return found


def _package_page(place: Path, title: str, pages: dict[str, str]) -> str:
    doc = ast.get_docstring(ast.parse((place / "__init__.py").read_text())) or ""
    rows = [f"| [{page}]({page}.md) | {line} |" for page, line in pages.items()]
    table = ["| module | |", "| --- | --- |", *rows] if rows else []
    entries = [f"{page.partition('.')[2]} <{page}>" for page in pages]
    toctree = ["```{toctree}", ":hidden:", "", *entries, "```"] if pages else []
    return "\n".join([f"# {title}", "", doc, "", *table, "", *toctree, ""])


def _write(path: Path, text: str) -> Path:
    # An untouched file is not read again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


class CommandHelp(SphinxDirective):
    """Becomes what `first-occupancy COMMAND --help` prints, for every command."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each command."""
        parser = command_parser()
        (commands,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        found: list[nodes.Node] = []
        for name, command in commands.choices.items():
            section = nodes.section(ids=[name])
            section += nodes.title(text=name)
            command.formatter_class = _EightyColumns
            text = command.format_help()
            section += nodes.literal_block(text, text, language="text")
            found.append(section)
        return found


class _EightyColumns(argparse.HelpFormatter):
    """Wraps at the same place whoever builds the pages."""

    def __init__(self, prog: str):
        super().__init__(prog, width=80)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before any is read."""
    app.connect("builder-inited", write_pages)
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
