"""Tests mirror the source (see `mirrors`), and need nothing of the reproduction."""

import re
from pathlib import Path

from mirrors import Mirror
from where_tables import misleading

ROOT = Path(__file__).parent.parent
LIBRARY = Mirror(
    ROOT / "src" / "first_occupancy",
    ROOT / "tests",
    # The lab is tested as a page, in a browser.
    whole=("web",),
    elsewhere={"__main__.py": "cli/test_main.py"},
)

ACROSS = {
    "core/test_error_texts.py",
    "environments/test_worlds.py",
    "planning/test_edges.py",
    "test_bad_arguments.py",
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


def test_every_module_has_a_test_file_of_its_name():
    assert LIBRARY.lacking() == {}


def test_a_test_file_has_a_module_or_is_named_as_one_that_has_none():
    assert LIBRARY.across() == ACROSS


def test_tests_and_examples_do_without_the_reproduction():
    paths = [path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.py")]
    needing = [path for path in paths if "first_occupancy" + "_paper" in path.read_text("utf-8")]
    assert needing == []


def test_no_module_writes_over_a_file_before_it_has_all_of_the_new_one():
    """They call `storage.whole_files` instead of truncating a file that a user may want back."""
    truncating = re.compile(r"\.write_(?:text|bytes)\(|np\.savez?\w*\((?!file\b)")
    folders = ROOT / "src", ROOT / "reproduction" / "src"
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    found = [path for path in paths if truncating.search(path.read_text("utf-8"))]
    assert found == []


def test_the_architecture_names_places_that_are_there():
    wrong, places = misleading(ROOT / "ARCHITECTURE.md", LIBRARY.source)
    assert wrong == []
    assert places > 20
