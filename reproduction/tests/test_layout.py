"""Tests mirror the source (see `mirrors`), and those that PAPER.md names are there."""

import re
from pathlib import Path

from mirrors import Mirror
from where_tables import misleading

ROOT = Path(__file__).parents[2]
HERE = ROOT / "reproduction"
REPRODUCTION = Mirror(
    HERE / "src" / "first_occupancy_paper",
    HERE / "tests",
    # Much of the arm's learner is tested by what its updates do together, the lab in a browser.
    whole=("arm", "web"),
    elsewhere={"sweeps/ray_workers.py": "peers/test_ray.py"},
)

ACROSS = {
    "commands/test_interruption.py",
    "experiments/test_settings.py",
    "sweeps/test_interruption.py",
    "test_error_texts.py",
    "test_layout.py",
    "test_tutorials.py",
    "worlds/test_goals.py",
}
"""Tests of what no single module does, named for it."""


def test_every_module_has_a_test_file_of_its_name():
    assert REPRODUCTION.lacking() == {}


def test_a_test_file_has_a_module_or_is_named_as_one_that_has_none():
    assert REPRODUCTION.across() == ACROSS


def test_tests_that_the_page_of_the_paper_names_are_there():
    page = (ROOT / "PAPER.md").read_text("utf-8")
    paths = [path for folder in (ROOT, HERE) for path in (folder / "tests").rglob("test_*.py")]
    code = "\n".join(path.read_text("utf-8") for path in paths)
    files = re.findall(r"`((?:reproduction/)?tests/\S+)`", page)
    functions = re.findall(r"`(test_\w+)`", page)
    assert len(files) + len(functions) > 25
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert [name for name in functions if f"def {name}(" not in code] == []


def test_the_readme_names_places_that_are_there():
    wrong, places = misleading(HERE / "README.md", REPRODUCTION.source, ROOT)
    assert wrong == []
    assert places > 10
