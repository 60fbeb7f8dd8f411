"""Self-contained HTML pages: one file with its style and figures embedded.

They can be mailed, printed, and read offline.
"""

import base64
from collections.abc import Mapping
from html import escape
from pathlib import Path

STYLE = Path(__file__).with_name("page.css")


def document(title: str, body: str) -> bytes:
    """Return a complete HTML page.

    Args:
        title: plain text for the page's title; it is escaped here.
        body: HTML between the body tags; it is not escaped.
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text('utf-8')}</style></head><body>\n"
        f"{body}</body></html>\n"
    ).encode()


def choices(name: str, options: Mapping[str, str]) -> str:
    """Return buttons that show only the table rows of one class; the first one shows all.

    It takes no script: rows are hidden by a rule that asks which button is pressed.

    Args:
        name: name of the group of buttons.
        options: text of each button, by the class of the rows that it shows.
    """
    rules = "".join(
        f"body:has(#{name}-{kind}:checked) .lines tbody tr:not(.{kind}) {{ display: none; }}\n"
        for kind in options
    )
    buttons = "".join(
        f'<label><input type="radio" name="{name}" id="{name}-{kind}"> {escape(text)}</label> '
        for kind, text in options.items()
    )
    everything = f'<label><input type="radio" name="{name}" checked> all lines</label> '
    return (
        f"<style>@media screen {{\n{rules}}}</style>"
        f'<fieldset class="filter">Show: {everything}{buttons}</fieldset>'
    )


def image(svg: bytes, *, anchor: str, title: str) -> str:
    """Return the HTML of a figure with its caption.

    Args:
        svg: the figure as an SVG file.
        anchor: id of the figure; links to it read `#anchor`.
        title: plain text for the caption and the alternative text.
    """
    # Embedded as an image, not inline, because the ids inside two SVGs would collide.
    data = base64.b64encode(svg).decode()
    return (
        f'<figure id="{anchor}">'
        f'<img alt="{escape(title)}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{escape(title)}</figcaption></figure>"
    )
