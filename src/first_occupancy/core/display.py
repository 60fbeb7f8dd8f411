"""How records show themselves: a few words in a terminal, a picture in a notebook.

A record that inherits `Displayed` writes its `_summary`. Pictures need matplotlib, which computing
code must not import. So `PAINTERS_HOME` is imported when the first picture is wanted. It lists
painters by the name of a class rather than the class itself: plotting also draws records of
packages that it does not import, such as logs.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import equinox as eqx
import jax
import numpy as np

from first_occupancy.core.errors import shown
from first_occupancy.core.names import Names

Painter = Callable[..., Any]
"""`painter(thing, ax, **options)` draws into the Axes, or into a new figure if `ax` is None, and
returns the figure."""

PAINTERS_HOME = "first_occupancy.plotting.painters"
"""The module that lists our painters."""

LARGEST_READ = 2**24
"""Entries up to which a summary reads an array: showing a record must not take seconds."""

MOST_LISTED = 6
"""How many names or numbers a summary lists."""


class Displayed:
    """A record with a short `repr` and, in notebooks, a picture.

    Subclasses write `_summary`. Where the arrays are not numbers that can be looked at (tracers
    inside `jit`, `jax.ShapeDtypeStruct`, donated buffers) or have further leading axes (`vmap`),
    the `repr` is equinox's list of fields.
    """

    def _summary(self) -> str | None:
        """Return the lines to show, or None if the record is better shown field by field."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the summary, or the fields and their shapes where there is none."""
        # Debuggers and error messages show records in any state, even half made: never raise.
        try:
            text = self._summary() if is_readable(self) else None
        except Exception:
            text = None
        return eqx.tree_pformat(self, truncate_leaf=_is_long) if text is None else text

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what Jupyter shows: the text, and a picture of records that can be read."""
        data, about = {"text/plain": repr(self)}, {}
        seen = is_readable(self) and self._summary() is not None
        painter = painter_of(self) if seen else None
        if painter is not None:
            data["image/png"], about["image/png"] = painter(self, None)._repr_png_()
        return data, about


def painter_of(thing: object) -> Painter | None:
    """Return the function that draws a thing, or None if there is none."""
    if not isinstance(thing, Displayed):
        return None
    painters: dict[str, Painter] = import_module(PAINTERS_HOME).PAINTERS
    names = (kind.__name__ for kind in type(thing).__mro__)
    return next((painters[name] for name in names if name in painters), None)


def is_readable(record: object) -> bool:
    """Return whether all leaves of a record are numbers that can be looked at now."""
    leaves = [] if jax.tree_util.all_leaves([record]) else jax.tree.leaves(record)
    return all(_is_number(leaf) for leaf in leaves)


def _is_long(node: object) -> bool:
    """Return whether these are names that would fill the screen."""
    return isinstance(node, Names) and len(node) > MOST_LISTED


def _is_number(leaf: object) -> bool:
    if isinstance(leaf, jax.core.Tracer):
        return False
    if isinstance(leaf, jax.Array):
        return leaf.is_fully_addressable and not leaf.is_deleted()
    return isinstance(leaf, np.ndarray | np.generic | float | int)


def count(number: int, what: str) -> str:
    """Return a number of things in words.

    >>> count(1, "state"), count(12000, "state")
    ('1 state', '12,000 states')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def listed(things: Sequence[object]) -> str:
    """Return the things in one line, leaving out the middle of many.

    >>> listed("abcdefgh")
    'a, b, c, d, e, ... h'
    """
    if len(things) <= MOST_LISTED:
        return ", ".join(map(str, things))
    return ", ".join(map(str, things[: MOST_LISTED - 1])) + f", ... {things[-1]}"


def numbered_names(numbers: Sequence[int] | np.ndarray, names: Sequence[str] | None) -> str:
    """Return states or policies in one line, each with its name where it has one.

    >>> numbered_names([0, 2], ["hall", "cellar", "attic"])
    "0 'hall', 2 'attic'"
    """
    # Only those that are listed are looked up: there may be millions.
    kept = [*numbers] if len(numbers) <= MOST_LISTED else [*numbers[:MOST_LISTED], numbers[-1]]
    return listed([shown(int(number), names) for number in kept])


def span(values: np.ndarray) -> str:
    """Return the smallest, the largest and the mean of some numbers."""
    if not len(values):
        return "none"
    low, high = float(values.min()), float(values.max())
    if low == high:
        return f"{low:.3g}"
    return f"{low:.3g} to {high:.3g}, mean {float(values.mean()):.3g}"
