"""Self-contained HTML pages: one file with its style and figures embedded.

They can be mailed, printed, and read offline.
"""

import base64
from html import escape

STYLE = """
:root { --ink: #1b1f24; --faint: #5b6570; --line: #d8dde3; --good: #00694d; --bad: #a63f00; }
body { font: 16px/1.55 Georgia, 'Times New Roman', serif; color: var(--ink); background: #fff;
  max-width: 62rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1, h2, th, .verdict, nav, .note { font-family: system-ui, 'Segoe UI', Helvetica, sans-serif; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .2rem; }
.question { color: var(--faint); font-style: italic; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; line-height: 1.4; }
th { text-align: left; font-size: .75rem; color: var(--faint); font-weight: 600; }
th, td { padding: .5rem .6rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:nth-child(1) { width: 22%; }
td:nth-child(2), td:nth-child(3) { width: 20%; }
.verdict { font-size: .75rem; font-weight: 600; }
.reproduced, .holds { color: var(--good); }
.differs, .fails { color: var(--bad); }
.undetermined, .unsettled, .not_run { color: var(--faint); }
figure { margin: 1.5rem 0; break-inside: avoid; }
figcaption { font-size: .8rem; color: var(--faint); }
img { max-width: 100%; height: auto; }
nav a { margin-right: 1rem; font-size: .85rem; }
.note { border-left: 4px solid var(--bad); padding-left: .8rem; font-size: .85rem; }
@media print {
  body { margin: 0; max-width: none; font-size: 10pt; }
  nav { display: none; }
  tr { break-inside: avoid; }
}
@media (max-width: 700px) {
  table, tbody, tr, td { display: block; width: auto !important; }
  thead { display: none; }
  tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  td { border: 0; padding: .15rem 0; }
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
