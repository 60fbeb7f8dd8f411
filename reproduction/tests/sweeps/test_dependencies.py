"""What reruns when: exactly what an experiment imports counts, followed without running it."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment
from first_occupancy_paper.experiments.shorter_paths.run import Config
from first_occupancy_paper.sweeps.dependencies import (
    PACKAGES,
    Dependencies,
    code_version,
    dependencies,
)

RUNS = {each.name: each.run.__module__ for each in EXPERIMENTS}
PLOTS = {each.name: each.plot.__module__ for each in EXPERIMENTS}
ALL = set(RUNS)
TABULAR = ALL - {"jaco_reaching", "tartarus", "labyrinth", "model_recovery"}


@pytest.fixture(scope="module")
def using():
    """Return a function from a file and modules to the names of those that depend on the file."""
    counted = {
        module: set(Dependencies(module, PACKAGES).texts)
        for module in {*RUNS.values(), *PLOTS.values()}
    }

    def found(file: str, modules: dict[str, str]) -> set[str]:
        (package,) = [name for name, above in PACKAGES.items() if (above / name / file).exists()]
        dotted = f"{package}.{file.replace('/', '.').removesuffix('.py')}"
        names = {dotted, dotted.replace(".__init__", ".__init__.py")}
        return {name for name, module in modules.items() if names & counted[module]}

    return found


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("explorers/sarsa.py", {"exploration", "planned_exploration"}),
        ("arm/learner/ddpg.py", {"jaco_reaching"}),
        ("representations/_solvers/elimination.py", TABULAR),
        ("planning/tours.py", {"many_goals"}),
        (
            "planning/_dense/frp_sweeps.py",
            {
                "planning_in_a_room",
                "four_rooms",
                "many_goals",
                "claims",
                "collecting",
                "offline_goals",
            },
        ),
        ("experiments/exploration/protocols.py", {"exploration", "planned_exploration"}),
        ("experiments/four_rooms/noise.py", {"four_rooms"}),
        # What only reads rows:
        ("experiments/escape/rates.py", set()),
        ("experiments/exploration/estimates.py", set()),
        ("experiments/jaco_reaching/comparing.py", set()),
        ("experiments/mountain_car/numbers.py", set()),
        ("experiments/four_rooms/__init__.py", set()),
        ("experiments/four_rooms/find.py", set()),
        ("experiments/answers.py", set()),
        ("experiments/experiment.py", set()),
        ("plotting/style.py", set()),
        ("planning/__init__.py", set()),
        ("sweeps/store.py", set()),
    ],
)
def test_a_change_reruns_what_imports_it_and_nothing_else(using, file, expected):
    assert using(file, RUNS) == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("plotting/style.py", ALL),
        ("plotting/mdp_graphs.py", {"exploration"}),
        (
            "experiments/answers.py",
            {
                "collecting",
                "escape",
                "exploration",
                "four_rooms",
                "jaco_reaching",
                "many_goals",
                "offline_goals",
                "planned_exploration",
                "tartarus",
            },
        ),
        ("experiments/many_goals/find.py", {"many_goals"}),
        ("experiments/claims/find.py", set()),
        ("explorers/explorer.py", {"planned_exploration"}),
    ],
)
def test_a_change_redraws_the_figures_that_are_drawn_with_it(using, file, expected):
    assert using(file, PLOTS) == expected


RUN_FROM_COPIES = """
import importlib, json, sys
import jax

jax.config.update("jax_enable_x64", True)
loaded, rows = {}, []
for name, (folder, module) in json.loads(sys.argv[1]).items():
    for each in [each for each in sys.modules if each.startswith("first_occupancy")]:
        del sys.modules[each]
    sys.path[0] = folder
    importlib.invalidate_caches()
    run = importlib.import_module(module)
    if name == "shorter_paths":
        rows = list(run.run(run.Config(episodes=2, steps=8), 0))
    ours = [each for each in sys.modules if each.startswith("first_occupancy")]
    loaded[name] = [each for each in ours if "." in each]
