"""Kinds of values that a config's field may have, as its type hint says them.

Numbers, texts, true or false, one of some (`Literal`), several of these (`tuple`), or nothing
(`| None`).
"""

import math
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

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


def as_kind(value: Any, hint: Any) -> Any:
    """Return the value as the type has it: whole numbers as numbers, lists as tuples.

    Numbers of NumPy's become Python's, which can be stored.

    Raises `ValueError` if it is of another type.
    """
    origin = get_origin(hint)
    if isinstance(value, np.generic):
        value = value.item()
    if hint is Any:
        return value
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
    """Return the value of the type that a text stands for; raise `ValueError` if there is none.

    >>> from_text("0:0.5", tuple[float, ...]), from_text("true", bool), from_text("3", int | None)
    ((0.0, 0.5), True, 3)
    """
    origin = get_origin(hint)
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
    """Return what a value of the type is, in words.

    >>> in_words(tuple[int, int])
    '2 values joined by ":", each a whole number'
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(to_text(each) or EMPTY for each in inner)}"
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
