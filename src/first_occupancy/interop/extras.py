"""Packages that only some users have: asked for when needed, and named when missing."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.core.install_hints import install_command


def optional(package: str) -> Any:
    """Return a package, or None where it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        return None


def require(caller: str, package: ModuleType | None, name: str, extra: str) -> None:
    """Raise unless the package is there; say which extra of ours brings it."""
    if package is None:
        raise InputError(f"{caller}: needs {name}: {install_command(extra)}")


TO_ACT_IN = ("reset", "step", "action_space")
"""What an environment must have that policies act in."""


def check_environment(caller: str, environment: Any, needed: Sequence[str] = TO_ACT_IN) -> None:
    """Raise unless it has what is needed, as what `gymnasium.make` returns has."""
    if isinstance(environment, str):
        raise InputError(
            f"{caller}: environment must be an environment, got the name {environment!r}; "
            f"pass gymnasium.make({environment!r})"
        )
    missing = [name for name in needed if not hasattr(environment, name)]
    if missing:
        raise InputError(
            f"{caller}: environment must have {', '.join(needed)}, as Gymnasium's have, "
            f"got {type(environment)} without {missing[0]}"
        )


gymnasium: Any = optional("gymnasium")
Environment: Any = object if gymnasium is None else gymnasium.Env
Wrapper: Any = object if gymnasium is None else gymnasium.Wrapper
