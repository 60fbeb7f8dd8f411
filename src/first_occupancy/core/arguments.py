"""Arguments of public functions, checked by their type hints.

A hint says what an argument may be: numbers and their axes (`Float[Array, "S A"]`), a record, a
text, a function, or one of several of these, and its limits (`Annotated[float, Limits(least=0)]`).
Lists may stand for arrays, and whole numbers for floats; traced values have no limits. What a hint
cannot say, such as which sizes must agree, the function checks by itself.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import jax.numpy as jnp
import numpy as np

from first_occupancy.core.errors import InputError, as_given, is_known

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of a number.

    Attributes:
        least: lower bound, inclusive.
        above: lower bound, exclusive.
        below: upper bound, exclusive.
        most: upper bound, inclusive.
    """

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


PositiveInt = Annotated[int, Limits(least=1)]
NonNegativeInt = Annotated[int, Limits(least=0)]
PositiveFloat = Annotated[float, Limits(above=0)]
NonNegativeFloat = Annotated[float, Limits(least=0)]
Share = Annotated[float, Limits(least=0, most=1)]
Discount = Annotated[float, Limits(least=0, below=1)]


def check_arguments(function: Function, *, caller: str | None = None) -> Function:
    """Return a function that raises `InputError` where an argument is not what its hint allows.

    Plain values are checked before the call. Arrays and records, which functions check themselves,
    are looked at once the call has failed without saying why.
    """
    signature = inspect.signature(function)
    names = tuple(signature.parameters)
    own = function.__qualname__.removesuffix(".__init__").split(".")[-1]
    name = own if caller is None else caller

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **options}
        plain, other = _allowed(function)
        _check(name, given, plain)
        try:
            return function(*args, **options)
        except InputError:
            raise
        except Exception:
            with suppress(TypeError):  # Python has said which arguments are missing
                signature.bind(*args, **options)
                _check(name, given, other)
            raise

    return call  # pyrefly: ignore[bad-return]


def _check(caller: str, given: Mapping[str, Any], allowed: Mapping[str, tuple[Any, ...]]) -> None:
    for name, kinds in allowed.items():
        value = given.get(name)
        if name not in given or (value is None and _NONE in kinds):
            continue
        if not any(kind.allows(value) for kind in kinds):
            numbers = [kind for kind in kinds if isinstance(kind, _Numbers)]
            beyond = [str(kind.limits) for kind in numbers if kind.is_beyond(value)]
            words = " or ".join(dict.fromkeys(beyond or map(str, kinds)))
            message = f"{caller}: {name} must be {words}, got {as_given(value)}"
            raise InputError(message) from None


@dataclass(frozen=True)
class _Numbers:
    """What a hint says of numbers.

    Axes are letters, as in jaxtyping, "" for one number; one with limits is finite too.
    """

    whole: bool
    axes: str = ""
    limits: Limits | None = None

    def __str__(self) -> str:
        kind = "finite number" if self.limits and not self.whole else "number"
        kind = "whole number" if self.whole else kind
        axes = f"{kind}s [{self.axes}]".replace(" [...]", "")
        return f"{axes if self.axes else f'a {kind}'} {self.limits or ''}".rstrip()

    def allows(self, value: Any) -> bool:
        """Return whether a value is such a number, or an array or a list of them."""
        if self.limits and (type(value) is int or (type(value) is float and not self.whole)):
            # Most calls, in no time. Whole numbers may be too large for any array.
            return value in self.limits and (type(value) is float or abs(value) < 2**63)
        limits = self.limits if is_known(value) else None
        return self.fits(value) and (limits is None or float(value) in limits)

    def is_beyond(self, value: Any) -> bool:
        """Return whether a value that is not allowed is a number beyond the limits."""
        return self.limits is not None and self.fits(value) and math.isfinite(value)

    def fits(self, value: Any) -> bool:
        """Return whether a value is of the right kind and shape, whatever its limits."""
        if not hasattr(value, "dtype"):
            if not is_known(value):
                return True  # a list of traced numbers
            value = _array(value)
        if hasattr(value, "tocsr") or not _has_axes(np.shape(value), self.axes.split()):
            return False
        kinds = (jnp.integer,) if self.whole else (jnp.integer, jnp.floating)
        return not np.size(value) or any(jnp.issubdtype(value.dtype, kind) for kind in kinds)


