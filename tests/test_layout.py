"""Tests mirror the source (see `mirrors`), and need nothing of the reproduction."""

from pathlib import Path

from mirrors import Mirror

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
    "test_docs_extensions.py",
    "test_docstrings.py",
    "test_examples.py",
    "test_layout.py",
    "test_long.py",
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
