"""Tutorials from scripts: comments become prose, code stays code, output is shown and checked.

A script in `examples/` is read like this:

- its docstring is the title (first line) and the introduction;
- a block of comments between empty lines is prose, in Markdown;
- `# > text` below code is what that code prints, and is compared with what it does print;
- `# ~ text` is shown in the same way, but may differ from run to run and machine to machine;
- everything else is code; where it says `save(figure, "name.svg")` the figure follows.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

FIGURE = re.compile(r'\bsave\(\w+, "([\w-]+\.(?:svg|png))"\)')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Cell(NamedTuple):
    """A piece of a script: its kind (prose, code, output or roughly) and its text."""

    kind: str
    text: str


def cells(script: str) -> list[Cell]:
    """Return the pieces of a script, the docstring first."""
    docstring = ast.get_docstring(ast.parse(script)) or ""
    body = script.split('"""', 2)[2]
    found = [Cell("prose", docstring)]
    after_blank = True
    lines = body.splitlines()
    for number, line in enumerate(lines):
        kind, text = _kind(line, _opens_prose(lines, number, after_blank, found[-1].kind))
        after_blank = not line.strip()
        if found[-1].kind == kind:
            found[-1] = Cell(kind, f"{found[-1].text}\n{text}")
        elif line.strip():
            found.append(Cell(kind, text))
    return [Cell(kind, text.strip("\n")) for kind, text in found]


def _opens_prose(lines: list[str], number: int, after_blank: bool, before: str) -> bool:
    """Return whether a line belongs to comments that stand alone, not on top of code."""
    if not lines[number].startswith("#"):
        return not lines[number].strip() and before == "prose"
    if not after_blank and before != "prose":
        return False
    rest = lines[number:]
    end = next((n for n, line in enumerate(rest) if not line.startswith("#")), len(rest))
    return end == len(rest) or not rest[end].strip()


def _kind(line: str, prose: bool) -> tuple[str, str]:
    for mark, kind in (("# >", "output"), ("# ~", "roughly")):
        if line.startswith(mark):
            return kind, line[len(mark) + 1 :]
    return ("prose", line[2:]) if prose else ("code", line)


def differences(script: str, printed: str) -> list[str]:
    """Return lines that were printed otherwise than shown; empty if all is well.

    Numbers may differ by one in the last digit shown, since processors round differently.
    """
    expected = [
        (line, cell.kind)
        for cell in cells(script)
        if cell.kind in ("output", "roughly")
        for line in cell.text.split("\n")
    ]
    lines = printed.splitlines()
    if len(lines) != len(expected):
        return [f"{len(expected)} lines are shown, but {len(lines)} were printed"]
    return [
        f"shown: {line!r}, printed: {now!r}"
        for (line, kind), now in zip(expected, lines, strict=True)
        if kind == "output" and not _alike(line.rstrip(), now.rstrip())
    ]


def _alike(shown: str, printed: str) -> bool:
    if NUMBER.split(shown) != NUMBER.split(printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= 1.5 * _last_digit(a) for a, b in pairs)


def _last_digit(number: str) -> float:
    """Return the worth of one in the last decimal; whole numbers must be equal."""
    return 10.0 ** -len(number.partition(".")[2]) if "." in number else 0.0


def page(path: Path, figures: Path) -> str:
    """Return a script as a page in Markdown, with the figures that are in the folder."""
    script = path.read_text(encoding="utf-8")
    introduction, *rest = cells(script)
    title, _, text = introduction.text.partition("\n")
    parts = [f"# {title.rstrip('.')}", text.strip()]
    for cell in rest:
        if cell.kind == "prose":
            parts.append(cell.text)
        elif cell.kind == "code":
            parts.append(f"```python\n{cell.text}\n```")
        else:
            parts.append(f"```{{code-block}} text\n:class: output\n\n{cell.text}\n```")
        for name in FIGURE.findall(cell.text) if cell.kind == "code" else ():
            if (figures / name).exists():
                parts.append(f"![{name}](../run/{path.stem}/{name})")
    parts.append(
        f"---\n\nThis page is the script {{download}}`examples/{path.name} <../../../examples/"
        f"{path.name}>`, which runs as one of the tests."
    )
    return "\n\n".join(parts) + "\n"
