"""Where results come from: versions of packages, the commit of this code, the hardware."""

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
    """Return the installed version of each package, or "unknown".

    Alternative names of one package are separated by a bar, as in "mujoco|mujoco-core": the first
    that is installed gives the version, and the first one listed is the key.
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
    """Return the commit of this code, with "-dirty" if tracked files have changed.

    The environment variable FIRST_OCCUPANCY_COMMIT takes precedence, for copies that are not a git
    checkout. Without either the commit is "unknown".
    """
    if told := os.environ.get("FIRST_OCCUPANCY_COMMIT"):
        return told
    here = Path(__file__)
    git = ["git", "-C", str(here.parent)]
    try:
        # If the package is installed inside another repository, that one's commit is irrelevant.
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], **_QUIETLY)
        described = subprocess.run([*git, "describe", "--always", "--abbrev=40"], **_QUIETLY)
        # `describe --dirty` would lock the index: concurrent git commands would fail, and a killed
        # process would leave the lock behind.
        changed = subprocess.run([*git, *_CHANGES], **_QUIETLY).stdout
        return described.stdout.strip() + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def hardware() -> dict[str, Any]:
    """Return the kind of JAX's first device, and the number and kind of the host's processors."""
    device = jax.devices()[0].device_kind
    return {"device": device, "cores": processors(), "processor": platform.machine()}


_CHANGES = ("--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
_QUIETLY: Any = {"capture_output": True, "check": True, "text": True}