@dataclass(frozen=True)
class _Instances:
    """What a hint says of an object, or of a list of such objects."""

    kind: type
    listed: bool = False

    def allows(self, value: Any) -> bool:
        """Return whether a value is such an object, or a list of them."""
        if not self.listed:
            return isinstance(value, (bool, np.bool_) if self.kind is bool else self.kind)
        is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        return is_list and all(isinstance(each, self.kind) for each in value)

    def __str__(self) -> str:
        words = {bool: "True or False", str: "a text", type(None): "None", Callable: "a function"}
        name = self.kind.__name__
        if self.listed:
            return f"a list of {name}".removesuffix(" of object").replace(" str", " texts")
        return words.get(self.kind, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")


@cache
def _allowed(function: Callable[..., Any]) -> tuple[dict[str, tuple[Any, ...]], ...]:
    """Return what each argument may be, by its name: first of plain values, then of all others."""
    plain, other = {}, {}
    for name, each in inspect.signature(function).parameters.items():
        kinds = tuple(_kinds(each.annotation))
        if Any in kinds or each.kind == each.VAR_KEYWORD:
            continue
        if all(kind in (_BOOL, _NONE) or getattr(kind, "limits", None) for kind in kinds):
            plain[name] = kinds
            continue
        numbers = [_Numbers(kind.whole, kind.axes) for kind in kinds if isinstance(kind, _Numbers)]
        rest = [kind for kind in kinds if not isinstance(kind, _Numbers)]
        if numbers and {_NONE, _LIST}.issuperset(rest):
            rest = [kind for kind in rest if kind == _NONE]  # a sequence is a list of numbers
        other[name] = (*numbers, *rest)
    return plain, other


_NONE, _BOOL, _LIST = _Instances(type(None)), _Instances(bool), _Instances(object, listed=True)


def _kinds(hint: Any) -> Iterator[Any]:
    """Yield what a hint allows: `_Numbers`, `_Instances`, or `Any`."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        yield from (kind for each in inner for kind in _kinds(each))
    elif origin is Annotated:
        limited = {kind.whole for kind in _kinds(inner[0])}
        yield from (_Numbers(whole, limits=inner[1]) for whole in limited)
    elif hint in (int, float):
        yield _Numbers(hint is int, limits=Limits())
    elif hint is bool:
        yield _BOOL
    elif hasattr(hint, "dim_str"):  # of jaxtyping
        kind = hint.dtype.__name__
        yield Any if kind in ("Key", "Bool") else _Numbers(kind.startswith("Int"), hint.dim_str)
    elif origin in (Sequence, Iterable):
        yield _Instances(inner[0], listed=True) if _is_class(inner[0]) else _LIST
    elif hint not in (complex, np.number):
        yield _Instances(origin or hint) if _is_class(origin or hint) else Any


def _is_class(hint: Any) -> bool:
    """Return whether a hint is a class of records, texts or functions; protocols are not."""
    others = (Any, bool, int, float, inspect.Parameter.empty)
    is_protocol = getattr(hint, "_is_protocol", False)
    return isinstance(hint, type) and hint not in others and not is_protocol


def _array(value: Any) -> np.ndarray:
    """Return a value as an array; of objects, if it is no array of numbers."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError):
        return np.array(None)


def _has_axes(shape: tuple[int, ...], axes: list[str]) -> bool:
    """Return whether a shape has these axes, those with one name equally long."""
    if axes and axes[0] == "...":
        return True
    if axes and axes[0].startswith("*"):
        axes = axes[1:]
        shape = shape[-len(axes) :] if axes else ()
    sizes = dict(zip(axes, shape, strict=False))
    return len(shape) == len(axes) and all(
        sizes[axis] == size or axis == "_" for axis, size in zip(axes, shape, strict=True)
    )
