"""Docstrings are read as Markdown with equations, and signatures are shown as they are written.

autodoc expects reStructuredText. So each docstring is handed to a directive that lets MyST read
it, with its Google-style sections (`Args:`, `Returns:`, ...) turned into a field list. Signatures
come from the source text: `Float[Array, "S S"]` says more than the object that Python makes of it.
"""

import ast
import inspect
import re
import sys
import textwrap
from typing import Any

from docstring_sections import sections_as_fields
from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

EXAMPLE = re.compile(r"^>>> .*\n(?:.*\S.*\n)*", re.MULTILINE)
"""From the prompt to the next empty line."""

LONG_NAME = "jaxlib._jax.Array"


class MarkdownDocstring(SphinxDirective):
    """Holds a docstring; becomes what MyST makes of it."""

    has_content = True
    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the docstring's paragraphs, lists, equations and examples."""
        module, arguments = self.arguments[0], " ".join(self.arguments[1:]).split()
        text = sections_as_fields("\n".join(self.content) + "\n")
        text = EXAMPLE.sub(lambda code: f"```pycon\n{code[0]}```\n", text)
        source, _ = self.get_source_info()
        document = new_document(source, self.state.document.settings)
        MystParser().parse(text, document)
        for literal in document.findall(nodes.literal):
            literal["module"] = module
            literal["is_argument"] = literal.astext() in arguments
        return list(document.children)


def as_markdown(
    app: Sphinx, kind: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Replace a docstring by the directive that holds it."""
    if not lines:
        return
    module = name
    while module not in sys.modules:
        module = module.rpartition(".")[0]
    arguments = " ".join(_arguments(obj))
    body = textwrap.indent("\n".join(lines), "   ").splitlines()
    lines[:] = [f".. markdown-docstring:: {module} {arguments}", "", *body, ""]


def _arguments(obj: Any) -> list[str]:
    try:
        return list(inspect.signature(obj).parameters)
    except (TypeError, ValueError):
        return []


class _Tidied(ast.NodeTransformer):
    """Gives classes of ours their full names, since several modules may have the same one."""

    def __init__(self, names: dict[str, Any]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Return a name, in full if it is that of a class of ours."""
        named = self.names.get(node.id)
        if isinstance(named, type) and named.__module__.startswith("first_occupancy"):
            return ast.Name(f"{named.__module__}.{named.__qualname__}")
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Return a shape without the blank that tells linters that it is no name."""
        return ast.Constant(node.value.strip()) if isinstance(node.value, str) else node


def signature_as_written(
    app: Sphinx, kind: str, name: str, obj: Any, options: Any, args: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Return a function's arguments and result as its source has them."""
    if kind not in ("function", "method", "class") or not args:
        return None
    function = obj.__init__ if kind == "class" else obj
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
        (definition,) = ast.parse(source).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return None
    if not isinstance(definition, ast.FunctionDef):
        return None
    definition = _Tidied(inspect.unwrap(function).__globals__).visit(definition)
    arguments = definition.args
    if kind == "class" or (arguments.args and arguments.args[0].arg == "self"):
        arguments.args = arguments.args[1:]
    result = ast.unparse(definition.returns) if definition.returns and kind != "class" else None
    return f"({ast.unparse(arguments)})", result


class ShortArrays(SphinxPostTransform):
    """Calls arrays of JAX `Array`, as the source does; Python knows them by where they live."""

    default_priority = 21

    def run(self, **kwargs: Any) -> None:
        """Shorten the name in all signatures of a page."""
        for signature in self.document.findall(addnodes.desc_signature):
            for text in list(signature.findall(nodes.Text)):
                if LONG_NAME in text:
                    text.parent.replace(text, nodes.Text(text.replace(LONG_NAME, "Array")))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to autodoc."""
    app.add_directive("markdown-docstring", MarkdownDocstring)
    app.add_post_transform(ShortArrays)
    app.connect("autodoc-process-docstring", as_markdown)
    app.connect("autodoc-process-signature", signature_as_written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
