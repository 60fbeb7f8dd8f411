"""Names in backticks become links wherever exactly one object of the library bears them.

So pages, tutorials and docstrings are written in plain Markdown, and links follow the code.
"""

import inspect
import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

import first_occupancy

NAME = re.compile(r"(?:fo\.)?([A-Za-z_][\w.]*)(?:\(\))?")
LINKED = {"module", "class", "function", "exception"}
"""Kinds of objects; attributes are left out, since arguments often have their names."""


class LinkNames(SphinxPostTransform):
    """Wraps code in a link to the object it names."""

    default_priority = 20

    def run(self, **kwargs: Any) -> None:
        """Link every name of the page that can only mean one object."""
        known = self.env.domains.python_domain.objects
        for literal in list(self.document.findall(nodes.literal)):
            match = NAME.fullmatch(literal.astext())
            if match is None or literal.get("is_argument") or _is_inside_link(literal):
                continue
            full_name = self._find(match[1], literal.get("module", ""))
            if full_name is None or known[full_name].docname is None:
                continue
            target = known[full_name]
            link = make_refnode(
                self.app.builder,
                self.env.current_document.docname,
                target.docname,
                target.node_id,
                [literal.deepcopy()],
                full_name,
            )
            literal.replace_self(link)

    def _find(self, name: str, module: str) -> str | None:
        known = self.env.domains.python_domain.objects
        package = module.rpartition(".")[0]
        near = (f"{module}.{name}", f"{package}.{name}")
        for candidate in (*near, _at_top_level(name), name):
            if candidate in known and known[candidate].objtype in LINKED:
                return candidate
        # In a docstring a plain word may well mean something else, as `predict` does.
        if module and name.islower() and name.isalpha():
            return None
        found = {
            full_name
            for full_name, entry in known.items()
            if full_name.endswith(f".{name}") and entry.objtype in LINKED and not entry.aliased
        }
        modules = {full_name for full_name in found if known[full_name].objtype == "module"}
        found = found - modules or modules
        return found.pop() if len(found) == 1 else None


@cache
def _at_top_level(name: str) -> str | None:
    """Return the full name of what the top level offers by this name."""
    first, *rest = name.split(".")
    if first not in first_occupancy.__all__:
        return None
    named = getattr(first_occupancy, first)
    if not hasattr(named, "__name__"):  # a record, such as `fo.successor`: its class tells of it
        named = type(named)
    where = "" if inspect.ismodule(named) else f"{named.__module__}."
    return ".".join([f"{where}{named.__name__}", *rest])


def _is_inside_link(node: nodes.Node) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, nodes.reference | nodes.title):
            return True
        parent = parent.parent
    return False


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the links."""
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
