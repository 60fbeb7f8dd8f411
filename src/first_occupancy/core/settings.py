"""Settings: dataclasses of plain values, whose type hints say what each field takes.

A hint names the kind of a value (numbers, texts, true or false, none, or tuples of these), its
choices (`Literal`, or `OneOf` where they are computed), and its limits:

    part: Literal["tour", "orders"]
    discount: Annotated[float, Limits(least=0, below=1)] = 0.95
    noises: tuple[Share, ...] = (0.0,)

The dataclass calls `check_settings`, so that what cannot be run is refused before anything runs.
Sweeps convert values by the same hints, from Python (`as_kind`) and from texts (`from_text`).
"""

import math
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from first_occupancy.core.errors import InputError

BETWEEN_ITEMS = ":"
WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "a text",
    type(None): "none",
    None: "none",
}
EMPTY = '""'
SAID = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of a number: itself within (`least`, `most`) or not (`above`, `below`)."""

    least: int | float = -math.inf
    above: int | float = -math.inf
    below: int | float = math.inf
    most: int | float = math.inf

    def __contains__(self, number: int | float) -> bool:
        return self.least <= number <= self.most and self.above < number < self.below

    def __str__(self) -> str:
        lower = f"at least {self.least}" if self.least > self.above else f"above {self.above}"
        upper = f"at most {self.most}" if self.most < self.below else f"below {self.below}"
        return " and ".join(each for each in (lower, upper) if not each.endswith("inf"))


@dataclass(frozen=True)
class OneOf:
    """Choices that are computed; those that can be written down are a `Literal`."""

    choices: tuple[Any, ...]

    def __contains__(self, value: Any) -> bool:
        return value in self.choices

    def __str__(self) -> str:
        return f"one of {', '.join(to_text(each) or EMPTY for each in self.choices)}"


PositiveInt = Annotated[int, Limits(least=1)]
NonNegativeInt = Annotated[int, Limits(least=0)]
PositiveFloat = Annotated[float, Limits(above=0)]
NonNegativeFloat = Annotated[float, Limits(least=0)]
Share = Annotated[float, Limits(least=0, most=1)]
Discount = Annotated[float, Limits(least=0, below=1)]
PositiveDiscount = Annotated[float, Limits(above=0, below=1)]
"""For plans: with discount 0 none of them leads anywhere."""


def check_settings(config: Any, caller: str = "") -> None:
    """Raise unless every field of a dataclass is what its hint says.

    Args:
        config: dataclass to check.
        caller: what the error begins with, where users know the dataclass by its name.
    """
    hints = _hints(type(config))
    _check(caller, {name: (getattr(config, name), hint) for name, hint in hints.items()})


def check_least(config: Any, caller: str = "", **least: int) -> None:
    """Raise unless fields are at least as large as given, for limits that depend on other fields.

    Args:
        config: dataclass to check.
        caller: what the error begins with, where users know the dataclass by its name.
        least: the smallest value of each field.
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
    """Return what a value must be and is not, if anything; of tuples, for the first bad item."""
    kind, *limits = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    try:
        if get_origin(kind) is tuple and isinstance(value, tuple | list):
            return next(filter(None, map(_problem, value, _item_hints(kind, len(value)))), "")
        number = as_kind(value, kind)
    except ValueError:
        return f"{in_words(kind)}, got {value!r}"
    return next((f"{each}, got {value!r}" for each in limits if number not in each), "")


def as_kind(value: Any, hint: Any) -> Any:
    """Return a value as its hint has it: whole numbers as floats, lists as tuples.

    NumPy's numbers become Python's, which can be stored.

    Args:
        value: number, text, or whatever was given.
        hint: what it should be.

    Raises:
        ValueError: if it is of another kind, or beyond the limits.
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
    if origin in (Union, types.UnionType):
        return _first_of(lambda each: as_kind(value, each), get_args(hint))
    if origin is tuple and isinstance(value, tuple | list):
        return tuple(map(as_kind, value, _item_hints(hint, len(value))))
    if origin is Literal and value in get_args(hint):
        return value
    if hint is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if type(value) is (type(None) if hint is None else hint) and hint is not float:
        return value
    raise ValueError


def from_text(text: str, hint: Any) -> Any:
    """Return the value that a text stands for.

    >>> from_text("0:0.5", tuple[float, ...]), from_text("true", bool), from_text("3", int | None)
    ((0.0, 0.5), True, 3)

    Args:
        text: value as it is written on a command line.
        hint: what the value should be.

    Raises:
        ValueError: if it stands for nothing of this kind.
    """
    origin = get_origin(hint)
    if origin is Annotated:
        return as_kind(from_text(text, get_args(hint)[0]), hint)
    if origin in (Union, types.UnionType):
        # "none" is a text as well, so nothing comes before texts.
        kinds = sorted(get_args(hint), key=lambda each: each not in (None, type(None)))
        return _first_of(lambda each: from_text(text, each), kinds)
    if origin is tuple:
        items = text.split(BETWEEN_ITEMS)
        return tuple(map(from_text, items, _item_hints(hint, len(items))))
    if origin is Literal:
        return _first_of(lambda each: _said(each, text), get_args(hint))
    if hint is bool:
        return as_kind(SAID.get(text.lower()), bool)
    if hint in (None, type(None)):
        return as_kind(None if text == "none" else text, hint)
    return as_kind(hint(text) if hint in (int, float, str) else text, hint)


def to_text(value: Any) -> str:
    """Return the text that stands for a value."""
    if isinstance(value, tuple | list):
        return BETWEEN_ITEMS.join(map(to_text, value))
    return str(value).lower() if isinstance(value, bool | None) else str(value)


def in_words(hint: Any) -> str:
    """Return in words what a hint allows.

    >>> in_words(tuple[PositiveInt, PositiveInt])
    '2 values joined by ":", each a whole number, at least 1'
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return ", ".join([in_words(inner[0]), *map(str, inner[1:])])
    if origin is Literal:
        return str(OneOf(inner))
    if origin in (Union, types.UnionType):
        return " or ".join(map(in_words, inner))
    if origin is tuple:
        number = "values" if Ellipsis in inner else f"{len(inner)} values"
        return f'{number} joined by "{BETWEEN_ITEMS}", each {in_words(inner[0])}'
    return WORDS.get(hint, "a text" if hint is Any else f"a {getattr(hint, '__name__', hint)}")


def _said(value: Any, text: str) -> Any:
    if to_text(value) != text:
        raise ValueError
    return value


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
