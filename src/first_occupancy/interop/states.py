"""From observations to numbered states, the indices of tables, plans and FRs.

There is a numbering for each kind of observation:

    states_of(environment)    Discrete: already a number
    KeyedStates(key)          any kind: each new key becomes a new state

Each is a callable from an observation to the number of its state. A key that rounds makes states of
continuous observations: `KeyedStates(lambda seen: tuple(np.floor(seen / 0.1)))`. `KeyedStates`
grows as `add` is called with new observations; called directly, it accepts only keys seen before.
`add_all` numbers the observations of a log:

    numbers = states.add_all(observations)            # the T + 1 observations of one episode
    log = transition_log(numbers[:-1], numbers[1:], actions)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from jaxtyping import Array, Int

from first_occupancy.core.errors import InputError
from first_occupancy.interop.gym.toy_names import state_names


class States(ABC):
    """A numbering of observations: a callable from an observation to the number of its state."""

    @property
    @abstractmethod
    def num_states(self) -> int:
        """S, the number of states, or of those seen so far."""

    @abstractmethod
    def __call__(self, observation: Any) -> int:
        """Return the state of an observation."""

    @abstractmethod
    def observation(self, state: int) -> Any:
        """Return a representative observation of a state."""

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the states, if any."""
        return None

    def add(self, observation: Any) -> int:
        """Return the state of an observation, adding a new state if the numbering can grow."""
        return self(observation)

    def add_all(self, observations: Any) -> Int[np.ndarray, " B"]:
        """Return the states of logged observations, numbered by `add` in order.

        These are a list, an array with one observation per row, or a dictionary of such arrays.
        """
        if isinstance(observations, Mapping):
            observations = unstacked(observations)
        return np.array([self.add(observation) for observation in observations], int)

    def at_end(self, observation: Any) -> int:
        """Return the state of an observation with which an episode terminated."""
        return self(observation)


class DiscreteStates(States):
    """Observations that are already the numbers of states.

    Args:
        names: names of the states, if any.

    >>> DiscreteStates(6)(np.int64(4))
    4
    """

    def __init__(
        self, num_states: int, first: int = 0, *, names: Sequence[str] | None = None
    ) -> None:
        self._num_states, self._first, self._names = num_states, first, names

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self._num_states

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the states, if any."""
        return self._names

    def __call__(self, observation: Any) -> int:
        """Return the observation, counted from 0."""
        number = np.asarray(observation)
        if number.size != 1 or number.dtype.kind not in "iu":
            raise InputError(
                f"DiscreteStates: observation must be a single integer, got {observation!r}"
            )
        state = int(number.reshape(())) - self._first
        if not 0 <= state < self._num_states:
            last = self._first + self._num_states - 1
            raise InputError(
                f"DiscreteStates: observation must be in {self._first}..{last}, got {observation}"
            )
        return state

    def observation(self, state: int) -> int:
        """Return the environment's observation in a state."""
        return state + self._first


