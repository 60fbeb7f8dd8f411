"""Packages that only some users have: asked for when needed, and named when missing."""

from importlib import import_module
from types import ModuleType
from typing import Any

from first_occupancy.core.errors import InputError


def optional(package: str) -> Any:
    """Return a package, or None where it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        return None


def require(caller: str, package: ModuleType | None, name: str, extra: str) -> None:
    """Raise unless the package is there; say which extra of ours brings it."""
    if package is None:
        raise InputError(f"{caller}: needs {name}: pip install 'first-occupancy[{extra}]'")


gymnasium: Any = optional("gymnasium")
Environment: Any = object if gymnasium is None else gymnasium.Env
Wrapper: Any = object if gymnasium is None else gymnasium.Wrapper
