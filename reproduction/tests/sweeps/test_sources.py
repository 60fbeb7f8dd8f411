"""What a file uses of modules is read from its text; `test_dependencies` follows it further."""

import pytest

from first_occupancy_paper.sweeps.sources import read_source

USES = {
    "a module": ("import planning\nplanning.fold", {("planning", ("fold",))}),
    "a module by another name": ("import planning.frp as f\nf.fold", {("planning.frp", ("fold",))}),
    "a name": ("from planning import frp\nfrp.fold(1)", {("planning", ("frp", "fold"))}),
    "a name that only others use": ("from planning import frp", {("planning", ("frp",))}),
    "inside a function": (
        "def late():\n    from planning import frp\n    return frp.fold",
        {("planning", ("frp", "fold"))},
    ),
    "relative to its package": ("from .frp import fold\nfold", {("here.there.frp", ("fold",))}),
    "above its package": ("from ..core import mdp\nmdp", {("here.core", ("mdp",))}),
    "nothing": ("x = 1\nx.real", set()),
    "no Python": ("from import", set()),
}


@pytest.mark.parametrize("case", USES)
def test_uses_are_modules_and_what_is_taken_of_them(case):
    text, uses = USES[case]
    assert read_source(text.encode(), "here.there").uses == uses


def test_strings_may_name_modules_or_begin_their_names():
    text = b"load('planning.frp'); load(f'planning.{name}'); print('No. 7, e.g.')"
    source = read_source(text, "here")
    assert source.named == {("planning.frp", ()), ("planning", ())}
    assert source.uses == set()


def test_a_name_stands_for_what_it_was_imported_from():
    source = read_source(b"from planning.frp import fold as folded\n\n\nclass Own: ...", "here")
    assert source.origins(("folded", "legs")) == [("planning.frp", ("fold", "legs"))]
    assert source.origins(("Own",)) == []
    assert source.defined == {"Own"}


def test_a_file_acts_if_importing_it_does_more_than_import_and_define():
    assert not read_source(b'"""Words."""\nimport a\nB = 1\ndef c(): print(1)', "here").acts
    assert read_source(b"import a\na.register(1)", "here").acts
