"""Sentences about results are filled from numbers, and say nothing that numbers do not."""

import re
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import numpy as np
import pytest

from first_occupancy_paper.experiments import Verdict, line
from first_occupancy_paper.experiments import findings as module
from first_occupancy_paper.experiments.findings import findings, template

FOLDERS = sorted(path.parent for path in Path(module.__file__).parent.glob("*/findings.md"))


class Rate(NamedTuple):
    count: int
    total: int


def find(rows):
    return rows


@pytest.fixture
def said(tmp_path, monkeypatch):
    """Return the function from a text, and numbers, to what becomes of it."""

    def filled(text, rule="", **numbers):
        path = tmp_path / f"{abs(hash(text))}.md"
        path.write_text(f"# Heading\n\n- rate: {{count}}/{{total}}\n\n## it\n{text}\n", "utf-8")
        monkeypatch.setattr(module, "TEMPLATE", path)
        (found,) = findings([line("it", Verdict.HOLDS, rule, **numbers)], find)
        return found

    return filled


def test_numbers_are_formatted_as_python_does(said):
    assert said("- ours: {share:.1%} of {many:,}", share=0.25, many=1234).ours == "25.0% of 1,234"
    assert said(
        "- ours: {rate.count} in {numbers:.1f}", rate=Rate(1, 2), numbers=[1, 2.25]
    ).ours == ("1 in 1.0, 2.2")
    assert said("- ours: {numbers:.0f| / }", numbers=np.array([1.0, 2.0])).ours == "1 / 2"


def test_a_text_is_filled_from_what_a_value_has(said):
    assert said("- ours: {freed:rate} got past", freed=Rate(1, 3)).ours == "1/3 got past"
    rates = [{"at": 5, "rate": Rate(1, 3)}, {"at": 9, "rate": Rate(2, 3)}]
    text = "- ours: {rates:row|; }\n- row: {at} steps:\n  {rate} of {runs}"
    assert said(text, rates=rates, runs=7).ours == "5 steps: 1/3 of 7; 9 steps: 2/3 of 7"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "A"),
        (False, "B"),
        (None, "C"),
        (np.bool_(True), "A"),
        ([], "D"),
        (0, "E"),
        (3, "F 3"),
    ],
)
def test_a_value_chooses_among_texts(said, value, expected):
    texts = "- x yes: A\n- x no: B\n- x open: C\n- x none: D\n- x 0: E\n- x: F {x}"
    assert said(f"- ours: {{x}}\n{texts}", x=value).ours == expected


def test_a_value_for_which_there_is_no_text_says_nothing(said):
    assert said("- ours: a {x} b\n- x yes: and", x=False).ours == "a b"
    assert said("- ours: a{x}\n- x yes: , b", x=None).ours == "a"
    assert said("- ours: a {x}, b {x}.\n- x yes: and", x=False).ours == "a, b."


def test_the_rule_and_the_verdict_choose_texts_and_texts_may_be_shared(said):
    texts = "- rule most: If most do, {limits}.\n- limits: 95%\n- verdict holds: It does."
    assert said(f"- why: {{rule}} {{verdict}}\n{texts}", "most").why == "If most do, 95%. It does."
    with pytest.raises(KeyError, match="has no text 'rule all'"):
        said("- why: {rule}", "all")


def test_what_a_template_leaves_out_is_not_in_the_paper(said):
    found = said("- claim: c")
    assert (found.paper, found.figure, found.given, found.ours) == (
        "not in the paper",
        None,
        "",
        "",
    )


def test_lines_that_share_sentences_have_ids_of_their_own(said):
    said("- claim: On {task}", task="")
    lines = [line(f"it:{task}", Verdict.HOLDS, task=task) for task in ("a", "b")]
    assert [(each.id, each.claim) for each in findings(lines, find)] == [
        ("it:a", "On a"),
        ("it:b", "On b"),
    ]


def test_a_number_that_is_missing_is_an_error(said):
    with pytest.raises(KeyError):
        said("- ours: {missing}")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_text_of_a_template_is_used(folder):
    """A text is used if a field or a format has its name, or the first word of it."""
    text = (folder / "findings.md").read_text("utf-8")
    own = {"question", "covers", "claim", "paper", "ours", "why", "figure", "given"}
    _, *lines = template(folder / "findings.md").items()  # the first are those that lines share
    for id, texts in lines:
        assert {"claim", "ours", "why"} <= texts.keys(), id
    used = {
        name
        for _, field, form, _ in Formatter().parse(" ".join(re.sub(r"^#.*", "", text).split("\n")))
        if field
        for name in (field, form.partition("|")[0])
    }
    named = set(re.findall(r"^- ([\w-]+)[^:]*:", text, re.MULTILINE))
    assert named - own <= used


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_sentence_stands_in_code(folder):
    """Strings of `find` modules are names; sentences stand in the template."""
    for path in folder.glob("find*.py"):
        code = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text("utf-8"))
        sentences = [each for each in re.findall(r'"([^"\n]*)"', code) if each.count(" ") > 5]
        assert not sentences, path.name
