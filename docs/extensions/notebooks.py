"""The examples as notebooks: read by jupytext, run by nbclient, and compared with what they print.

An example is a script in jupytext's percent format: `# %% [markdown]` opens a cell of prose, `# %%`
one of code. It runs as it stands, and Jupyter opens it as a notebook. What it prints is kept in
`printed/` beside it; the pages and the tests compare it with what a run prints. Those in
`reproduction/examples` need the reproduction.

The tests keep the notebooks that they ran, and pages are made of them as long as no code changes.
"""

import hashlib
import os
import re
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
PLACES = (ROOT / "examples", ROOT / "reproduction" / "examples")
SOURCES = (ROOT / "src", ROOT / "reproduction" / "src")
GENERATED = ROOT / "docs" / "generated"
EXAMPLES = {
    path.stem: path
    for path in sorted(
        (path for place in PLACES for path in place.glob("[0-9]*.py")), key=lambda path: path.stem
    )
}

VARYING = ("04_features_on_pendulum", "09_composing_trained_skills")
"""Examples that train, and so print other numbers on other machines; their claims are tested."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def read(name: str) -> NotebookNode:
    """Return an example as a notebook that has not been run."""
    notebook = jupytext.read(EXAMPLES[name], fmt="py:percent")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    # Running a notebook says so as well; those that cannot be run need it for their colours.
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return notebook


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Run a notebook in a folder, with this checkout's package; its cells receive their outputs.

    Raises:
        CellExecutionError: if a cell raises; `ename` is `SystemExit` where a package is missing.
    """
    packages = [*map(str, (*SOURCES, *PLACES)), os.environ.get("PYTHONPATH", "")]
    client = NotebookClient(
        notebook,
        timeout=600,
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    return client.execute(env=os.environ | {"PYTHONPATH": os.pathsep.join(packages)})


def outputs(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the outputs of all cells, in order."""
    return [each for cell in notebook.cells for each in cell.get("outputs", [])]


def printed(notebook: NotebookNode) -> str:
    """Return what the cells of a notebook printed."""
    streams = [each for each in outputs(notebook) if each.output_type == "stream"]
    return "".join(each.text for each in streams if each.name == "stdout")


def kept(name: str) -> str:
    """Return what an example is known to print."""
    return (EXAMPLES[name].parent / "printed" / f"{name}.txt").read_text(encoding="utf-8")


def version_of(name: str) -> str:
    """Return a hash of all that decides what an example prints: its files, and our packages."""
    digest = hashlib.sha256(kept(name).encode())
    modules = [path for place in PLACES for path in sorted(place.glob("[a-z]*.py"))]
    sources = [path for folder in SOURCES for path in sorted(folder.rglob("*.py"))]
    for source in (EXAMPLES[name], *modules, *sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def is_kept(name: str) -> bool:
    """Return whether the notebook of an example was run, and nothing has changed since."""
    stamp = GENERATED / "run" / f"{name}.version"
    is_there = stamp.exists() and (GENERATED / "notebooks" / f"{name}.ipynb").exists()
    return is_there and stamp.read_text() == version_of(name)


def keep(name: str, notebook: NotebookNode, *, ran: bool = True) -> None:
    """Write the notebook of an example where the pages look for it.

    Args:
        name: name of the example.
        notebook: the notebook, with the outputs of its cells if it was run.
        ran: whether it was run, and printed what it should.
    """
    for folder in ("notebooks", "run"):
        (GENERATED / folder).mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, GENERATED / "notebooks" / f"{name}.ipynb")
    stamp = GENERATED / "run" / f"{name}.version"
    stamp.write_text(version_of(name)) if ran else stamp.unlink(missing_ok=True)


def differences(name: str, printed: str) -> list[str]:
    """Return how what an example printed differs from what is kept; empty if it does not."""
    return [] if name in VARYING else unlike_lines(kept(name), printed)


def unlike_lines(kept: str, printed: str) -> list[str]:
    """Return the lines that differ.

    Numbers may differ by one in the last decimal, since processors round differently.
    """
    old, new = kept.splitlines(), printed.splitlines()
    if len(old) != len(new):
        return [f"{len(old)} lines are kept, but {len(new)} were printed"]
    pairs = zip(old, new, strict=True)
    return [f"kept: {a!r}, printed: {b!r}" for a, b in pairs if not _alike(a.rstrip(), b.rstrip())]


def _alike(kept: str, printed: str) -> bool:
    if NUMBER.split(kept) != NUMBER.split(printed):
        return False
    pairs = zip(NUMBER.findall(kept), NUMBER.findall(printed), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= 1.5 * _last_digit(a) for a, b in pairs)


def _last_digit(number: str) -> float:
    """Return the value of one in the last decimal; whole numbers must be equal."""
    return 10.0 ** -len(number.partition(".")[2]) if "." in number else 0.0
