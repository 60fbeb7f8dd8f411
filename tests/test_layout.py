"""Tests mirror the source: `planning/paths.py` is tested in `tests/planning/test_paths.py`.

A leading underscore of a module's own name is dropped: `_goals.py` is tested in `test_goals.py`.
An experiment runs as a whole, so one file of its name may test all of it, `test_escape.py` all of
`experiments/escape/`.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "first_occupancy", ROOT / "tests"

WHOLE = ("arm", "web")
"""Folders that are not mirrored file by file: the lab is tested as a page, in a browser, and much
of the arm's learner by what its updates do together."""

ELSEWHERE = {"__main__.py": "cli/test_main.py", "sweeps/ray_workers.py": "peers/test_ray.py"}
"""Modules whose tests cannot stand in a file of their name, and where they are."""

ACROSS = {
    "core/test_error_texts.py",
    "environments/test_worlds.py",
    "experiments/test_settings.py",
    "sweeps/test_interruption.py",
    "test_docs_extensions.py",
    "test_docstrings.py",
    "test_examples.py",
    "test_layout.py",
    "test_long.py",
    "test_picture_of_a_plan.py",
    "test_readme.py",
    "test_release.py",
    "test_which_page.py",
}
"""Tests of what no single module does, named for it."""


def modules():
    """Return the modules that do something, by their paths below the package."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "__init__.py"]
    names = [path.relative_to(SOURCE) for path in paths if does_something(path)]
    return [name.as_posix() for name in names if name.parts[0] not in WHOLE]


def does_something(path):
    """Return whether a module defines a function or a class, or runs one."""
    kinds = (ast.FunctionDef, ast.ClassDef, ast.If)
    return any(isinstance(node, kinds) for node in ast.parse(path.read_text("utf-8")).body)


def homes_of(module):
    """Return the files, below `tests`, of which one must test a module."""
    path = Path(module)
    own = path.parent / f"test_{path.name.removeprefix('_')}"
    homes = [ELSEWHERE.get(module, own.as_posix())]
    if path.parts[0] == "experiments" and len(path.parts) > 2:
        homes.append(f"experiments/test_{path.parts[1]}.py")
    return homes


def test_every_module_has_a_test_file_of_its_name():
    lacking = {
        module: f"tests/{homes_of(module)[0]}"
        for module in modules()
        if not any((TESTS / home).exists() for home in homes_of(module))
    }
    assert lacking == {}


def test_a_test_file_has_a_module_or_is_named_as_one_that_has_none():
    mirrored = {home for module in modules() for home in homes_of(module)}
    found = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    mirroring = {path.as_posix() for path in found if path.parts[0] not in (*WHOLE, "peers")}
    assert mirroring - mirrored == ACROSS


def test_tests_that_the_page_of_the_paper_names_are_there():
    page = (ROOT / "PAPER.md").read_text("utf-8")
    code = "\n".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    files, functions = re.findall(r"`(tests/\S+)`", page), re.findall(r"`(test_\w+)`", page)
    assert len(files) + len(functions) > 25
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert [name for name in functions if f"def {name}(" not in code] == []


def test_no_module_writes_over_a_file_before_it_has_all_of_the_new_one():
    """They call `storage.whole_files` instead of truncating a file that a user may want back."""
    truncating = re.compile(r"\.write_(?:text|bytes)\(|np\.savez?\w*\((?!file\b)")
    found = [path for path in SOURCE.rglob("*.py") if truncating.search(path.read_text("utf-8"))]
    assert found == []
