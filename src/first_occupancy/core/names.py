"""Names of states, actions and policies: shown where a number would be, and looked up by.

They are a static part of the records that carry them, so JAX hashes and compares them at every call
of a compiled function. A plain tuple of many strings would be gone through each time; `Names`
remembers its hash, and is first compared by identity.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from first_occupancy.core.errors import InputError


class Names(tuple[str, ...]):
    """A tuple of distinct strings, one for each of a number of things.

    >>> rooms = checked_names("MDP", "state_names", ["hall", "attic"], 2)
    >>> rooms.number_of("attic"), rooms == ("hall", "attic")
    (1, True)
    """

    _hash: int
    _numbers: dict[str, int]

    def __hash__(self) -> int:
        """Return the tuple's hash, computed once."""
        if "_hash" not in self.__dict__:
            self._hash = super().__hash__()
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Return whether the names are the same, in a glance for the same object."""
        return self is other or super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        """Return whether some name differs."""
        return not self == other

    def number_of(self, name: str) -> int:
        """Return the number of the thing with this name; raise `KeyError` if there is none."""
        if "_numbers" not in self.__dict__:
            self._numbers = {each: number for number, each in enumerate(self)}
        return self._numbers[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the hash behind when pickled: that of a string differs between processes."""
        return Names, (tuple(self),)


def checked_names(
    caller: str, what: str, names: Sequence[str] | None, count: int | None
) -> Names | None:
    """Return the names, or raise unless there are `count` distinct strings; None stays None."""
    if names is None or (isinstance(names, Names) and len(names) == count):
        return names
    if not isinstance(names, Sequence):
        raise InputError(f"{caller}: {what} must be a sequence of strings, got {type(names)}")
    if isinstance(names, str):  # a sequence too, of its letters
        raise InputError(
            f"{caller}: {what} must be a sequence of strings, got the one string {names!r}"
        )
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise InputError(
                f"{caller}: {what} must be strings with something in them, "
                f"got {name!r} at position {number}"
            )
    if count is not None and len(names) != count:
        raise InputError(f"{caller}: {what} must be {count} names, got {len(names)}")
    _check_distinct(caller, what, names)
    return Names(names)


def _check_distinct(caller: str, what: str, names: Sequence[str]) -> None:
    if len(set(names)) == len(names):
        return
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if name in first:
            places = f"{first[name]} and {number}"
            raise InputError(f"{caller}: {what} must differ, got {name!r} at positions {places}")
        first[name] = number


def look_up(caller: str, what: str, names: Names | None, name: str) -> int:
    """Return the number of the thing with this name; if there is none, say which is nearest."""
    if names is None:
        raise InputError(f"{caller}: {what}s must have names to be looked up by, but have none")
    try:
        return names.number_of(name)
    except (KeyError, TypeError):
        pass
    near = get_close_matches(name, names, n=1, cutoff=0.0) if isinstance(name, str) else []
    hint = f"; the nearest is {near[0]!r}" if near else ""
    raise InputError(f"{caller}: no {what} is named {name!r}{hint}")
