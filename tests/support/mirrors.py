"""Tests mirror the source: `planning/paths.py` is tested in `tests/planning/test_paths.py`.

A leading underscore of a module's own name is dropped: `_goals.py` is tested in `test_goals.py`.
An experiment runs as a whole, so one file of its name may test all of it, `test_escape.py` all of
`experiments/escape/`.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Mirror(NamedTuple):
    """A package and its tests.

    Attributes:
        source: folder of the package.
        tests: folder of its tests.
        whole: folders of the package that are not mirrored file by file.
        elsewhere: modules whose tests cannot stand in a file of their name, and where they are.
    """

    source: Path
    tests: Path
    whole: tuple[str, ...]
    elsewhere: Mapping[str, str]

    def modules(self):
        """Return the modules that do something, by their paths below the package."""
        paths = [path for path in sorted(self.source.rglob("*.py")) if path.name != "__init__.py"]
        names = [path.relative_to(self.source) for path in paths if does_something(path)]
        return [name.as_posix() for name in names if name.parts[0] not in self.whole]

    def homes_of(self, module):
        """Return the files, below the tests, of which one must test a module."""
        path = Path(module)
        own = path.parent / f"test_{path.name.removeprefix('_')}"
        homes = [self.elsewhere.get(module, own.as_posix())]
        if path.parts[0] == "experiments" and len(path.parts) > 2:
            homes.append(f"experiments/test_{path.parts[1]}.py")
        return homes

    def lacking(self):
        """Return the modules without a test file, and where it would be."""
        return {
            module: self.homes_of(module)[0]
            for module in self.modules()
            if not any((self.tests / home).exists() for home in self.homes_of(module))
        }

    def across(self):
        """Return the test files that have no module of their name."""
        mirrored = {home for module in self.modules() for home in self.homes_of(module)}
        found = {path.relative_to(self.tests) for path in self.tests.rglob("test_*.py")}
        mirroring = {
            path.as_posix() for path in found if path.parts[0] not in (*self.whole, "peers")
        }
        return mirroring - mirrored


def does_something(path):
    """Return whether a module defines a function or a class, or runs one."""
    kinds = (ast.FunctionDef, ast.ClassDef, ast.If)
    return any(isinstance(node, kinds) for node in ast.parse(path.read_text("utf-8")).body)