class KeyedStates(States):
    """States identified by a key, and numbered in the order in which they are first seen.

    Args:
        key: function from an observation to a hashable key, for example to drop irrelevant parts
            or to round. None uses the whole observation (`whole_key`).

    >>> states = KeyedStates(key=lambda observation: observation["cell"])
    >>> [states.add({"cell": cell, "time": time}) for time, cell in enumerate("abac")]
    [0, 1, 0, 2]
    >>> states.keys
    ['a', 'b', 'c']
    """

    def __init__(self, key: Callable[[Any], Hashable] | None = None) -> None:
        self._key = whole_key if key is None else key
        self._numbers: dict[Hashable, int] = {}
        self._observations: list[Any] = []

    @property
    def num_states(self) -> int:
        """S, the number of states seen so far."""
        return len(self._numbers)

    @property
    def keys(self) -> list[Hashable]:
        """The key of every state."""
        return list(self._numbers)

    @property
    def names(self) -> Sequence[str] | None:
        """The keys as text, or None if two keys have the same text."""
        texts = [key if isinstance(key, str) and key else repr(key) for key in self._numbers]
        return texts if len(set(texts)) == len(texts) else None

    def add(self, observation: Any) -> int:
        """Return the state of an observation; a key not seen before becomes a new state."""
        state = self._numbers.setdefault(self._key_of(observation), len(self._numbers))
        if state == len(self._observations):
            # Copied, because some environments reuse the array they returned.
            self._observations.append(deepcopy(observation))
        return state

    def __call__(self, observation: Any) -> int:
        """Return the state of an observation whose key was seen before."""
        return self.number(self._key_of(observation))

    def number(self, key: Hashable) -> int:
        """Return the state with this key."""
        if key not in self._numbers:
            raise InputError(
                f"KeyedStates: key must be one of the {self.num_states} seen before, got {key!r}; "
                "explore more"
            )
        return self._numbers[key]

    def observation(self, state: int) -> Any:
        """Return the first observation of a state."""
        return self._observations[state]

    def _key_of(self, observation: Any) -> Hashable:
        key = self._key(observation)
        try:
            hash(key)
        except TypeError:
            raise InputError(
                f"KeyedStates: key must return a hashable value, such as a tuple, got {type(key)}"
            ) from None
        return key


def states_of(environment: Any) -> DiscreteStates:
    """Return the states of an environment whose observations are Discrete."""
    # Imported here, because reading logs uses this module and must not load Gymnasium.
    from first_occupancy.interop.extras import check_environment, gymnasium, require

    require("states_of", gymnasium, "Gymnasium", "interop")
    check_environment("states_of", environment, ["observation_space"])
    space = environment.observation_space
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise InputError(
            f"states_of: needs an environment with Discrete observations, got {space}; "
            "use KeyedStates(key) with a key that rounds, or fo.landmark_world(log)"
        )
    size = int(space.n)
    return DiscreteStates(size, int(space.start), names=state_names(environment, size))


def unstacked(observations: Any) -> list[Any]:
    """Return the observations of a batch; dictionaries and tuples are batched part by part.

    >>> unstacked({"cell": np.array([3, 4]), "seen": ([1, 2], ["a", "b"])})
    [{'cell': np.int64(3), 'seen': (1, 'a')}, {'cell': np.int64(4), 'seen': (2, 'b')}]
    """
    if not isinstance(observations, Mapping | tuple):
        return list(observations)
    keyed = isinstance(observations, Mapping)
    parts = [unstacked(part) for part in (observations.values() if keyed else observations)]
    if len({len(part) for part in parts}) > 1:
        raise InputError(
            "unstacked: all parts of observations must have the same length, "
            f"got {' and '.join(str(len(part)) for part in parts)}"
        )
    rows = zip(*parts, strict=True)
    return [dict(zip(observations, row, strict=True)) for row in rows] if keyed else list(rows)


def whole_key(observation: Any) -> Hashable:
    """Return a key that differs when any part of the observation does.

    >>> whole_key({"image": np.zeros(2, int), "mission": "go"})
    (('image', ((2,), (0, 0))), ('mission', 'go'))
    """
    if isinstance(observation, Mapping):
        return tuple((name, whole_key(observation[name])) for name in sorted(observation))
    if isinstance(observation, tuple | list):
        return tuple(map(whole_key, observation))
    if isinstance(observation, np.generic | np.ndarray | Array):
        array = np.asarray(observation)
        numbers = array.ravel().tolist()
        if array.dtype.kind == "O" or (array.dtype.kind == "f" and np.isnan(array).any()):
            numbers = map(whole_key, numbers)
        return (array.shape, tuple(numbers)) if array.ndim else next(iter(numbers))
    is_nan = isinstance(observation, float) and observation != observation
    return NO_NUMBER if is_nan else observation


NO_NUMBER = "nan"
"""Replaces NaN in keys: NaN is not equal to itself, but two observations with NaN are the same."""
