"""The rules of `docs/check_docstrings.py`, which `make check` runs over the package."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "first_occupancy"


@pytest.fixture(scope="module")
def module():
    file = ROOT / "docs" / "check_docstrings.py"
    spec = importlib.util.spec_from_file_location("check_docstrings", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference(module):
    return module.reference([str(ROOT / "src")])


@pytest.fixture(scope="module")
def problems_of(module):
    """Return the check, as a function of a module's text."""
    return lambda text, offered=("*",): module.problems_of(ast.parse(text), set(offered))


DOCUMENTED = '''
def pay(who, amount):
    """Pay somebody.

    Args:
        who: the payee.
        amount: in francs, which
            may be: anything.

    Returns:
        The receipt.

    Raises:
        ValueError: the amount is negative.
    """
    if amount < 0:
        raise ValueError("negative")
    return 1
'''


def test_a_function_that_documents_everything_passes(problems_of):
    assert problems_of(DOCUMENTED) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("        amount: in francs, which\n", "", "2: pay: `Args:` does not name amount"),
        ("Args:", "Arguments:", "2: pay: has no `Args:` section"),
        ("who, amount", "amount, who", "2: pay: `Args:` must be amount, who, in this order"),
        ("Returns:", "Result:", "2: pay: has no `Returns:` section"),
        ("ValueError:", "TypeError:", "2: pay: `Raises:` does not name ValueError"),
        ("who, amount", "who, amount, *, tip=0", "2: pay: `Args:` does not name tip"),
    ],
)
def test_what_is_missing_is_named(problems_of, old, new, problem):
    (found,) = problems_of(DOCUMENTED.replace(old, new, 1))
    assert found.startswith(problem)


def test_a_summary_that_says_what_is_returned_needs_no_section_for_it(problems_of):
    above = '"""Return a.\n\n    Args:\n        a: one.\n        b: other.\n    """'
    text = f"def f(a, b):\n    {above}\n    return a\n"
    assert problems_of(text) == []
    assert len(problems_of(text.replace("Return a.", "Find a."))) == 1


def test_private_and_nested_functions_are_not_public(problems_of):
    assert problems_of("def _f(a, b):\n    def g(a, b):\n        return a\n") == []
    assert problems_of("class _C:\n    def f(self, a, b):\n        pass\n") == []


def test_only_names_on_the_reference_list_their_arguments(problems_of):
    function, record = (
        "def f(a, b):\n    pass\n",
        "class C:\n    def f(self, a, b):\n        pass\n",
    )
    assert problems_of(function, offered=()) == []
    assert problems_of(function + record, offered=("C",)) == ["4: C.f: has no `Args:` section"]


def test_the_reference_is_what_fronts_offer_and_pages_import(reference):
    found = {path.relative_to(SOURCE).as_posix(): names for path, names in reference.items()}
    assert "plan" in found["planning/plan.py"]  # from fo
    assert "best_order" in found["planning/tours.py"]  # from the front of planning
    assert "Trajectory" in found["core/rollouts.py"]  # from the front of a package
    assert "arena_map" in found["plotting/arena_figures.py"]  # from a tutorial
    assert "core/names.py" not in found


def test_methods_and_constructors_are_callables(problems_of):
    assert problems_of("class C:\n    def f(self, a, b):\n        pass\n") == [
        "2: C.f: has no `Args:` section"
    ]
    assert problems_of("class C:\n    def __init__(self, a, b):\n        pass\n") == [
        "1: C: has no `Args:` section"
    ]


def test_fields_of_records_are_described_below_or_above(problems_of):
    assert problems_of("class C:\n    a: int\n    b: int\n") == [
        "1: C: has no `Attributes:` section"
    ]
    assert problems_of('class C:\n    a: int\n    """One."""\n    b: int\n    """Two."""\n') == []
    above = '"""A record.\n\n    Attributes:\n        a: one.\n        b: two.\n    """'
    assert problems_of(f"class C:\n    {above}\n    a: int\n    b: int\n") == []
