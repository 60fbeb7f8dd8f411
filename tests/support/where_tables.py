"""Tables that say where something is decided: `path.py` (`name`, `Class.method`)."""

import ast
import re

PLACE = re.compile(r"`([\w/]+\.py)`(?: \(([^()]*)\))?")


def misleading(page, *folders, heading="Where is it decided?"):
    """Return what the table below a heading names that is not there, and how many places it has.

    Paths begin at any of the folders.
    """
    text = page.read_text("utf-8").split(f"{heading}\n", 1)[1]
    table = re.split(r"\n#+ ", text, maxsplit=1)[0]
    wrong, places = [], PLACE.findall(table)
    for place, names in places:
        path = next((folder / place for folder in folders if (folder / place).is_file()), None)
        known = set() if path is None else defined(path)
        wrong += [place] * (path is None)
        wrong += [
            f"{place}: {name}" for name in re.findall(r"`([\w.]+)`", names) if name not in known
        ]
    return wrong, len(places)


def defined(path):
    """Return the names that a module defines, those of methods with their class."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}" for each in node.body if hasattr(each, "name")}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
            found |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
        found.add(getattr(node, "name", None))
    return found
