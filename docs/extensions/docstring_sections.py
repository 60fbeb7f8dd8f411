"""Google-style sections of docstrings (`Args:`, `Returns:`, ...), as field lists of MyST.

A section becomes a field, `:Arguments:`, and an entry of it, `goal: state to reach.`, an item of
the field's list, `- **goal** – state to reach.`
"""

import re
import textwrap

TITLES = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Returns": "Returns",
    "Yields": "Yields",
    "Raises": "Raises",
}
"""The sections of a docstring, and the titles that the pages give them."""

SECTION = re.compile(rf"^({'|'.join(TITLES)}):\n((?:(?: .*)?(?:\n|\Z))+)", re.MULTILINE)
"""A section's name, and the indented lines below it."""

ENTRY = re.compile(r"(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*):(?: (.*))?")
"""The names that open an entry of a section, and the rest of the line."""


def sections_as_fields(docstring: str) -> str:
    """Return a docstring whose sections are fields of MyST, with one list item per entry."""
    return SECTION.sub(_field, docstring)


def _field(section: re.Match[str]) -> str:
    name, body = section[1], textwrap.dedent(section[2]).strip()
    if name not in ("Returns", "Yields"):
        body = "\n".join(_item(name, entry) for entry in _entries(body))
    return f":{TITLES[name]}:\n{textwrap.indent(body, '  ')}\n\n"


def _entries(body: str) -> list[list[str]]:
    """Return the lines of each entry of a section: `name: ...` opens one, others continue it."""
    entries: list[list[str]] = []
    for line in body.splitlines():
        if ENTRY.fullmatch(line) or not entries:
            entries.append([])
        entries[-1].append(line)
    return entries


def _item(section: str, entry: list[str]) -> str:
    first, *continued = entry
    match = ENTRY.fullmatch(first)
    if match is None:  # prose
        return "\n".join(entry)
    rest = textwrap.indent(textwrap.dedent("\n".join(continued)), "  ")
    names = ", ".join(_marked(section, name) for name in match[1].split(", "))
    return f"- {names} – {match[2] or ''}\n{rest}".rstrip()


def _marked(section: str, name: str) -> str:
    """Return a name in Markdown: exceptions as code, which becomes a link, others bold."""
    return f"`{name}`" if section == "Raises" else "**" + name.replace("*", r"\*") + "**"
