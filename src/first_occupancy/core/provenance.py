"""Where numbers come from: versions of packages, the commit of this code, the machine."""

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jax

from first_occupancy.core.threads import processors

UNKNOWN = "unknown"


def versions(*packages: str) -> dict[str, str]:
    """Return the version of each package, by its first name that is installed.

    Names of one thing are separated by a bar: "mujoco|mujoco-core".
    """
    return {names.partition("|")[0]: _version(names.split("|")) for names in packages}


def _version(names: list[str]) -> str:
    for name in names:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return UNKNOWN


@cache
def commit() -> str:
    """Return the commit the code is at, where it is a checkout of this project.

    A copy is told by the environment variable FIRST_OCCUPANCY_COMMIT, which comes first.
    """
    if told := os.environ.get("FIRST_OCCUPANCY_COMMIT"):
        return told
    here = Path(__file__)
    git = ["git", "-C", str(here.parent)]
    try:
        # Installed somewhere inside another repository, that one's commit says nothing.
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], **_QUIETLY)
        described = subprocess.run([*git, "describe", "--always", "--abbrev=40"], **_QUIETLY)
        # Not by `describe --dirty`, which locks the index: a git command beside it would fail, and
        # a kill would leave the lock.
        changed = subprocess.run([*git, *_CHANGES], **_QUIETLY).stdout
        return described.stdout.strip() + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def hardware() -> dict[str, Any]:
    """Return what computes: JAX's device and the host's processors."""
    device = jax.devices()[0].device_kind
    return {"device": device, "cores": processors(), "processor": platform.machine()}


_CHANGES = ("--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
_QUIETLY: Any = {"capture_output": True, "check": True, "text": True}
