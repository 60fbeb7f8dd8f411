"""The imports of a Python file, read from its text without running it."""

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

Use = tuple[str, tuple[str, ...]]
"""A module and a name used from it: `planning.frp.fold` is ("planning", ("frp", "fold"))."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_QUIET = (*_DEFINITIONS, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_DOTTED_NAME = re.compile(r"(\w+(\.\w+)*)\.\w*")


class Source(NamedTuple):
    """What a file uses from other modules, and which names others can import from it.

    Attributes:
        uses: what the file uses from other modules.
        named: modules that strings in the file name, or the beginning of their names.
        imported: what each imported name refers to.
        defined: names that the file defines.
        acts: whether importing the file does more than import and define.
    """

    uses: frozenset[Use]
    named: frozenset[Use]
    imported: Mapping[str, frozenset[Use]]
    defined: frozenset[str]
    acts: bool

    def origins(self, chain: tuple[str, ...]) -> list[Use]:
        """Return what a name of this file, and attributes of it, refer to in other modules."""
        found = self.imported.get(chain[0], ()) if chain else ()
        return [(module, (*inner, *chain[1:])) for module, inner in found]


@cache
def read_source(text: bytes, package: str) -> Source:
    """Return the imports and definitions of a file; none if it does not parse as Python.

    Args:
        text: content of the file.
        package: dotted name of the package it belongs to, from which relative imports start.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return Source(frozenset(), frozenset(), {}, frozenset(), acts=False)
    reader = _Reader(package)
    reader.visit(tree)
    body = tree.body[ast.get_docstring(tree) is not None :]
    imported = {name: frozenset(found) for name, found in reader.imported.items()}
    acts = not all(isinstance(statement, _QUIET) for statement in body)
    source = Source(frozenset(), reader.named, imported, frozenset(reader.defined), acts)
    # A name imported but not used here may be used by modules that import it from here.
    unused = imported.keys() - {name for name, *_ in reader.chains}
    chains = [*reader.chains, *((name,) for name in unused)]
    return source._replace(uses=reader.modules.union(*map(source.origins, chains)))


class _Reader(ast.NodeVisitor):
    """Collects imports, and chains of attributes (`a.b.c`) that begin with a name."""

    def __init__(self, package: str):
        self._package = package.split(".")
        self.imported: dict[str, set[Use]] = defaultdict(set)
        self.modules: frozenset[Use] = frozenset()
        self.named: frozenset[Use] = frozenset()
        self.chains: set[tuple[str, ...]] = set()
        self.defined: set[str] = set()

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            first, *rest = alias.name.split(".")
            if rest and not alias.asname:  # `import a.b` loads a.b and binds a
                self.imported[first].add((first, ()))
                self.chains.add((first, *rest))
                self.modules |= {(alias.name, ())}
            else:
                self.imported[alias.asname or first].add((alias.name, ()))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        above = self._package[: len(self._package) + 1 - node.level] if node.level else []
        module = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            self.imported[alias.asname or alias.name].add((module, (alias.name,)))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        attributes: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            attributes.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            self.chains.add((inner.id, *reversed(attributes)))
        else:
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.defined.add(node.id)
        else:
            self.chains.add((node.id,))

    def visit_Constant(self, node: ast.Constant) -> None:
        """Record strings that may be the name of a module, or the beginning of one."""
        if isinstance(node.value, str) and _DOTTED_NAME.fullmatch(node.value):
            self.named |= {(node.value.removesuffix("."), ())}

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _DEFINITIONS):
            self.defined.add(node.name)
        super().generic_visit(node)
