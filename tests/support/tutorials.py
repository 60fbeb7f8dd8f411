"""Running the examples as notebooks, which the pages of the documentation then show."""

import importlib
import re
import sys
from pathlib import Path

from nbformat.v4 import new_code_cell

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
notebooks = importlib.import_module("notebooks")
sys.path.pop(0)

WITH_PEERS = (
    "09_composing_trained_skills",
    "14_any_environment_exactly",
)
"""Examples that need large packages: `tests/peers` runs them."""

OF_THE_LIBRARY = {
    name: path.read_text(encoding="utf-8")
    for name, path in notebooks.EXAMPLES.items()
    if path.is_relative_to(ROOT / "examples")
}
"""The scripts of the examples that need nothing of the reproduction, by their names."""

OF_THE_REPRODUCTION = sorted(set(notebooks.EXAMPLES) - set(OF_THE_LIBRARY))
"""The names of the others: `reproduction/tests` runs them."""

SAVED = re.compile(r'^plotting\.save\(figure, "([\w-]+\.svg)"\)$', re.MULTILINE)


def check(name, folder, claims=""):
    """Run an example in a folder: it prints and draws what its page shows, and its claims hold."""
    notebook = notebooks.read(name)
    # The claims are code that runs after the last cell and asserts.
    notebook.cells.append(new_code_cell(claims))
    notebooks.execute(notebook, folder)
    assert notebooks.differences(name, notebooks.printed(notebook)) == []
    outputs = notebooks.outputs(notebook)
    assert [each.text for each in outputs if each.get("name") == "stderr"] == []
    saved = SAVED.findall(notebooks.EXAMPLES[name].read_text(encoding="utf-8"))
    assert {path.name for path in folder.iterdir()} == set(saved)
    assert sum("image/png" in each.get("data", {}) for each in outputs) == len(saved)
    notebook.cells.pop()
    notebooks.keep(name, notebook)
