"""Check that what people call documents its arguments, and every record its fields.

    python docs/check_docstrings.py src

Ruff looks at `Args:` sections that exist; this finds those that are missing. A module, class or
function is public if neither its name nor a folder above it begins with an underscore; functions
inside functions are not public. A public name is *on the reference* if the front of a package
(`__init__`) offers it or a page of the documentation imports it, and so is everything in a module
that is offered or imported by itself. The rules, with no exceptions:

- A function or method on the reference with more than one argument has an `Args:` section that
  names every argument, in the order of the signature. Elsewhere a good name does, and `Args:`
  names what needs an explanation.
- A public function that returns a value has a `Returns:` or `Yields:` section, or a summary that
  begins with "Return" or "Yield", if it has more than one argument. If it is on the reference and
  its own body raises an exception, it has a `Raises:` section that names it.
- A class on the reference whose `__init__` or `__new__` takes more than one argument has an
  `Args:` section, in the docstring of the class or of that method.
- Any other public class with more than one public field describes each of them: in an
  `Attributes:` section or by a string below the field.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "PAPER.md", "docs/*.md", "examples/**/*.py", "reproduction/examples/**/*.py")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main(folders: list[str]) -> int:
    """Print what is missing below the folders and return the exit status."""
    files = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    offered = reference(folders)
    problems = [
        f"{path}:{problem}"
        for path in files
        if is_public(path)
        for problem in problems_of(ast.parse(path.read_text()), offered.get(path, set()))
    ]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(problems)} problems with documented arguments in {len(files)} files")
    return 1 if problems else 0


def is_public(path: Path) -> bool:
    """Return whether no part of the path is private."""
    return not any(part.startswith("_") and part != "__init__.py" for part in path.parts)


def reference(folders: list[str]) -> dict[Path, set[str]]:
    """Return the names on the reference, by file; "*" stands for all names of a module."""
    pages = [page for pattern in PAGES for page in ROOT.glob(pattern)]
    imports = [each for page in pages for each in _imports_of_page(page.read_text())]
    found: dict[Path, set[str]] = {}
    for folder in folders:
        library = Path(folder) / "first_occupancy"
        fronts = _imports((library / "__init__.pyi").read_text()) if library.exists() else []
        for module, name in [*imports, *fronts]:
            _add(found, Path(folder, *module.split(".")), name, modules=True)
        for front in library.rglob("__init__.py"):
            for module, name in _imports(front.read_text()):
                _add(found, Path(folder, *module.split(".")), name, modules=False)
    return found


def _add(found: dict[Path, set[str]], place: Path, name: str, modules: bool) -> None:
    inside, file = (place / name).with_suffix(".py"), place.with_suffix(".py")
    if modules and inside.exists():
        found.setdefault(inside, set()).add("*")
    elif file.exists():
        found.setdefault(file, set()).add(name)


def _imports_of_page(text: str) -> list[tuple[str, str]]:
    statements = re.findall(r"from first_occupancy[\w.]* import (?:\([^)]*\)|[\w, ]+)", text)
    return [each for statement in statements for each in _imports(statement)]


def _imports(text: str) -> list[tuple[str, str]]:
    """Return the module and the name of each import; relative ones are of this package."""
    return [
        ("first_occupancy." * node.level + (node.module or ""), alias.name)
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def problems_of(tree: ast.Module, offered: set[str]) -> list[str]:
    """Return what a module leaves undocumented, as 'line: name: problem'."""
    return [f"{node.lineno}: {problem}" for node, problem in _of_body(tree.body, offered)]


def _of_body(body: list[ast.stmt], offered: set[str]) -> Iterator[tuple[ast.stmt, str]]:
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _of_body(node.body, offered)
        name = getattr(node, "name", "_")
        if name.startswith("_"):
            continue
        listed = bool({name, "*"} & offered)
        if isinstance(node, Function):
            yield from ((node, f"{name}: {each}") for each in _of_function(node, listed))
        elif isinstance(node, ast.ClassDef):
            yield from ((node, f"{name}: {each}") for each in _of_class(node, listed))
            inside = _of_body(node.body, {"*"} if listed else set())
            yield from ((inner, f"{name}.{each}") for inner, each in inside)


def _of_function(node: Function, listed: bool) -> Iterator[str]:
    names, text = _arguments(node), ast.get_docstring(node) or ""
    if len(names) < 2 or _is_overload(node):
        return
    if listed:
        yield from _of_section(text, "Args", names)
    says_what = re.search(r"\A(Return|Yield)|^(Returns|Yields):$", text, re.MULTILINE)
    if _gives_something(node) and not says_what:
        yield "has no `Returns:` section"
    missing = _raised(node) - set(_entries(text, "Raises"))
    if listed and missing:
        yield f"`Raises:` does not name {', '.join(sorted(missing))}"


def _of_class(node: ast.ClassDef, listed: bool) -> Iterator[str]:
    text = ast.get_docstring(node) or ""
    makers = [
        each
        for each in node.body
        if isinstance(each, Function) and each.name in ("__init__", "__new__")
    ]
    if makers:
        names, own = _arguments(makers[0]), ast.get_docstring(makers[0]) or ""
        if listed and len(names) > 1:
            yield from _of_section(text if "Args:" in text else own, "Args", names)
        return
    fields = list(_fields(node))
    if len(fields) > 1:
        described = {name for name, has_text in fields if has_text}
        rest = [name for name, _ in fields if name not in described]
        if rest:
            yield from _of_section(text, "Attributes", rest)


def _of_section(text: str, title: str, names: list[str]) -> Iterator[str]:
    entries = _entries(text, title)
    missing = [name for name in names if name not in entries]
    if not entries:
        yield f"has no `{title}:` section"
    elif missing:
        yield f"`{title}:` does not name {', '.join(missing)}"
    elif title == "Args" and entries != names:
        yield f"`Args:` must be {', '.join(names)}, in this order, got {', '.join(entries)}"


def _entries(text: str, title: str) -> list[str]:
    """Return the names that a section of a docstring describes."""
    lines = text.splitlines()
    if f"{title}:" not in lines:
        return []
    names = []
    for line in lines[lines.index(f"{title}:") + 1 :]:
        if line and not line.startswith(" "):
            break
        found = re.match(r"    \*{0,2}(\w[\w., *]*?)( \(.*\))?:(\s|$)", line)
        if found:
            names += [name.strip(" *") for name in found[1].split(",")]
    return names


def _arguments(node: Function) -> list[str]:
    given = node.args
    parts = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    names = [part.arg for part in parts if part is not None]
    static = any(getattr(each, "id", "") == "staticmethod" for each in node.decorator_list)
    return [name for name in names if static or name not in ("self", "cls")]


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, bool]]:
    """Yield the public fields of a record, and whether a string below describes them."""
    for field, below in zip(node.body, [*node.body[1:], ast.Pass()], strict=True):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if field.target.id.startswith("_") or "ClassVar" in ast.unparse(field.annotation):
            continue
        text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        yield field.target.id, text


def _is_overload(node: Function) -> bool:
    return any(ast.unparse(each).endswith("overload") for each in node.decorator_list)


def _own(node: Function) -> Iterator[ast.AST]:
    """Yield what belongs to the function itself, and not to a function inside it."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, (*Function.__args__, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(each))


def _gives_something(node: Function) -> bool:
    if node.returns is not None and ast.unparse(node.returns) in ("None", "NoReturn", "Never"):
        return False
    return any(
        isinstance(each, (ast.Yield, ast.YieldFrom))
        or (isinstance(each, ast.Return) and each.value is not None)
        for each in _own(node)
    )


def _raised(node: Function) -> set[str]:
    """Return the classes of the exceptions that the function itself raises."""
    names = {
        ast.unparse(each.exc.func).rpartition(".")[2]
        for each in _own(node)
        if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call)
    }
    return {name for name in names if name[0].isupper()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
