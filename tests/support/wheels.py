"""Wheels of this checkout, installed where they alone are ours."""

import os
import subprocess
import sys
import sysconfig
import venv


def run(*command, folder=None, returncode=0):
    """Run a command without this checkout on its path; return what it printed."""
    environment = {name: at for name, at in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == returncode, result.stdout + result.stderr
    return result.stdout if returncode != 2 else result.stderr


def installed(folder, *projects):
    """Return a folder's Python that has wheels, and the packages of this one's beneath them.

    Args:
        folder: an empty folder.
        *projects: folders of the packages to build and install.
    """
    for project in projects:
        build = (sys.executable, "-m", "build", "--wheel", "--no-isolation")
        run(*build, "--outdir", folder, project)
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--quiet")
    run(*pip, "install", "--no-deps", "--no-index", *folder.glob("*.whl"))
    # Python searches the folder that a .pth file names, but reads no .pth files in it, so that an
    # editable install there does not count.
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "beneath.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


EMPTY = """
import re, sys
from importlib.metadata import distribution, packages_distributions, PackageNotFoundError

needed, waiting = set(), ["first-occupancy"]
while waiting:
    name = re.sub("[-_.]+", "-", waiting.pop()).lower()
    try:
        requires = distribution(name).requires if name not in needed else None
    except PackageNotFoundError:  # needed on other systems
        continue
    needed.add(name)
    waiting += [re.match(r"[\\w.-]+", each)[0] for each in requires or () if "extra ==" not in each]

class Absent:
    homes = packages_distributions()

    def find_spec(self, name, path=None, target=None):
        homes = {re.sub("[-_.]+", "-", each).lower() for each in self.homes.get(name, ())}
        if homes and not homes & needed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
"""Code that hides all packages but those that the library requires, as in an empty environment."""
