"""Names of states, actions and policies, for display and for lookup.

They are static fields of records, so JAX hashes and compares them at every call of a compiled
function. With a plain tuple of many strings this takes time; `Names` caches its hash and compares
by identity first.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from first_occupancy.core.errors import InputError, as_given


class Names(tuple[str, ...]):
    """A tuple of distinct names, one for each state, action or policy.

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
        """Return whether the names are the same; for the same object this takes no time."""
        return self is other or super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def number_of(self, name: str) -> int:
        """Return the index of a name; raise `KeyError` if there is no such name."""
        if "_numbers" not in self.__dict__:
            self._numbers = {each: number for number, each in enumerate(self)}
        return self._numbers[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the hash, because hashes of strings differ between processes."""
        return Names, (tuple(self),)


def checked_names(
    caller: str, what: str, names: Sequence[str] | None, count: int | None
) -> Names | None:
    """Return names after checking them."""
    if names is None or (isinstance(names, Names) and len(names) == count):
        return names
    if not isinstance(names, Sequence):
        raise InputError(f"{caller}: {what} must be a sequence of strings, got {type(names)}")
    if isinstance(names, str):  # which is a sequence of letters
        raise InputError(
            f"{caller}: {what} must be a sequence of strings, got the one string {names!r}"
        )
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise InputError(
                f"{caller}: {what} must be non-empty strings, got {as_given(name)} "
                f"at position {number}"
            )
    if count is not None and len(names) != count:
        raise InputError(f"{caller}: {what} must be {count} names, got {len(names)}")
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if first.setdefault(name, number) != number:
            places = f"{first[name]} and {number}"
            raise InputError(
                f"{caller}: {what} must differ, got {as_given(name)} at positions {places}"
            )
    return Names(names)


def look_up(caller: str, what: str, names: Names | None, name: str) -> int:
    """Return the number of the state or action with a name."""
    if names is None:
        raise InputError(f"{caller}: {what}s must have names to be looked up, but have none")
    try:
        return names.number_of(name)
    except (KeyError, TypeError):
        pass
    near = get_close_matches(name, names, n=1, cutoff=0.0) if isinstance(name, str) else []
    hint = f"; the nearest is {near[0]!r}" if near else ""
    raise InputError(f"{caller}: no {what} is named {name!r}{hint}")
