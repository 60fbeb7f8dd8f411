"""The examples run, print what their pages show, and what they claim holds."""

import importlib
import re
import runpy
import sys
import warnings
from pathlib import Path

import jax
import jaxtyping
import numpy as np
import pytest

import first_occupancy

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
scripts = importlib.import_module("scripts")
sys.path.pop(0)

EXAMPLES = {path.name: path.read_text(encoding="utf-8") for path in ROOT.glob("examples/*.py")}
SHOWING = sorted(
    name
    for name, script in EXAMPLES.items()
    if any(cell.kind in ("output", "roughly") for cell in scripts.cells(script))
)
"""Examples that show what they print; the others are run by the tests of peers."""


def run(name, folder, monkeypatch):
    """Return an example's names after it ran in a folder, in float32 as users would run it."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with jax.enable_x64(False), jax.numpy_rank_promotion("allow"), warnings.catch_warnings():
        return runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")


@pytest.mark.parametrize("name", SHOWING)
def test_an_example_prints_and_draws_what_its_page_shows(name, tmp_path, monkeypatch, capsys):
    script = EXAMPLES[name]
    if "import gymnasium" in script:
        pytest.importorskip("gymnasium")
    names = run(name, tmp_path, monkeypatch)
    assert scripts.differences(script, capsys.readouterr().out) == []
    assert {figure.name for figure in tmp_path.iterdir()} == set(scripts.FIGURE.findall(script))
    if name in CLAIMS:
        CLAIMS[name](names)


def test_every_other_example_is_run_by_the_tests_of_peers():
    peers = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/peers/*.py"))
    assert [name for name in EXAMPLES if name not in SHOWING and name not in peers] == []


def test_other_output_than_shown_is_noticed():
    script = '"""Title."""\n\nprint(2.50, 7)\n# > 2.50 7\n'
    assert scripts.differences(script, "2.51 7\n") == []
    assert scripts.differences(script, "2.53 7\n") == ["shown: '2.50 7', printed: '2.53 7'"]
    assert scripts.differences(script, "2.50 8\n") == ["shown: '2.50 7', printed: '2.50 8'"]
    assert scripts.differences(script, "") == ["1 lines are shown, but 0 were printed"]


def test_comments_that_stand_alone_are_prose_and_others_stay_code():
    script = '"""Title."""\n\nimport os\n\n# ## Prose\n#\n# more\n\n# why\nx = 1\nprint(x)\n# > 1\n'
    assert [tuple(cell) for cell in scripts.cells(script)] == [
        ("prose", "Title."),
        ("code", "import os"),
        ("prose", "## Prose\n\nmore"),
        ("code", "# why\nx = 1\nprint(x)"),
        ("output", "1"),
    ]


def test_the_escaping_animal_can_be_given_the_drawing_its_page_speaks_of():
    script = EXAMPLES["05_model_an_escaping_animal.py"].replace("\n# ", " ")
    (said,) = re.findall(r"`(fo\.maze\(drawing, .*?\))` after `(from .*? import .*?)`", script)
    names = {"fo": first_occupancy, "drawing": [".S.", "#..", ".G."]}
    exec(said[1], names)
    arena = eval(said[0], names)
    assert set(re.findall(r'"((?:up|down|left|right)[a-z-]*)"', script)) == {*arena.action_names}


def features_choose_well(names):
    estimated, true, best = np.mean(names["outcomes"]["FF"], axis=0)
    assert true > 0.95 * best
    assert abs(estimated - true) < 0.1 * true
    overestimated, worse, _ = np.mean(names["outcomes"]["SF"], axis=0)
    assert worse < 0.95 * best
    assert overestimated > 2 * worse


CLAIMS = {"04_features_on_pendulum.py": features_choose_well}
