"""Checks that a config makes of itself, so that what cannot be run is said before anything runs.

They do not change rows, only whether there are some.
"""

from typing import Any, Literal, get_args, get_origin, get_type_hints

from first_occupancy.core.errors import InputError


def check_choices(config: Any) -> None:
    """Raise unless each field that lists its values (`Literal`), or a tuple of them, has those."""
    for name, hint in get_type_hints(type(config)).items():
        listed = get_args(hint)[0] if get_origin(hint) is tuple else hint
        if get_origin(listed) is not Literal:
            continue
        for value in _each(config, name):
            if value not in get_args(listed):
                known = ", ".join(str(each) or '""' for each in get_args(listed))
                raise InputError(f"{name} must be one of {known}, got {value!r}")


def check_least(config: Any, **least: int) -> None:
    """Raise unless each number named is at least so large; of a tuple, each of its numbers."""
    for name, bound in least.items():
        for value in _each(config, name):
            if not value >= bound:
                raise InputError(f"{name} must be at least {bound}, got {value}")


def check_shares(config: Any, *names: str) -> None:
    """Raise unless the numbers named lie in [0, 1]."""
    for name in names:
        for value in _each(config, name):
            if not 0 <= value <= 1:
                raise InputError(f"{name} must be at least 0 and at most 1, got {value}")


def check_discount(config: Any) -> None:
    """Raise unless the config's discount is from 0 to below 1."""
    if not 0 <= config.discount < 1:
        raise InputError(f"discount must be at least 0 and below 1, got {config.discount}")


def check_positive_discount(config: Any) -> None:
    """Raise unless the config's discount is between 0 and 1: with 0, no plan leads anywhere."""
    if not 0 < config.discount < 1:
        raise InputError(f"discount must be above 0 and below 1, got {config.discount}")


def _each(config: Any, name: str) -> tuple[Any, ...]:
    value = getattr(config, name)
    return value if isinstance(value, tuple) else (value,)
