r"""Findings: what `find` returns as numbers, and the sentences that a template makes of them.

`find` returns lines: an id, the name of the rule that was applied, a verdict, and numbers. Their
sentences stand in `findings.md` next to the module of `find`, a list of named texts for each line,
below the question and texts that several lines share:

    - question: Does an agent that plans run round a barrier?
    - covers: Fig. "mouse"
    - rate: {count}/{total} ({low:.2f} to {high:.2f})
    - rule most: Reproduced if most runs do it (interval above one half).

    ## stuck
    - claim: Stuck at the barrier, FRP leads round it
    - ours: {freed:rate} get past; {bumps:.1f} of 50 steps are bumps
    - why: {rule} {changed}
    - changed 0: No bump changed a plan.
    - changed: Bumps changed {changed} plans.

| field | becomes |
| --- | --- |
| `{bumps:.1f}` | the number, formatted as Python does |
| `{freed:rate}` | the text "rate", filled from what `freed` has |
| `{rates:rate\|; }` | the text "rate" for each of several; "; " stands between them (or ", ") |
| `{limits}` | the text "limits", if no number has that name |
| `{changed}` | the text "changed 0" if it is 0, otherwise the text "changed", if there is one |

The last row is the only way to say one thing or another: the value chooses among named texts. True,
False and None are called yes, no and open, and an empty list none. A value for which there is no
text says nothing. Nothing else writes sentences about results.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from string import Formatter
from sys import modules
from typing import Any

import numpy as np

from first_occupancy.core.display import Displayed

TEMPLATE = "findings.md"
BETWEEN = ", "
"""What stands between the items of a list if a field says nothing else."""

_WORDS = {True: "yes", False: "no", None: "open"}
_FIELDS = Formatter()
_BEFORE_A_STOP = re.compile(r" (?=[,;:]|\.(?: |$))")
"""The space that is left where a text before a stop says nothing."""


class Verdict(StrEnum):
    """How our results compare with a claim, either the paper's or our own."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNDETERMINED = "not determined by the paper"
    HOLDS = "holds"
    FAILS = "does not hold"
    UNSETTLED = "not settled by our runs"
    NOT_RUN = "not run yet"
    REMARK = "a remark, without a verdict"

    @property
    def kind(self) -> str:
        """The verdict's name in files and style sheets."""
        return self.name.lower()

    @classmethod
    def reproduced_if(cls, holds: bool | np.bool_ | None) -> "Verdict":
        """Return the verdict on a claim of the paper; None means that our runs do not settle it."""
        if holds is None:
            return cls.UNSETTLED
        return cls.REPRODUCED if holds else cls.DIFFERS

    @classmethod
    def holds_if(cls, holds: bool | np.bool_ | None) -> "Verdict":
        """Return the verdict on a claim of our own; None means that our runs do not settle it."""
        if holds is None:
            return cls.UNSETTLED
        return cls.HOLDS if holds else cls.FAILS


@dataclass(frozen=True, repr=False)
class Finding(Displayed):
    """One line of the ledger.

    Attributes:
        claim: the statement that was tested.
        paper: what the paper says about it.
        ours: what we found.
        verdict: how the two compare.
        why: explanation of the verdict.
        figure: name of the figure that shows it; None if there is none.
        given: condition on which the verdict depends, such as a choice of ours or a reading found
            by search; it is shown in the verdict's column. Empty if there is none.
        again: whether the claim is already counted by another line, and this one looks at it in
            another way: another reading, setup or experiment.
        id: name of the line, unique in its experiment.
    """

    claim: str
    paper: str
    ours: str
    verdict: Verdict
    why: str
    figure: str | None = None
    given: str = ""
    again: bool = False
    id: str = ""

    @property
    def counted(self) -> bool:
        """Whether the line is one of the claims that the ledger counts."""
        return not self.again and self.verdict is not Verdict.REMARK

    @property
    def judgement(self) -> str:
        """The verdict, and the condition on which it depends."""
        return f"{self.verdict}, {self.given}" if self.given else str(self.verdict)

    def _summary(self) -> str:
        lines = [f"Finding: {self.claim}", f"paper: {self.paper}", f"ours: {self.ours}"]
        return "\n  ".join([*lines, f"verdict: {self.verdict}; {self.why}"])


