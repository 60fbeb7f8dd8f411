"""The wheel holds all that users need, works where it alone is installed, and brings its types."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

for package in ("build", "hatchling", "mypy"):
    pytest.importorskip(package, reason="the extra 'peers' is not installed")

ROOT = Path(__file__).parents[2]

GOOD = """
import first_occupancy as fo

world = fo.four_rooms()
plan = fo.plan(world, goal=(1, 9), discount=0.95)
legs = plan.legs(world.start)
print(legs[0].subgoal, plan.promised.max())
"""

WRONG = {
    "fo.maze(3)": "arg-type",
    "fo.plan(world, (1, 9))": "call-arg",
    "plan.polcy": "attr-defined",
    "legs + 1": "operator",
    "fo.first_occupancy.solve(fo.chain(world, [0]), discount='high')": "arg-type",
}
"""Mistakes in a user's script, and what mypy calls them."""


def run(*command, folder=None, returncode=0):
    environment = {name: at for name, at in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == returncode, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder's Python that has the wheel, and the packages of this one's beneath it."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--quiet")
    run(*pip, "install", "--no-deps", "--no-index", wheel)
    # Python searches the folder that a .pth file names, but reads no .pth files in it, so that an
    # editable install there does not count.
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "beneath.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_wheel_is_what_is_imported(installed, tmp_path):
    code = "import first_occupancy as fo, sys; print(fo.__file__, fo.four_rooms().num_states)"
    place, num_states = run(installed, "-W", "error", "-c", code, folder=tmp_path).split()
    assert Path(place).is_relative_to(installed.parents[1])
    assert num_states == "68"


def test_the_command_plans_through_a_drawing(installed, tmp_path):
    drawing = ROOT / "examples" / "mazes" / "warehouse.txt"
    command = (installed.with_name("first-occupancy"), "plan", drawing, "--out", "plan.png")
    assert "goal" in run(*command, folder=tmp_path)
    assert (tmp_path / "plan.png").stat().st_size > 0


def test_hints_name_the_package_and_not_a_checkout(installed, tmp_path):
    module = "first_occupancy.core.install_hints"
    code = f"from {module} import install_command as c; print(c('interop'))"
    said = run(installed, "-c", code, folder=tmp_path)
    assert said == "pip install 'first-occupancy[interop]'\n"


def test_data_licences_and_types_are_in_it(installed):
    (site,) = installed.parents[1].glob("lib/python*/site-packages")
    package = site / "first_occupancy"
    for name in ("py.typed", "__init__.pyi", "web/static/index.html", "arm/world/model/jaco.xml"):
        assert (package / name).exists(), name
    sources = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*.py")}
    assert {path.relative_to(site) for path in package.rglob("*.py")} == sources
    (metadata,) = site.glob("first_occupancy-*.dist-info")
    assert (metadata / "licenses" / "LICENSE").exists()


def test_a_type_checker_finds_mistakes_and_no_others(installed, tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(GOOD + "\n".join(WRONG) + "\n")
    mypy = (sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context")
    said = run(*mypy, "--python-executable", installed, script, folder=tmp_path, returncode=1)
    first = len(GOOD.splitlines()) + 1
    found = {
        int(line.split(":")[1]): line.split("[")[-1].rstrip("]")
        for line in said.splitlines()
        if ": error: " in line
    }
    assert found == dict(enumerate(WRONG.values(), start=first))
