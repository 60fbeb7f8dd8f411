"""The examples as notebooks: read by jupytext, run by nbclient, and compared with what they print.

An example is a script in jupytext's percent format: `# %% [markdown]` opens a cell of prose, `# %%`
one of code. It runs as it stands, and Jupyter opens it as a notebook. What it prints is kept in
`examples/printed/`; the pages and the tests compare it with what a run prints.
"""

import os
import re
from pathlib import Path

import jupytext
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
EXAMPLES = {path.stem: path for path in sorted((ROOT / "examples").glob("[0-9]*.py"))}

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
    packages = [str(ROOT / "src"), str(ROOT / "examples"), os.environ.get("PYTHONPATH", "")]
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
    return (ROOT / "examples" / "printed" / f"{name}.txt").read_text(encoding="utf-8")


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
