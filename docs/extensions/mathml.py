"""Equations as MathML, which browsers draw by themselves: no script, no font, no network."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from latex2mathml.exceptions import NoAvailableTokensError
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)
MENDED = {
    # Bars would get the space of a relation; around what they enclose they need none.
    r'<mo stretchy="false" lspace="0" rspace="0">&#x0007C;': '<mo stretchy="false">&#x0007C;',
    # A colon in a set does need some.
    r'<mo lspace="0.25em" rspace="0.25em">:</mo>': r"<m[io]>(?::|&#x0003A;)</m[io]>",
    # Primes are high as they are; raised once more they would be too small to see.
    r'<mrow>\1<mo lspace="0" rspace="0">&#x02032;</mo></mrow>': (
        r"<msup>(<mi>[^<]*</mi>)<mi>&#x02032;</mi></msup>"
    ),
}
"""What we write: what the converter writes, as a pattern."""


def mathml(latex: str, node: nodes.Element, *, display: str) -> str:
    """Return an equation as MathML; warn if a command was not understood."""
    # The one command we use that the converter does not know.
    latex = latex.replace(r"\arg", r"\mathrm{arg}\,")
    try:
        result = convert(latex, display=display)
    except (ValueError, NoAvailableTokensError) as error:
        logger.warning("equation %r: %s", latex, error, location=node)
        return ""
    for ours, pattern in MENDED.items():
        result = re.sub(pattern, ours, result)
    if "\\" in result:
        logger.warning("equation %r has a command that is not known", latex, location=node)
    return result


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write an equation within a line."""
    translator.body.append(mathml(node.astext(), node, display="inline"))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation on a line of its own, which scrolls where the screen is narrow."""
    equation = mathml(node.astext(), node, display="block")
    translator.body.append(f'<div class="equation" tabindex="0">{equation}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the renderer; conf.py chooses it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
