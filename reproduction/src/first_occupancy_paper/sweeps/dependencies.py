"""Which code a function depends on: the modules that it imports, found by reading their source.

A job runs again when this code changes, so the rule errs on the side of counting too much:

- The search starts at the module that defines the function. A module counts as a whole, with
  everything it imports, at the top or inside a function. Imports are followed into our two packages
  and the function's own, not into others.
- `from package import name` leads to the module that defines the name, wherever the `__init__` of
  the package has it from; nothing else that `__init__` imports counts. Names that are loaded on
  first use are looked up in `__init__.pyi`.
- `import package` and `from package import *` do not say what is used: the `__init__` counts, with
  everything that it imports.

Data files do not count, nor modules that only a string names.
"""

import ast
import hashlib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import first_occupancy
import first_occupancy_paper
from first_occupancy.core.errors import InputError

PACKAGES = {
    package.__name__: Path(package.__file__ or "").resolve().parents[1]
    for package in (first_occupancy, first_occupancy_paper)
}
"""Our packages, with the folder each is in: they may be installed in different places."""

FRONTS = ("__init__.pyi", "__init__.py")
"""Where a package says which names it has: the first, if names are loaded on first use."""


class Use(NamedTuple):
    """An import.

    Attributes:
        module: the module that is imported.
        name: the name that is taken of it; "" if none is.
        known_as: the name that it then has.
    """

    module: str
    name: str = ""
    known_as: str = ""


@cache
def code_version(function: Callable) -> str:
    """Return a hash of all code that an experiment's function depends on; read only once."""
    return dependencies(function).version


def dependencies(function: Callable) -> "Dependencies":
    """Return the modules that an experiment's function depends on."""
    source = _file_of(function)
    above = source.parent
    while (above / FRONTS[1]).exists():
        above = above.parent
    module = ".".join(source.relative_to(above).with_suffix("").parts)
    return Dependencies(module, {**PACKAGES, module.partition(".")[0]: above})


def _file_of(function: Callable) -> Path:
    """Return the file that a function is defined in, or raise if there is none."""
    try:
        source = Path(inspect.getsourcefile(inspect.unwrap(function)) or "").resolve()
    except TypeError:  # not a function: for example the result of `functools.partial`
        source = Path()
    if not source.is_file():
        raise InputError(
            "sweep: 'run' of an experiment must be a function in a file, so that changes to its "
            f"code are detected, got {function!r}"
        )
    return source


class Dependencies:
    """A module and everything it imports, directly or through other modules.

    Args:
        module: dotted name of the module.
        packages: names of the packages to follow imports into, with the folder each is in.
    """

    def __init__(self, module: str, packages: Mapping[str, Path]):
        self.texts: dict[str, bytes] = {}
        """The source of each module that counts, by its dotted name."""
        self._packages = packages
        self._followed: set[tuple[str, str]] = set()
        waiting = [Use(module)]
        while waiting:
            use = waiting.pop()
            if use[:2] not in self._followed:
                self._followed.add(use[:2])
                waiting += self._follow(use)

    @property
    def version(self) -> str:
        """A hash of the modules' names and sources, and of where names come from."""
        digest = hashlib.sha256(repr(sorted(self._followed)).encode())
        for name, text in sorted(self.texts.items()):
            # Line endings differ between checkouts of the same code.
            digest.update(name.encode() + text.replace(b"\r\n", b"\n"))
        return digest.hexdigest()[:12]

    def _follow(self, use: Use) -> list[Use]:
        """Count the module of a use, unless it is a package; return what it uses in turn."""
        place = self._place(use.module)
        if place is None:
            return []
        if place.is_file():
            return self._counted(use.module, place, use.module.rpartition(".")[0])
        if use.name and self._place(f"{use.module}.{use.name}") is not None:
            return [Use(f"{use.module}.{use.name}")]
        fronts = [each for each in map(place.joinpath, FRONTS) if each.is_file()]
        if use.name and fronts:
            named = imports(fronts[0].read_bytes(), use.module)
            if found := [each for each in named if each.known_as == use.name]:
                return found
        return [
            each
            for path in fronts
            for each in self._counted(f"{use.module}.{path.name}", path, use.module)
        ]

    def _counted(self, module: str, path: Path, package: str) -> list[Use]:
        self.texts[module] = path.read_bytes()
        return list(imports(self.texts[module], package))

    def _place(self, module: str) -> Path | None:
        """Return the file of a module or the folder of a package; None if it is not followed."""
        parts = module.split(".")
        if parts[0] not in self._packages:
            return None
        folder = self._packages[parts[0]].joinpath(*parts)
        file = folder.with_name(f"{folder.name}.py")
        if file.is_file() and not (folder / FRONTS[1]).is_file():
            return file
        return folder if folder.is_dir() else None


@cache
def imports(text: bytes, package: str) -> tuple[Use, ...]:
    """Return what a file imports; nothing if it does not parse as Python.

    Args:
        text: content of the file.
        package: dotted name of the package it belongs to, from which relative imports start.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    parts, found = package.split("."), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [Use(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = parts[: len(parts) + 1 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            found += [Use(module, each.name, each.asname or each.name) for each in node.names]
    return tuple(found)
