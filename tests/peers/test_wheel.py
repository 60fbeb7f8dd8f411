"""The wheel holds all that users need, works where it alone is installed, and brings its types."""

import sys
from pathlib import Path

import pytest

import wheels
from wheels import EMPTY, run

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
    "fo.plan(world, (1, 9))": "call-overload",
    "plan.polcy": "attr-defined",
    "legs + 1": "operator",
    "fo.first_occupancy.solve(fo.chain(world, [0]), discount='high')": "arg-type",
}
"""Mistakes in a user's script, and what mypy calls them."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder's Python that has the wheel."""
    return wheels.installed(tmp_path_factory.mktemp("wheel"), ROOT)


def test_the_wheel_is_what_is_imported(installed, tmp_path):
    code = "import first_occupancy as fo, sys; print(fo.__file__, fo.four_rooms().num_states)"
    place, num_states = run(installed, "-W", "error", "-c", code, folder=tmp_path).split()
    assert Path(place).is_relative_to(installed.parents[1])
    assert num_states == "68"


def command(installed, *words, folder, returncode=0):
    """Run a command where only the wheel and what it requires are installed."""
    code = EMPTY + "from first_occupancy.__main__ import main; sys.exit(main())"
    return run(installed, "-c", code, *words, folder=folder, returncode=returncode)


def test_the_command_plans_through_a_drawing(installed, tmp_path):
    drawing = ROOT / "examples" / "mazes" / "warehouse.txt"
    words = ("plan", drawing, "--out", "plan.png")
    assert "goal" in command(installed, *words, folder=tmp_path)
    assert (tmp_path / "plan.png").stat().st_size > 0


IMPORTS = """
try:
    import pytest
except ModuleNotFoundError:
    pass  # so others that the library does not require are hidden, too
else:
    raise AssertionError("pytest is there")
import importlib, pkgutil, first_occupancy
for module in pkgutil.walk_packages(first_occupancy.__path__, "first_occupancy."):
    importlib.import_module(module.name)
    print(module.name)
"""


def test_every_module_can_be_imported(installed, tmp_path):
    names = run(installed, "-c", EMPTY + IMPORTS, folder=tmp_path).split()
    paths = [path for path in (ROOT / "src").rglob("*.py") if path.name != "__init__.py"]
    assert len(names) > len(paths)


def test_the_lab_is_saved_as_one_page(installed, tmp_path):
    command(installed, "lab", "--save", "lab.html", folder=tmp_path)
    assert (tmp_path / "lab.html").stat().st_size > 100_000


@pytest.mark.parametrize("name", ["reproduce", "bench", "sweep", "run", "list"])
def test_commands_of_the_reproduction_say_what_to_install(installed, tmp_path, name):
    # Beneath are the packages of this Python, and among them there may be the reproduction.
    code = "import sys; from first_occupancy.cli import parsing, main; "
    code += "parsing.entry_points = lambda group: (); sys.exit(main.main(sys.argv[1:]))"
    said = run(installed, "-c", code, name, "--quick", folder=tmp_path, returncode=2)
    assert said.startswith(f"first-occupancy {name}: belongs to the reproduction of the paper")
    assert said.count("\n") == 1
    assert "pip install -e . -e " in said


def test_hints_name_the_package_and_not_a_checkout(installed, tmp_path):
    module = "first_occupancy.core.install_hints"
    code = f"from {module} import install_command as c; print(c('interop'))"
    said = run(installed, "-c", code, folder=tmp_path)
    assert said == "pip install 'first-occupancy[interop]'\n"


def test_data_licences_and_types_are_in_it(installed):
    (site,) = installed.parents[1].glob("lib/python*/site-packages")
    package = site / "first_occupancy"
    for name in ("py.typed", "__init__.pyi", "web/static/index.html"):
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
