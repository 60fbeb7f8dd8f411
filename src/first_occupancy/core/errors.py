"""The error that invalid input raises, and the checks that raise it.

Checks look at concrete values only. Inside `jit` or `vmap` values are traced, and the check passes:
values are checked before they enter the compiled function.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Bool, Float, Num


class InputError(ValueError):
    """An argument that cannot be used; the message says which one and why."""


class NoStateError(InputError):
    """A state that a world does not have. Whoever asked the world for it names the argument."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"state {problem}")
        self.problem = problem


class PrecisionWarning(UserWarning):
    """A call whose result may be less accurate than `docs/accuracy.md` promises."""


LONGEST_SHOWN = 60
"""Characters of an argument that a message shows; of a longer one it shows the type."""

HIGHEST_DISCOUNTS = {4: 1 - 1e-4, 8: 1 - 1e-7}
"""Discounts up to which results are as accurate as documented, by the bytes of a float."""


def is_known(*values: object) -> bool:
    """Return whether all values are concrete rather than traced, so that they can be checked."""
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def check_discount(caller: str, discount: object) -> None:
    """Raise unless a discount lies in [0, 1), also after rounding to JAX's precision."""
    if is_known(discount) and not 0 <= _number(discount, float) < 1:
        raise InputError(
            f"{caller}: discount must be at least 0 and below 1, got {as_given(discount)}"
        )


def warn_of_discount(caller: str, discount: object, dtype: DTypeLike) -> None:
    """Warn if a discount is too near to 1 for the precision: rounding alone would move it far."""
    if not is_known(discount):
        return
    given, size = float(np.asarray(discount)), jnp.dtype(dtype).itemsize
    highest = HIGHEST_DISCOUNTS[max(size, 4)]
    # Rounding to single precision moves .9999 itself.
    if 1 - given >= (1 - highest) * (1 - 1e-3):
        return
    hint = '; jax.config.update("jax_enable_x64", True) allows up to 1 - 1e-7' if size <= 4 else ""
    message = (
        f"{caller}: results in {jnp.dtype(dtype).name} are only as accurate as documented for "
        f"discounts up to 1 - {1 - highest:.2g}, got 1 - {1 - given:.2g}{hint}"
    )
    warn_of_precision(message)


def warn_of_precision(message: str) -> None:
    """Give a `PrecisionWarning` that names the line of the user's code."""
    warn(message, PrecisionWarning)


def warn(message: str, category: type[Warning]) -> None:
    """Give a warning that names the line of the user's code."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_OURS = ("first_occupancy", "equinox", "jaxtyping", "beartype")


def check_share(caller: str, what: str, value: object) -> None:
    """Raise unless a number lies in [0, 1]."""
    if is_known(value) and not 0 <= _number(value, float) <= 1:
        raise InputError(
            f"{caller}: {what} must be at least 0 and at most 1, got {as_given(value)}"
        )


def check_index(caller: str, what: str, value: object, size: int) -> None:
    """Raise unless a number is a valid index."""
    if is_known(value) and not 0 <= _number(value, int) < size:
        raise InputError(f"{caller}: {what} must be in 0..{size - 1}, got {as_given(value)}")


def check_indices(caller: str, what: str, values: ArrayLike | Sequence[int], size: int) -> None:
    """Raise unless all numbers of an array are valid indices."""
    if not is_known(values):
        return
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{caller}: {what} must be whole numbers, got {array.dtype}")
    # The extremes take less time than a test of each number.
    if array.size and (array.min() < 0 or array.max() >= size):
        place = np.flatnonzero((array < 0) | (array >= size))[0]
        raise InputError(
            f"{caller}: {what} must be in 0..{size - 1}, "
            f"got {array.flat[place]} at position {place}"
        )


def check_states(
    caller: str, what: str, states: ArrayLike | Sequence[int], size: int, *, least: int = 0
) -> None:
    """Raise unless this is a list of states, of which there are `size`."""
    shape = np.shape(states)
    if len(shape) != 1 or shape[0] < least:
        raise InputError(f"{caller}: {what} must be a list of states, got shape {list(shape)}")
    check_indices(caller, what, states, size)


def check_key(caller: str, what: str, key: object) -> None:
    """Raise unless an argument is a single JAX random key."""
    dtype, shape = getattr(key, "dtype", None), getattr(key, "shape", ())
    if dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key):
        fine = shape == ()
    else:
        fine = dtype == jnp.uint32 and len(shape) == 1
    if not fine:
        raise InputError(f"{caller}: {what} must be jax.random.key(seed), got {as_given(key)}")


def as_given(value: object) -> str:
    """Return how a message shows a value: in one line, in a few words if it is long."""
    text = str(value) if hasattr(value, "dtype") else repr(value)
    if len(text) <= LONGEST_SHOWN and "\n" not in text and " at 0x" not in text:
        return text
    shape = getattr(value, "shape", None)
    return f"an array of shape {list(shape)}" if shape else type(value).__name__


def _number(value: object, kind: type) -> int | float:
    """Return a number converted to JAX's precision; NaN if it is not one number of this kind."""
    try:
        array = np.asarray(value)
    except ValueError:  # a list of lists that are not equally long
        return np.nan
    if array.shape != () or not np.can_cast(array.dtype, jnp.dtype(kind), "same_kind"):
        return np.nan
    return array.astype(jnp.result_type(kind)).item()


