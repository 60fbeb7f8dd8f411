"""Self-contained HTML pages: one file with its style and figures embedded.

They can be mailed, printed, and read offline.
"""

import base64
from collections.abc import Mapping
from html import escape

STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --faint: #5b6570; --line: #d8dde3;
  --good: #00694d; --bad: #a63f00; --open: #6a5400; }
body { font: 16px/1.55 Georgia, 'Times New Roman', serif; color: var(--ink);
  background: var(--page); max-width: 62rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1, h2, th, .verdict, nav, .note, .filter, .brief { font-family: system-ui, 'Segoe UI', Helvetica,
  sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin-bottom: .2rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .2rem; }
a { color: inherit; }
.question { color: var(--faint); font-style: italic; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; line-height: 1.4; }
th { text-align: left; font-size: .75rem; color: var(--faint); font-weight: 600; }
th, td { padding: .5rem .6rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
.lines td { overflow-wrap: anywhere; }
.lines td.verdict { overflow-wrap: normal; min-width: 6.5rem; }
.lines td:nth-child(1) { width: 22%; }
.lines td:nth-child(2), .lines td:nth-child(3) { width: 20%; }
.more { font: .75rem system-ui, sans-serif; color: var(--faint); cursor: pointer; }
.more input { margin: 0 .2rem 0 0; vertical-align: -.1em; }
.more + a { margin-left: .9rem; font-size: .8rem; }
.verdict { font-size: .75rem; font-weight: 600; }
.reproduced .verdict, .holds .verdict, .verdict.holds, .good { color: var(--good); }
.differs .verdict, .fails .verdict, .verdict.fails, .bad { color: var(--bad); }
.undetermined .verdict, .unsettled .verdict, .not_run .verdict, .open { color: var(--open); }
.again { font-weight: 400; color: var(--faint); }
.brief { font-size: .82rem; line-height: 1.35; }
.brief td { padding: .28rem .6rem .28rem 0; }
.brief td:nth-child(n + 2) { white-space: nowrap; }
figure { margin: 1.5rem 0; break-inside: avoid; }
figcaption { font-size: .8rem; color: var(--faint); }
img { max-width: 100%; height: auto; background: #fff; border-radius: 3px; }
nav a { margin-right: 1rem; font-size: .85rem; }
.filter { position: sticky; top: 0; background: var(--page); padding: .5rem 0; font-size: .8rem;
  border: 0; margin: 1rem 0 0; z-index: 1; border-bottom: 1px solid var(--line); min-width: 0; }
.filter label { margin-right: .9rem; white-space: nowrap; cursor: pointer; }
.note { border-left: 4px solid var(--bad); padding-left: .8rem; font-size: .85rem; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #14171a; --ink: #e4e7ea; --faint: #98a2ad; --line: #333a41; --good: #4cc9a0;
    --bad: #ff9a5c; --open: #d9bd5a; }
}
@media print {
  body { margin: 0; max-width: none; font-size: 9.5pt; }
  nav, .filter { display: none; }
  h2 { break-after: avoid; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  figure img { max-height: 18cm; }
  .lines a, .more { display: none; }
}
@media screen {
  .claims, .claims thead, .claims tbody, .claims td { display: block; width: auto !important; }
  .claims tr { display: grid; grid-template-columns: 4fr 2fr 4fr 7rem; column-gap: .9rem;
    border-top: 1px solid var(--line); padding: .5rem 0; }
  .claims :is(th, td) { border: 0; padding: 0; }
  .claims td:nth-child(5) { grid-column: 1 / -1; color: var(--faint); margin-top: .2rem; }
  .claims th:nth-child(5) { display: none; }
  .cut:not(:has(.more :checked)) td + td > div { display: -webkit-box; -webkit-box-orient: vertical;
    -webkit-line-clamp: 3; overflow: hidden; }
}
@media screen and (min-width: 700.02px) {
  .cut:not(.wide) td > div { display: block !important; }
  .cut:not(.wide) .more { display: none; }
}
@media screen and (max-width: 700px) {
  body { margin: 1rem auto; }
  .lines, .lines tbody, .lines tr, .lines td { display: block; width: auto !important; }
  .lines thead { display: none; }
  .lines tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  .lines td { border: 0; padding: .15rem 0; }
  .lines td:first-child { font-weight: 600; }
  .cut td > div { -webkit-line-clamp: 2 !important; }
  .lines td:not(:first-child) > div::before { content: attr(data-label) " "; color: var(--faint);
    font: 600 .7rem system-ui, sans-serif; }
  .brief td { overflow-wrap: anywhere; }
  .filter { overflow-x: auto; white-space: nowrap; }
}
"""


def document(title: str, body: str) -> bytes:
    """Return a complete HTML page.

    Args:
        title: plain text for the page's title; it is escaped here.
        body: HTML between the body tags; it is not escaped.
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head><body>\n"
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
