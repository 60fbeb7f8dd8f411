"""The command that installs an extra, for error messages: the one place that words it."""

import json
from importlib.metadata import PackageNotFoundError, distribution

PROJECT = "first-occupancy"


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation.

    Installers record in `direct_url.json` (PEP 610) that a package came from a folder. Such a
    package is installed again from its checkout, where the command has to be run; any other by
    its name.

    Args:
        extra: name of the extra, as in `pyproject.toml`; several are separated by commas.
    """
    folder = _folder_install()
    if folder is None:
        return f"pip install '{PROJECT}[{extra}]'"
    option = "-e " if folder.get("editable") else ""
    return f"pip install {option}'.[{extra}]'"


def _folder_install() -> dict[str, bool] | None:
    """Return what the installer recorded about the folder, or None if there was no folder."""
    try:
        recorded = distribution(PROJECT).read_text("direct_url.json")
    except PackageNotFoundError:  # run from the source tree, without having been installed
        return {}
    return json.loads(recorded).get("dir_info") if recorded else None