@dataclass(frozen=True)
class Line:
    """What rows say about one claim, in numbers.

    Attributes:
        id: name of the line, unique in its experiment. Several lines that share sentences have
            the name of the sentences, a colon, and what sets them apart.
        rule: name of the rule by which numbers became a verdict; "" if the template names none.
        verdict: the verdict.
        numbers: what the sentences say, by name.
        again: whether another line counts the claim already.
    """

    id: str
    rule: str
    verdict: Verdict
    numbers: Mapping[str, Any]
    again: bool = False


def line(id: str, verdict: Verdict, rule: str = "", *, again: bool = False, **numbers: Any) -> Line:
    """Return a line, its numbers given by name."""
    return Line(id, rule, verdict, numbers, again)


Texts = Mapping[str, str]
"""Texts by name, "rule most" for one that is chosen if `rule` is "most"."""


@cache
def template(path: Path) -> Mapping[str, Texts]:
    """Return the texts of each line of a template, by its id, those that lines share included.

    Shared texts alone are those of the id "".
    """
    shared: dict[str, str] = {}
    sections: dict[str, dict[str, str]] = {"": shared}
    texts, name = shared, ""
    for written in path.read_text("utf-8").splitlines():
        if written.startswith("## "):
            texts = sections.setdefault(written.removeprefix("## "), {})
        elif written.startswith("- "):
            name, _, text = written.removeprefix("- ").partition(":")
            texts[name] = text.strip()
        elif written.startswith("  "):
            texts[name] += f" {written.strip()}"
    return {id: {**shared, **own} for id, own in sections.items()}


def findings(lines: Sequence[Line], find: Callable[..., Any]) -> list[Finding]:
    """Return lines with the sentences that belong to the function that found them."""
    texts = template(_path(find))
    return [_finding(each, texts) for each in lines]


def heading(find: Callable[..., Any]) -> Texts:
    """Return the texts above the lines: the question, what of the paper it covers, and others."""
    return template(_path(find))[""]


def _path(find: Callable[..., Any]) -> Path:
    return Path(str(modules[find.__module__].__file__)).parent / TEMPLATE


def _finding(found: Line, sections: Mapping[str, Texts]) -> Finding:
    texts = sections[found.id.partition(":")[0]]
    if found.rule and f"rule {found.rule}" not in texts:
        raise KeyError(f"{TEMPLATE} has no text 'rule {found.rule}'")
    values = {**found.numbers, "rule": found.rule, "verdict": found.verdict}

    def say(name: str) -> str:
        text = " ".join(_fill(texts.get(name, ""), values, texts).split())
        return _BEFORE_A_STOP.sub("", text)

    return Finding(
        id=found.id,
        claim=say("claim"),
        paper=say("paper") or "not in the paper",
        ours=say("ours"),
        verdict=found.verdict,
        why=say("why"),
        figure=say("figure") or None,
        given=say("given"),
        again=found.again,
    )


def _fill(text: str, values: Mapping[str, Any], texts: Texts) -> str:
    parts = []
    for literal, field, form, _ in _FIELDS.parse(text):
        parts.append(literal)
        if field is not None:
            parts.append(_filled(field, form or "", values, texts))
    return "".join(parts)


def _filled(field: str, form: str, values: Mapping[str, Any], texts: Texts) -> str:
    """Return what becomes of one field."""
    if field not in values and field in texts:
        return _fill(texts[field], values, texts)
    value, _ = _FIELDS.get_field(field, (), values)
    form, bar, between = form.partition("|")
    name = form or field
    own = {key: text for key, text in texts.items() if key == name or key.startswith(f"{name} ")}
    # Inside its own text a name stands for the value itself.
    others = {key: text for key, text in texts.items() if key not in own}

    def one(item: Any) -> str:
        if not own:
            return format(item, form)
        chosen = own.get(f"{name} {_word(item)}", own.get(name, ""))
        return _fill(chosen, {**values, "it": item, **_named(item)}, others)

    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list):
        return one(value)
    if not value:
        return own.get(f"{name} none", "")
    return (between if bar else BETWEEN).join(map(one, value))


def _named(value: Any) -> Mapping[str, Any]:
    """Return what a value has by name."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    return value if isinstance(value, Mapping) else {}


def _word(value: Any) -> str:
    if isinstance(value, bool | np.bool_ | None):
        return _WORDS[None if value is None else bool(value)]
    return str(value) if isinstance(value, str | int | float) else ""