def check_range(
    caller: str, what: str, array: Float[Array, "..."], *, lowest: float, highest: float, are: str
) -> None:
    """Raise unless all entries of an array lie in a closed interval; NaN lies in none."""
    if not is_known(array):
        return
    # Minimum and maximum would not do: on CPUs they may ignore a NaN among many numbers.
    within = _is_within(array, lowest, highest)
    # Inside a caller's `jit` even concrete entries give a traced result.
    if is_known(within) and not within:
        entries = np.asarray(array)
        raise InputError(
            f"{caller}: {what} must hold {are}, got {entries.min():.6g} to {entries.max():.6g}"
        )


@jax.jit
def _is_within(
    array: Float[Array, "..."], lowest: ArrayLike, highest: ArrayLike
) -> Bool[Array, ""]:
    return ((array >= lowest) & (array <= highest)).all()


def check_finite(caller: str, what: str, array: Num[ArrayLike, "..."]) -> None:
    """Raise if an array is not traced and has an entry that is not finite; names the first."""
    if not is_known(array):
        return
    wrong = ~np.isfinite(np.asarray(array))
    if wrong.any():
        place = np.argwhere(wrong)[0].tolist()
        value = np.asarray(array)[tuple(place)]
        raise InputError(f"{caller}: {what} must be finite, got {value} at {place}")


def check_shape(
    caller: str, what: str, array: ArrayLike, letters: str, *, like: str = "", **known: int
) -> None:
    """Raise unless an array has one axis per letter, and axes with the same letter the same size.

    >>> check_shape("solve", "chain", np.zeros((3, 4)), "S S")
    Traceback (most recent call last):
        ...
    first_occupancy.core.errors.InputError: solve: chain must have shape [S S], got [3 4]

    Args:
        letters: letters of the axes, separated by spaces. A first letter with a star, as in
            "*N S S", stands for any number of axes.
        like: the argument whose sizes are known, for the message.
        known: sizes that letters must have.
    """
    whole, axes = np.shape(array), letters.split()
    starred = axes[0].startswith("*")
    axes = axes[1:] if starred else axes
    shape = whole[-len(axes) :] if starred else whole
    sizes = dict(zip(axes, shape, strict=False)) | known
    if len(shape) != len(axes) or any(sizes[a] != n for a, n in zip(axes, shape, strict=True)):
        wanted = ", ".join(f"{letter} = {size}" for letter, size in known.items())
        wanted = f" with {wanted}" if known else ""
        wanted += f" as in {like}" if like else ""
        got = " ".join(map(str, whole))
        raise InputError(f"{caller}: {what} must have shape [{letters}]{wanted}, got [{got}]")
    if 0 in whole:
        raise InputError(f"{caller}: {what} must not be empty, got shape {list(whole)}")


SUM_TOLERANCE = 1e-5
"""How far the sum of a row of probabilities may be from 1, wide enough for float32."""


def check_probabilities(
    caller: str,
    what: str,
    array: ArrayLike,
    names: tuple[str, ...],
    *,
    labels: Mapping[str, Sequence[str] | None] | None = None,
) -> None:
    """Raise unless every row along the last axis is a distribution, within `SUM_TOLERANCE`.

    Args:
        names: what the axes before the last one are, as in ("state", "action"), for the message.
            Axes before these are called policies.
    """
    if not is_known(array):
        return
    rows = np.asarray(array, dtype=np.float64)
    problems = (
        (~np.isfinite(rows).all(axis=-1), "is not finite"),
        ((rows < 0).any(axis=-1), "has a negative probability"),
        (np.abs(rows.sum(axis=-1) - 1) > SUM_TOLERANCE, "does not sum to one"),
    )
    for bad, complaint in problems:
        if bad.any():
            where = np.argwhere(bad)[0]
            row = rows[tuple(where)]
            axes = ("policy",) * (len(where) - len(names)) + names
            known = labels or {}
            place = ", ".join(
                f"{name} {shown(int(i), known.get(name))}"
                for name, i in zip(axes, where, strict=True)
            )
            worst = row.min() if np.isfinite(row).all() else row[~np.isfinite(row)][0]
            detail = f"sums to {row.sum():.6g}" if "sum" in complaint else f"has {worst:.6g}"
            place = f" at {place}" if place else ""
            raise InputError(f"{caller}: {what}{place} {complaint} ({detail})")


def shown(number: int, names: Sequence[str] | None) -> str:
    """Return how a message shows a state or action: its number, and its name if it has one.

    >>> shown(1, ["hall", "attic"]), shown(1, None)
    ("1 'attic'", '1')
    """
    return f"{number} {names[number]!r}" if names and 0 <= number < len(names) else str(number)
