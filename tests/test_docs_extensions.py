"""What the documentation adds to Sphinx, where it can be tested without building pages."""

import importlib
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).parent.parent / "docs" / "extensions"


@pytest.fixture
def fields_of(monkeypatch):
    """Return the function that turns sections of docstrings into fields."""
    monkeypatch.syspath_prepend(EXTENSIONS)
    return importlib.import_module("docstring_sections").sections_as_fields


DOCSTRING = """\
Pay somebody $x$ francs.

Args:
    who: the payee, who
        may be: anybody.

        Even you.
    amount, tip: in francs.
    **options: others.

Returns:
    The receipt: a number,
    or None.

Raises:
    InputError: if the amount is negative.
"""

FIELDS = r"""Pay somebody $x$ francs.

:Arguments:
  - **who** – the payee, who
    may be: anybody.

    Even you.
  - **amount**, **tip** – in francs.
  - **\*\*options** – others.

:Returns:
  The receipt: a number,
  or None.

:Raises:
  - `InputError` – if the amount is negative.

"""


def test_sections_of_docstrings_become_lists_of_names(fields_of):
    assert fields_of(DOCSTRING) == FIELDS


def test_the_rest_of_a_docstring_stays_as_it_is(fields_of):
    text = "Return a.\n\nReturns: nothing new\n\n    indented code\n"
    assert fields_of(text) == text
    (last,) = fields_of(DOCSTRING + "\nBut see `pay`.\n").splitlines()[-1:]
    assert last == "But see `pay`."
