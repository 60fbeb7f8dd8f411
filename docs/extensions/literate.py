"""The tutorials: every script of `examples/` is run as a notebook, and becomes a page.

The notebooks are offered for download with their outputs. Those that the tests have just run are
not run again. Those whose packages are not installed here are not run; their pages show what
`examples/printed/` has instead.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_markdown_cell
from notebooks import (
    EXAMPLES,
    ROOT,
    VARYING,
    differences,
    execute,
    is_kept,
    keep,
    kept,
    outputs,
    printed,
    read,
)
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

FOOTER = """\
---

This page is a notebook, {{download}}`{name}.ipynb <../notebooks/{name}.ipynb>`, and a script,
{{download}}`{folder}/{name}.py <../../../{folder}/{name}.py>`. The tests run it and {tests}."""
MODULE = "It imports {{download}}`{name} <../../../{folder}/{name}>`."


def write_pages(app: Sphinx) -> None:
    """Run the examples and write their notebooks, their pages and the list of tutorials."""
    generated = Path(app.srcdir) / "generated"
    for folder in ("notebooks", "tutorials"):
        (generated / folder).mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: write_notebook(name, generated), EXAMPLES))
    for name in EXAMPLES:
        write_page(name, generated)
    (generated / "tutorial_list.md").write_text(contents(Path(app.srcdir)), "utf-8")
    for stale in (generated / "tutorials").iterdir():
        if stale.name not in {f"{name}.ipynb" for name in EXAMPLES}:
            stale.unlink()


def write_notebook(name: str, generated: Path) -> None:
    """Run an example and write its notebook, unless that was done and nothing has changed."""
    if is_kept(name):
        return
    folder = generated / "run" / name
    folder.mkdir(parents=True, exist_ok=True)
    notebook, problems, ran = read(name), [], True
    try:
        problems = differences(name, printed(execute(notebook, folder)))
    except CellExecutionError as error:
        notebook, ran = read(name), False
        if error.ename == "SystemExit":
            logger.info("%s not run: %s", name, error.evalue)
        else:
            problems = [str(error)[-500:]]
    for problem in problems:
        logger.warning("%s: %s", name, problem)
    keep(name, notebook, ran=ran and not problems)


def write_page(name: str, generated: Path) -> None:
    """Write the page of a notebook: its cells, and where to download it."""
    notebook = nbformat.read(generated / "notebooks" / f"{name}.ipynb", as_version=4)
    if not outputs(notebook):
        block = f"```{{code-block}} text\n:class: output\n\n{kept(name)}```"
        notebook.cells.append(new_markdown_cell(f"## What it prints\n\n{block}", id="printed"))
    script = EXAMPLES[name].read_text(encoding="utf-8")
    modules = [path for path in EXAMPLES[name].parent.glob("[a-z]*.py") if path.stem in script]
    tests = "check what it claims" if name in VARYING else "compare what it prints with this page"
    folder = EXAMPLES[name].parent.relative_to(ROOT).as_posix()
    footer = [
        FOOTER.format(name=name, folder=folder, tests=tests),
        *(MODULE.format(name=path.name, folder=folder) for path in modules),
    ]
    notebook.cells.append(new_markdown_cell(" ".join(footer), id="footer"))
    target, text = generated / "tutorials" / f"{name}.ipynb", nbformat.writes(notebook)
    # An untouched file is not read again.
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def contents(docs: Path) -> str:
    """Return the list of tutorials; pages that another part of the menu has are left out."""
    elsewhere = re.findall(r"^generated/tutorials/(\w+)$", (docs / "index.md").read_text(), re.M)
    entries = [f"/generated/tutorials/{name}" for name in EXAMPLES if name not in elsewhere]
    entries += ["/sweeps"] if (docs / "sweeps.md").exists() else []
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *entries, "```", ""])


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the tutorials before any page is read."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
