"""The tutorials: every script of `examples/` becomes a page, and is run if it draws figures."""

import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts import FIGURE, differences, page
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
ROOT = Path(__file__).parents[2]


def write_pages(app: Sphinx) -> None:
    """Run the examples that draw figures, if they can be run here, and write all pages."""
    generated = Path(app.srcdir) / "generated"
    (generated / "tutorials").mkdir(parents=True, exist_ok=True)
    paths = sorted((ROOT / "examples").glob("[0-9]*.py"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        drawing = [path for path in paths if FIGURE.search(path.read_text(encoding="utf-8"))]
        list(pool.map(lambda path: run(path, generated / "run" / path.stem), drawing))
    for path in paths:
        target = generated / "tutorials" / f"{path.stem}.md"
        target.write_text(page(path, generated / "run" / path.stem), encoding="utf-8")
    (generated / "tutorial_list.md").write_text(contents(paths, Path(app.srcdir)), "utf-8")
    for stale in (generated / "tutorials").glob("*.md"):
        if stale.stem not in {path.stem for path in paths}:
            stale.unlink()


def contents(paths: list[Path], docs: Path) -> str:
    """Return the list of tutorials; pages that another part of the menu has are left out."""
    elsewhere = re.findall(r"^generated/(tutorials/\w+)$", (docs / "index.md").read_text(), re.M)
    entries = [f"tutorials/{path.stem}" for path in paths]
    entries = [f"/generated/{entry}" for entry in entries if entry not in elsewhere]
    entries += ["/sweeps"] if (docs / "sweeps.md").exists() else []
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *entries, "```", ""])


def run(path: Path, folder: Path) -> None:
    """Run a script for its figures, unless it was run before and nothing has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp, version = folder / "version", _version(path)
    if stamp.exists() and stamp.read_text() == version:
        return
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths}
    command = [sys.executable, str(path)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if "ModuleNotFoundError" in done.stderr:
        logger.info("%s not run: %s", path.name, done.stderr.strip().splitlines()[-1])
        return
    problems = differences(path.read_text(encoding="utf-8"), done.stdout)
    if done.returncode:
        problems = [done.stderr.strip()[-500:]]
    for problem in problems:
        logger.warning("%s: %s", path.name, problem)
    if not problems:
        stamp.write_text(version)


def _version(path: Path) -> str:
    digest = hashlib.sha256(path.read_bytes())
    for source in sorted((ROOT / "src").rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the tutorials before any page is read."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
