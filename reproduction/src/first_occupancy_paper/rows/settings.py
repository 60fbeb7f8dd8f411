"""Settings: dataclasses of plain values, whose type hints say what each field accepts.

A hint gives the type of a value (numbers, strings, booleans, None, or tuples of these), its
choices (`Literal`, or `OneOf` if they are computed), and its limits:

    part: Literal["tour", "orders"]
    discount: Annotated[float, Limits(least=0, below=1)] = 0.95
    noises: tuple[Share, ...] = (0.0,)

A dataclass that extends `Settings` refuses invalid settings before anything runs.
Sweeps convert values by the same hints, from Python (`as_kind`) and from strings (`from_text`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from first_occupancy.core.arguments import Limits
from first_occupancy.core.errors import InputError

BETWEEN_ITEMS = ":"
WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "a text",
    NoneType: "none",
}
EMPTY = '""'


@dataclass(frozen=True)
class OneOf:
    """A setting that is one of some computed choices; for a fixed list use `Literal`."""

    choices: tuple[Any, ...]

    def __contains__(self, value: Any) -> bool:
        return value in self.choices

    def __str__(self) -> str:
        return f"one of {', '.join(to_text(each) or EMPTY for each in self.choices)}"


PositiveDiscount = Annotated[float, Limits(above=0, below=1)]
"""For planning: with discount 0 every goal but the current state has value 0."""


def check_settings(config: Any, caller: str = "") -> None:
    """Raise `InputError` unless every field of a dataclass has a value that its hint allows.

    Args:
        config: dataclass to check.
        caller: name of the dataclass, with which the message begins; "" leaves it out.
    """
    hints = _hints(type(config))
    _check(caller, {name: (getattr(config, name), hint) for name, hint in hints.items()})


@dataclass(frozen=True)
class Settings:
    """Settings that are checked when they are made."""

    def __post_init__(self) -> None:
        """Raise `InputError` unless every field has a value that its hint allows."""
        check_settings(self)


def check_least(config: Any, caller: str = "", **least: int) -> None:
    """Raise `InputError` if a field is below its minimum, for minima that depend on other fields.

    Args:
        config: dataclass to check.
        caller: name of the dataclass, with which the message begins; "" leaves it out.
        least: smallest value allowed, by the name of the field.
    """
    limits = {name: Annotated[int, Limits(least=bound)] for name, bound in least.items()}
    _check(caller, {name: (getattr(config, name), hint) for name, hint in limits.items()})


@cache
def _hints(config_type: type) -> dict[str, Any]:
    return get_type_hints(config_type, include_extras=True)


def _check(caller: str, fields: dict[str, tuple[Any, Any]]) -> None:
    for name, (value, hint) in fields.items():
        if problem := _problem(value, hint):
            raise InputError(f"{caller}: {name} must be {problem}".removeprefix(": "))


def _problem(value: Any, hint: Any) -> str:
    """Return what a value should have been, or ""; for a tuple, of its first invalid item."""
    kind, *limits = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    try:
        if get_origin(kind) is tuple and isinstance(value, tuple | list):
            return next(filter(None, map(_problem, value, _item_hints(kind, len(value)))), "")
        number = as_kind(value, kind)
    except ValueError:
        return f"{in_words(kind)}, got {value!r}"
    return next((f"{each}, got {value!r}" for each in limits if number not in each), "")


def as_kind(value: Any, hint: Any) -> Any:
    """Return a value converted to the type of its hint: integers to floats, lists to tuples.

    NumPy numbers become Python numbers, which can be stored.

    Args:
        value: value to convert.
        hint: type hint that it must satisfy.

    Raises:
        ValueError: if it has another type, or lies outside the limits.
    """
    origin = get_origin(hint)
    if isinstance(value, np.generic):
        value = value.item()
    if hint is Any:
        return value
    if origin is Annotated:
        kind, *limits = get_args(hint)
        converted = as_kind(value, kind)
        if all(converted in each for each in limits):
            return converted
        raise ValueError
    if origin in (Union, UnionType):
        return _first_of(lambda each: as_kind(value, each), get_args(hint))
    if origin is tuple and isinstance(value, tuple | list):
        return tuple(map(as_kind, value, _item_hints(hint, len(value))))
    if origin is Literal and value in get_args(hint):
        return value
    if hint is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if type(value) is hint and hint is not float:
        return value
    raise ValueError


def from_text(text: str, hint: Any) -> Any:
    """Return the value that a string stands for.

    >>> from_text("0:0.5", tuple[float, ...]), from_text("true", bool), from_text("3", int | None)
    ((0.0, 0.5), True, 3)

    Args:
        text: value as it is written on a command line.
        hint: type hint that the value must satisfy.

    Raises:
        ValueError: if it stands for no such value.
    """
    origin = get_origin(hint)
    if origin is Annotated:
        return as_kind(from_text(text, get_args(hint)[0]), hint)
    if origin in (Union, UnionType):
        # "none" is a valid string too, so None is tried before str.
        kinds = sorted(get_args(hint), key=lambda each: each is not NoneType)
        return _first_of(lambda each: from_text(text, each), kinds)
    if origin is tuple:
        items = text.split(BETWEEN_ITEMS)
        return tuple(map(from_text, items, _item_hints(hint, len(items))))
    if origin is Literal:
        return as_kind({to_text(each): each for each in get_args(hint)}.get(text, text), hint)
    if hint is bool:
        return as_kind({"true": True, "false": False}.get(text.lower()), bool)
    if hint is NoneType:
        return as_kind(None if text == "none" else text, hint)
    return as_kind(hint(text) if hint in (int, float, str) else text, hint)


def to_text(value: Any) -> str:
    """Return the string that stands for a value, as `from_text` reads it."""
    if isinstance(value, tuple | list):
        return BETWEEN_ITEMS.join(map(to_text, value))
    return str(value).lower() if isinstance(value, bool | None) else str(value)


def in_words(hint: Any) -> str:
    """Return a description of the values that a hint allows.

    >>> from first_occupancy.core.arguments import PositiveInt
    >>> in_words(tuple[PositiveInt, PositiveInt])
    '2 values joined by ":", each a whole number, at least 1'
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return ", ".join([in_words(inner[0]), *map(str, inner[1:])])
    if origin is Literal:
        return str(OneOf(inner))
    if origin in (Union, UnionType):
        return " or ".join(map(in_words, inner))
    if origin is tuple:
        number = "values" if Ellipsis in inner else f"{len(inner)} values"
        return f'{number} joined by "{BETWEEN_ITEMS}", each {in_words(inner[0])}'
    return WORDS.get(hint, "a text" if hint is Any else f"a {getattr(hint, '__name__', hint)}")


def _item_hints(hint: Any, number: int) -> Sequence[Any]:
    inner = get_args(hint)
    if Ellipsis in inner:
        return [inner[0]] * number
    if len(inner) != number:
        raise ValueError
    return inner


def _first_of(convert: Callable[[Any], Any], hints: Sequence[Any]) -> Any:
    for hint in hints:
        try:
            return convert(hint)
        except ValueError:
            continue
    raise ValueError
