"""The command that installs an extra, for error messages: the one place that words it."""

import json
from importlib.metadata import PackageNotFoundError, distribution

PROJECT = "first-occupancy"


def install_command(extra: str, *, project: str = PROJECT, folder: str = ".") -> str:
    """Return the command that adds an extra to this installation of a package.

    Installers record in `direct_url.json` (PEP 610) that a package came from a folder. Such a
    package is installed again from its checkout, where the command has to be run; any other by
    its name.
    """
    installed = _folder_install(project)
    if installed is None:
        return f"pip install '{project}[{extra}]'"
    option = "-e " if installed.get("editable") else ""
    return f"pip install {option}'{folder}[{extra}]'"


def _folder_install(project: str) -> dict[str, bool] | None:
    """Return what the installer recorded about the folder, or None if there was no folder."""
    try:
        recorded = distribution(project).read_text("direct_url.json")
    except PackageNotFoundError:  # run from the source tree, without having been installed
        return {}
    return json.loads(recorded).get("dir_info") if recorded else None
