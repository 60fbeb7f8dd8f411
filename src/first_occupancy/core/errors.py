"""The one error that users cause, and the checks that raise it.

A check looks at values only when they are known: inside `jit` or `vmap` numbers are
traced and the check passes, because the caller outside has had the chance to look.
"""

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float


class InputError(ValueError):
    """Something the caller passed cannot be used; the message says what and why."""


def is_known(*values: object) -> bool:
    """Return whether all values are concrete, so that a check may look at them."""
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def check_discount(caller: str, discount: object) -> None:
    """Raise unless `discount` lies in [0, 1), also once rounded to JAX's precision."""
    if is_known(discount) and not 0 <= _number(discount, float) < 1:
        raise InputError(
            f"{caller}: discount must be at least 0 and below 1, got {_as_given(discount)}"
        )


def check_share(caller: str, what: str, value: object) -> None:
    """Raise unless `value` lies in [0, 1]."""
    if is_known(value) and not 0 <= _number(value, float) <= 1:
        raise InputError(
            f"{caller}: {what} must be at least 0 and at most 1, got {_as_given(value)}"
        )


def check_index(caller: str, what: str, value: object, size: int) -> None:
    """Raise unless `value` counts one of `size` things from 0."""
    if is_known(value) and not 0 <= _number(value, int) < size:
        raise InputError(f"{caller}: {what} must be in 0..{size - 1}, got {_as_given(value)}")


def check_indices(caller: str, what: str, values: ArrayLike, size: int) -> None:
    """Raise unless each of `values` counts one of `size` things from 0; name the first."""
    if not is_known(values):
        return
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{caller}: {what} must be whole numbers, got {array.dtype}")
    wrong = np.flatnonzero(~np.isin(array, np.arange(size)))
    if len(wrong):
        raise InputError(
            f"{caller}: {what} must be in 0..{size - 1}, "
            f"got {array.ravel()[wrong[0]]} at position {wrong[0]}"
        )


def check_key(caller: str, what: str, key: object) -> None:
    """Raise unless `key` is one random key, as `jax.random.key` makes, or the older `PRNGKey`."""
    dtype, shape = getattr(key, "dtype", None), getattr(key, "shape", ())
    if dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key):
        fine = shape == ()
    else:
        fine = dtype == jnp.uint32 and len(shape) == 1
    if not fine:
        got = f"an array of shape {list(shape)}" if shape else key
        raise InputError(f"{caller}: {what} must be jax.random.key(seed), got {got}")


def _as_given(value: object) -> object:
    """Return what shows a value: a string in quotes, for it may look like a number."""
    return repr(value) if isinstance(value, str) else value


def _number(value: object, kind: type) -> int | float:
    """Return a single number of a kind, as JAX will see it; NaN for anything else."""
    array = np.asarray(value)
    if array.shape != () or not np.can_cast(array.dtype, jnp.dtype(kind), "same_kind"):
        return np.nan
    return array.astype(jnp.result_type(kind)).item()


def check_range(
    caller: str, what: str, array: Float[Array, "..."], *, lowest: float, highest: float, are: str
) -> None:
    """Raise unless all entries lie between two numbers; `are` says what such entries are."""
    if not is_known(array):
        return
    # Not by the extremes: on CPUs the largest of many numbers may be one though another is NaN.
    within = _is_within(array, lowest, highest)
    if is_known(within) and not within:  # not known: known entries in someone's traced program
        entries = np.asarray(array)
        raise InputError(
            f"{caller}: {what} must hold {are}, got {entries.min():.6g} to {entries.max():.6g}"
        )


@jax.jit
def _is_within(
    array: Float[Array, "..."], lowest: ArrayLike, highest: ArrayLike
) -> Bool[Array, ""]:
    return ((array >= lowest) & (array <= highest)).all()


def check_shape(caller: str, what: str, array: ArrayLike, letters: str) -> None:
    """Raise unless the array has one axis per letter and equal letters agree.

    A first letter with a star, as in "*N S S", stands for any number of axes.

    >>> check_shape("solve", "chain", np.zeros((3, 4)), "S S")
    Traceback (most recent call last):
        ...
    first_occupancy.core.errors.InputError: solve: chain must have shape [S S], got [3 4]
    """
    whole, axes = np.shape(array), letters.split()
    starred = axes[0].startswith("*")
    axes = axes[1:] if starred else axes
    shape = whole[-len(axes) :] if starred else whole
    sizes = dict(zip(axes, shape, strict=False))
    if len(shape) != len(axes) or any(sizes[a] != n for a, n in zip(axes, shape, strict=True)):
        got = " ".join(map(str, whole))
        raise InputError(f"{caller}: {what} must have shape [{letters}], got [{got}]")
    if 0 in whole:
        raise InputError(f"{caller}: {what} must not be empty, got shape {list(whole)}")


SUM_TOLERANCE = 1e-5
"""How far a float32 row of probabilities may be from one."""


def check_probabilities(
    caller: str,
    what: str,
    array: ArrayLike,
    names: tuple[str, ...],
    *,
    labels: Mapping[str, Sequence[str] | None] | None = None,
) -> None:
    """Raise unless every last-axis row is a distribution; name the first row that is not.

    `names` says what the last leading axes are, as in ("state", "action"); axes before
    those count policies. `labels` holds the names of states and actions where they have some.
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
    """Return the number, with its name where it has one: "3 'attic'"."""
    return f"{number} {names[number]!r}" if names and 0 <= number < len(names) else str(number)
