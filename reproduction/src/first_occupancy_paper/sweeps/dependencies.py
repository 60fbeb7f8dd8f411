"""Which code a function depends on: the modules that it imports, found by reading their source.

A job runs again when this code changes, so the rule errs on the side of counting too much:

- The search starts at the module that defines the function. A module counts as a whole, with
  everything it imports: at the top, inside a function, or by a string such as `import_module`
  takes. Imports are followed into our two packages and the function's own, not into others.
- The `__init__` of a package only says where names come from: `from package import name` and
  `package.name` lead to the module that defines the name. Nothing else that `__init__` imports
  counts, such as the plots that an experiment's `__init__` imports beside `run`. Names that are
  loaded on first use are looked up in `__init__.pyi`.
- A string that names a module of `first_occupancy.plotting` does not count: the library imports
  that when a record is to be drawn, which has no part in its rows.
- If the source does not show what is used from a package, as in `getattr(package, name)`, the
  whole package counts. An `__init__` that does more than import and define counts as a module.

Data files do not count. The only one that our experiments read is the model of the arm, whose
rows are kept with the project and not run again.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import first_occupancy
import first_occupancy_paper
from first_occupancy.core.errors import InputError
from first_occupancy_paper.sweeps.sources import Source, Use, read_source

PACKAGES = {
    package.__name__: Path(package.__file__ or "").resolve().parents[1]
    for package in (first_occupancy, first_occupancy_paper)
}
"""Our packages, with the folder each is in: they may be installed in different places."""

DRAWING = f"{first_occupancy.__name__}.plotting"
FRONT = "__init__"


@cache
def code_version(function: Callable) -> str:
    """Return a hash of all code that an experiment's function depends on; read only once."""
    return dependencies(function).version


def dependencies(function: Callable) -> "Dependencies":
    """Return the modules that an experiment's function depends on."""
    source = _file_of(function)
    above = source.parent
    while (above / f"{FRONT}.py").exists():
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
        self._read: dict[Path, bytes] = {}
        self._steps: set[tuple[Use, Use]] = set()
        seen: set[Use] = set()
        waiting: list[Use] = [(module, ())]
        while waiting:
            if (use := waiting.pop()) not in seen:
                seen.add(use)
                waiting += self._follow(use)

    @property
    def version(self) -> str:
        """A hash of the modules' names and sources, and of where names come from."""
        digest = hashlib.sha256(repr(sorted(self._steps)).encode())
        for name, text in sorted(self.texts.items()):
            # Line endings differ between checkouts of the same code.
            digest.update(name.encode() + text.replace(b"\r\n", b"\n"))
        return digest.hexdigest()[:12]

    def _follow(self, use: Use) -> list[Use]:
        """Count the module of a use, unless it is a package; return what it uses in turn."""
        module, names = use
        place = self._place(module)
        if place is None:
            return []
        if place.is_dir():
            found = self._in_package(place, use)
            self._steps |= {(use, each) for each in found}
            return found
        source = self._source(place, module)
        found = source.origins(names)
        if module not in self.texts:
            self.texts[module] = self._read[place]
            named = (each for each in source.named if not f"{each[0]}.".startswith(f"{DRAWING}."))
            found += [*source.uses, *named, *self._acting_fronts(module)]
        return found

    def _in_package(self, folder: Path, use: Use) -> list[Use]:
        """Return where a name of a package comes from; if unknown, all modules of the package."""
        package, names = use
        if names:
            front = self._front(folder, package)
            if found := [each for each in front.origins(names) if each != use]:
                return found
            if self._place(inner := f"{package}.{names[0]}") is not None:
                return [(inner, names[1:])]
            if names[0] in front.defined:
                return [(f"{package}.{FRONT}", ())]
        below = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py"))
        return [(".".join([package, *path.parts]), ()) for path in below]

    def _acting_fronts(self, module: str) -> Iterator[Use]:
        """Yield each `__init__` above a module that does more than import and define."""
        while module := module.rpartition(".")[0]:
            place = self._place(front := f"{module}.{FRONT}")
            if place is not None and self._source(place, front).acts:
                yield front, ()

    def _front(self, folder: Path, package: str) -> Source:
        """Return the `__init__` of a package, or its list of names that are loaded on first use."""
        for suffix in (".pyi", ".py"):
            if (path := folder / f"{FRONT}{suffix}").is_file():
                return self._source(path, f"{package}.{FRONT}")
        return read_source(b"", package)

    def _place(self, module: str) -> Path | None:
        """Return the file of a module or the folder of a package; None if it is not followed."""
        parts = module.split(".")
        if parts[0] not in self._packages:
            return None
        folder = self._packages[parts[0]].joinpath(*parts)
        file = folder.with_name(f"{folder.name}.py")
        if file.is_file() and not (folder / f"{FRONT}.py").is_file():
            return file
        return folder if folder.is_dir() else None

    def _source(self, path: Path, module: str) -> Source:
        if path not in self._read:
            self._read[path] = path.read_bytes()
        return read_source(self._read[path], module.rpartition(".")[0])
