"""The examples run, print what their pages show, and what they claim holds."""

import importlib.util
import re
import runpy
import sys
import warnings
from pathlib import Path

import jax
import jaxtyping
import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
PEERS = re.compile(r"^\s*(?:import|from) (?:ray|stable_baselines3|minigrid)\b", re.MULTILINE)
"""Examples with these are run by the tests of peers."""

sys.path.insert(0, str(ROOT / "docs" / "extensions"))
scripts = importlib.import_module("scripts")
sys.path.pop(0)


def run(name, folder, monkeypatch):
    """Return an example's names after it ran in a folder, in float32 as users would run it."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with jax.enable_x64(False), jax.numpy_rank_promotion("allow"), warnings.catch_warnings():
        return runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_and_draws_what_its_page_shows(path, tmp_path, monkeypatch, capsys):
    script = path.read_text(encoding="utf-8")
    if PEERS.search(script):
        pytest.skip("needs a large peer; tests/peers runs it")
    if "import gymnasium" in script:
        pytest.importorskip("gymnasium")
    names = run(path.name, tmp_path, monkeypatch)
    assert scripts.differences(script, capsys.readouterr().out) == []
    assert {figure.name for figure in tmp_path.iterdir()} == set(scripts.FIGURE.findall(script))
    if path.name in CLAIMS:
        CLAIMS[path.name](names)


def features_choose_well(names):
    estimated, true, best = np.mean(names["outcomes"]["FF"], axis=0)
    assert true > 0.95 * best
    assert abs(estimated - true) < 0.1 * true
    overestimated, worse, _ = np.mean(names["outcomes"]["SF"], axis=0)
    assert worse < 0.95 * best
    assert overestimated > 2 * worse


CLAIMS = {"04_features_on_pendulum.py": features_choose_well}
