"""The examples run as notebooks, print what their pages show, and what they claim holds."""

import importlib
import itertools
import re
import runpy
import sys
import tomllib
import warnings

import numpy as np
import pytest

import first_occupancy
from tutorials import OF_THE_LIBRARY as SCRIPTS
from tutorials import ROOT, WITH_PEERS, check, notebooks

CLAIMS = {
    "04_features_on_pendulum": """
estimated, true, best = np.mean(outcomes["FF"], axis=0)
assert true > 0.95 * best
assert abs(estimated - true) < 0.1 * true
overestimated, worse, _ = np.mean(outcomes["SF"], axis=0)
assert worse < 0.95 * best
assert overestimated > 2 * worse
""",
    "07_plans_for_gymnasiums_tables": """
for (name, _), (promised, planned, optimal) in rows.items():
    assert promised <= planned + 1e-12
    assert planned <= optimal + 1e-12
    if name.startswith("FrozenLake"):
        assert planned > 0.59 * optimal
    else:
        assert abs(planned - optimal) <= 1e-12 * optimal
assert rewards == [-1] * (len(rewards) - 1) + [20]
""",
}


@pytest.mark.whole
@pytest.mark.parametrize("name", sorted(set(SCRIPTS) - set(WITH_PEERS)))
def test_a_notebook_prints_and_draws_what_its_page_shows(name, tmp_path):
    if "import gymnasium" in SCRIPTS[name]:
        pytest.importorskip("gymnasium")
    check(name, tmp_path, CLAIMS.get(name, ""))


def test_every_other_example_is_run_by_the_tests_of_peers():
    peers = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/peers/*.py"))
    assert [name for name in WITH_PEERS if name not in peers] == []


MOUSE = ROOT / "examples" / "models_of_a_mouse.py"


@pytest.mark.whole
def test_fifteen_lines_lead_from_a_tracking_file_to_maps_and_models(tmp_path, monkeypatch, capsys):
    imports = ('"""', "import ", "from ")
    code = [line for line in MOUSE.read_text().splitlines() if line]
    assert len([line for line in code if not line.startswith(imports)]) <= 15
    # The mouse runs to the shelter and back, round the wall; the tracker loses it now and then.
    ways = [(0.75, 0.75), (0.15, 0.75), (0.15, 0.55)], [(0.15, 0.05), (0.15, 0.55)]
    lines = ["scorer,a,a,a", "bodyparts,nose,nose,nose", "coords,x,y,likelihood"]
    rng = np.random.default_rng(0)
    for trial in range(30):
        for begin, end in itertools.pairwise(ways[trial % 2]):
            for share in np.arange(0, 1.01, 0.05):
                spot = (1 - share) * np.array(begin) + share * np.array(end)
                x, y = (spot + rng.uniform(-0.02, 0.02, 2)) / 0.002
                lines.append(f"{len(lines)},{x:.1f},{y:.1f},{rng.choice([0.99, 0.99, 0.99, 0.2])}")
        lines.append(f"{len(lines)},0,0,0.01")
    (tmp_path / "mouse.csv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():  # so few moves determine little
        warnings.simplefilter("ignore")
        runpy.run_path(str(MOUSE))
    table = capsys.readouterr().out
    assert re.search(r"^turning biases +3 ", table, re.MULTILINE)
    assert re.search(r"^FRP, K = 3 +2 ", table, re.MULTILINE)
    for name in ("occupancy", "first_occupancy", "successor", "models"):
        assert (tmp_path / f"{name}.svg").stat().st_size > 5_000


@pytest.mark.parametrize("name", [name for name in SCRIPTS if "needs_extra" in SCRIPTS[name]])
def test_an_example_without_its_packages_ends_with_the_extra_that_brings_them(name, monkeypatch):
    # The library looks for packages once: let it find them, for the tests that come after.
    importlib.import_module("first_occupancy.interop.extras")
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(notebooks.EXAMPLES[name]))
    (extras,) = re.findall(r"needs gymnasium: pip install .*?'[\w.-]+\[(.*?)\]'", str(caught.value))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_optional_packages_are_imported_where_a_missing_one_is_explained():
    optional = re.compile(
        r"^(?:import|from) (?:gymnasium|minigrid|stable_baselines3|torch)\b", re.M
    )
    assert [name for name, script in SCRIPTS.items() if optional.search(script)] == []


def test_other_output_than_kept_is_noticed():
    assert notebooks.unlike_lines("2.50 7\n", "2.51 7\n") == []
    assert notebooks.unlike_lines("2.50 7\n", "2.53 7\n") == ["kept: '2.50 7', printed: '2.53 7'"]
    assert notebooks.unlike_lines("2.50 7\n", "2.50 8\n") == ["kept: '2.50 7', printed: '2.50 8'"]
    assert notebooks.unlike_lines("2.50 7\n", "") == ["1 lines are kept, but 0 were printed"]


def test_the_escaping_animal_can_be_given_the_drawing_its_page_speaks_of():
    script = SCRIPTS["05_model_an_escaping_animal"].replace("\n# ", " ")
    (said,) = re.findall(r"`(fo\.maze\(drawing, .*?\))` after `(from .*? import .*?)`", script)
    names = {"fo": first_occupancy, "drawing": [".S.", "#..", ".G."]}
    exec(said[1], names)
    arena = eval(said[0], names)
    assert set(re.findall(r'"((?:up|down|left|right)[a-z-]*)"', script)) == {*arena.action_names}
