"""Optional packages: imported if installed, and named in an error message if missing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.core.install_hints import install_command


def optional(package: str) -> Any:
    """Return a package, or None if it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        return None


def require(caller: str, package: ModuleType | None, name: str, extra: str) -> None:
    """Raise unless an optional package, as `optional` returned it, is installed."""
    if package is None:
        raise InputError(f"{caller}: needs {name}: {install_command(extra)}")


@contextmanager
def needs_extra(extra: str, *packages: str) -> Iterator[None]:
    """End a script with one sentence, instead of a traceback, if an import inside fails.

        with needs_extra("interop"):
            import gymnasium

    Args:
        extra: our extra that brings the packages.
        *packages: others to install, which no extra brings.

    Yields:
        Nothing: the imports are the body of the `with` statement.

    Raises:
        SystemExit: if a package is missing; says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        more = "".join(f" {package}" for package in packages)
        raise SystemExit(
            f"This example needs {error.name}: {install_command(extra)}{more}"
        ) from None


TO_ACT_IN = ("reset", "step", "action_space")
"""The attributes of an environment that policies need to act."""


def check_environment(caller: str, environment: Any, needed: Sequence[str] = TO_ACT_IN) -> None:
    """Raise unless an environment has the attributes needed."""
    if isinstance(environment, str):
        raise InputError(
            f"{caller}: environment must be an environment, got the name {environment!r}; "
            f"pass gymnasium.make({environment!r})"
        )
    missing = [name for name in needed if not hasattr(environment, name)]
    if missing:
        raise InputError(
            f"{caller}: environment must have {', '.join(needed)}, like a Gymnasium environment, "
            f"got {type(environment)} without {missing[0]}"
        )


gymnasium: Any = optional("gymnasium")
Environment: Any = object if gymnasium is None else gymnasium.Env