print(json.dumps([loaded, rows]))
"""
LOADED_ON_FIRST_USE = """
import lazy_loader
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
"""


def copy_of(texts: dict[str, bytes], folder: Path) -> Path:
    """Write modules below a folder, with an `__init__` per package that loads names when used."""
    for module, text in texts.items():
        path = folder.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    for path in [each for each in folder.rglob("*") if each.is_dir()]:
        within, beyond = front_of(path.relative_to(folder))
        beyond = [line for line in beyond if line.split()[1] in texts]
        (path / "__init__.py").write_text("\n".join([LOADED_ON_FIRST_USE, *beyond]))
        (path / "__init__.pyi").write_text(within)
    return folder


def front_of(package: Path) -> tuple[str, list[str]]:
    """Return what the `__init__` of a package imports: a stub of what is within, other imports."""
    front = PACKAGES[package.parts[0]] / package / "__init__.py"
    if front.with_suffix(".pyi").exists():
        return front.with_suffix(".pyi").read_text(), []
    name = ".".join(package.parts)
    imports = [
        each for each in ast.parse(front.read_text()).body if isinstance(each, ast.ImportFrom)
    ]
    within = [each for each in imports if each.level or f"{each.module}.".startswith(f"{name}.")]
    stub = "".join(
        f"from .{(each.module or '').removeprefix(name).removeprefix('.')} "
        f"import {', '.join(one.name for one in each.names)}\n"
        for each in within
    )
    return stub, [ast.unparse(each) for each in imports if each not in within]


WITH_PLANNERS = ("first_occupancy.planning.", "first_occupancy.environments.")
"""Planners import what follows changes, keeps deadlines and compiles loops when asked for it."""


@pytest.mark.whole
def test_what_counts_is_what_it_takes_to_run(tmp_path):
    """Every experiment is imported, and one is run, where nothing is there but what counts."""
    counted = {each.name: dependencies(each.run).texts for each in EXPERIMENTS}
    copies = {
        name: (str(copy_of(texts, tmp_path / name)), RUNS[name]) for name, texts in counted.items()
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN_FROM_COPIES, json.dumps(copies)], capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    loaded, rows = json.loads(done.stdout)
    # Imported where bounds, skills, regions or compiled loops are asked for.
    later = {
        "first_occupancy.core.compiled",
        "first_occupancy.representations._solvers.clocked",
        "first_occupancy.representations._solvers.few_states",
        "first_occupancy.representations._solvers.sweeps",
        "first_occupancy.continuous.certificates",
        "first_occupancy.continuous.region_plans",
        "first_occupancy.continuous.skill_models",
        "first_occupancy.continuous.skill_worlds",
    }
    for name, texts in counted.items():
        unused = set(texts) - set(loaded[name]) - later
        if "first_occupancy.__init__.py" not in texts:  # which asks for names one by one
            assert {each for each in unused if not each.startswith(WITH_PLANNERS)} == set()
    assert rows == list(experiment("shorter_paths").run(Config(episodes=2, steps=8), 0))


def of_package(folder: Path, files: dict[str, str]) -> Dependencies:
    """Return what `run` in a package with these files depends on."""
    for name, text in {"__init__.py": "", "run.py": "", **files}.items():
        path = folder / "own" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Dependencies("own.run", {"own": folder, **PACKAGES})


INNER = {"inner/__init__.py": "from own.inner.b import x", "inner/b.py": "", "inner/c.py": ""}


FRONTS = "inner.__init__.py inner.b"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"run.py": "from own import a", "a.py": "from own.b import x", "b.py": ""}, "a b"),
        ({"run.py": "def run():\n    from own.a import x", "a.py": ""}, "a"),
        ({"run.py": "from .a import x\nfrom . import b", "a.py": "", "b.py": ""}, "a b"),
        ({"run.py": "from ..own import a", "a.py": "from .inner import c", **INNER}, "a inner.c"),
        # Of a package, the names that are taken of it:
        ({"run.py": "from own.inner import x", **INNER}, "inner.b"),
        ({"run.py": "import own.inner.c", **INNER}, "inner.c"),
        ({"run.py": "from own.inner import y", "inner/__init__.py": "from .b import x as y"}, ""),
        (
            {"run.py": "from own.inner import y", **INNER, "inner/__init__.py": "from .b import y"},
            "inner.b",
        ),
        # What the package of `run` imports beside it:
        ({"__init__.py": "from own.run import run\nfrom own.plot import plot", "plot.py": ""}, ""),
        # All that the package imports, where the name is its own, or nothing says which is used:
        (
            {"run.py": "from own.inner import y", "inner/__init__.py": "def y(): ..."},
            "inner.__init__.py",
        ),
        ({"run.py": "from own import inner", **INNER}, FRONTS),
        ({"run.py": "import own.inner as i", **INNER}, FRONTS),
        ({"run.py": "from own.inner import *", **INNER}, FRONTS),
        ({"run.py": "from own.inner import lost", **INNER}, FRONTS),
        ({"run.py": "from own import broken", "broken.py": "is no Python"}, "broken"),
        ({"run.py": "import numpy, lost\nfrom jax import numpy as own", "a.py": ""}, ""),
    ],
)
def test_imports_are_followed_in_every_form(tmp_path, files, expected):
    counted = of_package(tmp_path, files).texts
    assert set(counted) == {"own.run", *(f"own.{name}" for name in expected.split())}


def test_names_of_the_top_level_are_followed_though_they_load_on_first_use(tmp_path):
    def ours(text: str) -> set[str]:
        return set(of_package(tmp_path, {"run.py": text}).texts) - {"own.run"}

    tours = ours("from first_occupancy import tour")
    assert tours == ours("from first_occupancy.planning.world_tours import tour")
    assert tours < ours("import first_occupancy as fo")
    assert "first_occupancy.planning.tours" in tours


def test_a_name_that_moves_between_modules_that_count_is_a_change(tmp_path):
    run = "from own import a, b, x"
    found = {
        of_package(tmp_path, {"run.py": run, "a.py": "", "b.py": "", "__init__.py": front}).version
        for front in ("from own.a import x", "from own.b import x", "from own.b import x  # here")
    }
    assert len(found) == 2


def test_line_endings_are_no_change(tmp_path):
    before = of_package(tmp_path, {"run.py": "one = 1\n"}).version
    (tmp_path / "own" / "run.py").write_bytes(b"one = 1\r\n")
    assert Dependencies("own.run", {"own": tmp_path}).version == before


def run_in(path: Path):
    """Return a function that says it stands in a file."""
    namespace: dict = {}
    exec(compile("def run(config, seed): ...", str(path), "exec"), namespace)
    return namespace["run"]


def test_the_code_of_a_users_experiment_counts(tmp_path):
    def version(text: str, name: str) -> str:
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / name).write_text(text)
        return code_version(run_in(tmp_path / "mine" / "run.py"))

    alone = version("from mine import other", "run.py")
    assert version("one", "other.py") == alone  # not a package: only its own file
    package = version("", "__init__.py")
    assert version("two", "other.py") != package
    assert version("any", "plot.py") == version("other", "find.py")
    assert version("from first_occupancy import maze", "run.py") != version("", "run.py")
    assert alone != package


@pytest.mark.parametrize("name", ["find_food.py", "plot.py"])
@pytest.mark.parametrize("is_package", [False, True])
def test_the_file_that_runs_counts_whatever_it_is_called(tmp_path, name, is_package):
    if is_package:
        (tmp_path / "__init__.py").touch()
    path, found = tmp_path / name, set()
    for text in ("one", "two"):
        path.write_text(text)
        found.add(code_version(run_in(path)))
    assert len(found) == 2
