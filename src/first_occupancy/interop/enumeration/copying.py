"""How the state of an environment is saved and restored, so that every action can be tried in it.

| the environment | its state |
| --- | --- |
| has `get_state` and `set_state`, or `clone_state` and `restore_state` | what these return |
| MiniGrid | grid, agent and carried object (`minigrid_copies`) |
| has a table `P` and a state `s`, like Gymnasium's toy text | its plain attributes |
| any other | a deep copy of all of it |

Wrappers that may change what a step does have states of their own, so environments with such
wrappers are deep-copied as a whole.
"""

from collections.abc import Hashable
from copy import deepcopy
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._chance import inside, seed_all, states_of
from first_occupancy.interop.extras import gymnasium
from first_occupancy.interop.gym.table_checks import unknown_wrappers
from first_occupancy.interop.states import whole_key

PAIRS = (("get_state", "set_state"), ("clone_state", "restore_state"))
"""Names of methods with which environments save and restore their state."""


class Copies:
    """An environment that can be put back into any state it was in, by deep copies.

    Subclasses save and restore in faster ways.
    """

    restores_chance = True
    """Whether restoring a state also restores the environment's random numbers."""

    without_chance: tuple[str, ...] = ()
    """Names of large parts of the environment that hold no source of random numbers."""

    def __init__(self, environment: Any) -> None:
        self.environment = self._original = environment
        self.seen: Any = None

    @property
    def bare(self) -> Any:
        """The environment without wrappers."""
        return getattr(self.environment, "unwrapped", self.environment)

    def reset(self, seed: int) -> None:
        """Begin the episode of a seed, in the environment itself, which is no copy."""
        self.environment = self._original
        self.seen, _ = self.environment.reset(seed=seed)

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action, and return the reward and whether it terminated the episode."""
        self.seen, reward, terminated, _, _ = self.environment.step(action)
        return float(reward), bool(terminated)

    def save(self) -> Any:
        """Return the current state, to be restored later."""
        try:
            return deepcopy((self.environment, self.seen))
        # What cannot be copied: locks, generators, open files, the operating system's numbers.
        except (TypeError, NotImplementedError) as error:
            raise InputError(
                f"enumerate_copies: environment must be one that copy.deepcopy takes, but it says: "
                f"{error}; give it get_state and set_state, or pass Copies of your own"
            ) from error

    def restore(self, saved: Any) -> None:
        """Go back to a state; the saved one stays as it is."""
        self.environment, self.seen = deepcopy(saved)

    def whole(self) -> Hashable:
        """Return all that is known to tell states apart: here, the observation."""
        return whole_key(self.seen)

    def reseed(self, *numbers: int) -> None:
        """Make the environment's next random numbers those that belong to some numbers."""
        seed_all(self._sources(), *numbers)

    def position(self) -> Any:
        """Return the whole state of all sources of random numbers in the environment."""
        return states_of(self._sources())

    def _sources(self) -> list[Any]:
        bare = self.bare
        for holder in (bare, getattr(bare, "action_space", None)):
            getattr(holder, "np_random", None)  # Gymnasium makes it when it is asked for
        without = tuple(getattr(bare, name, None) for name in self.without_chance)
        return inside(self.environment, without)


class OwnCopies(Copies):
    """An environment with methods of its own that save and restore its state."""

    def __init__(self, environment: Any, names: tuple[str, str]) -> None:
        super().__init__(environment)
        self._names = names

    def save(self) -> Any:
        """Return what the environment's method returns, and the observation."""
        return getattr(self.bare, self._names[0])(), deepcopy(self.seen)

    def restore(self, saved: Any) -> None:
        """Go back to a state by the environment's method."""
        state, seen = saved
        getattr(self.bare, self._names[1])(state)
        self.seen = deepcopy(seen)


class ToyTextCopies(Copies):
    """An environment whose state is in plain attributes, such as the number `s`."""

    restores_chance = False
    without_chance = ("P",)

    def save(self) -> Any:
        """Return the attributes that are numbers, truth values, text or None."""
        plain = (int, float, bool, str, np.generic, type(None))
        parts = {name: part for name, part in vars(self.bare).items() if isinstance(part, plain)}
        return parts, self.seen

    def restore(self, saved: Any) -> None:
        """Set the attributes."""
        parts, self.seen = saved
        vars(self.bare).update(parts)

    def whole(self) -> Hashable:
        """Return the number of the state, as observations are."""
        return int(self.bare.s)


def copies_of(environment: Any) -> Copies:
    """Return the fastest way to save and restore the states of an environment that was reset."""
    # Imported here, because it is a subclass of what is defined above.
    from first_occupancy.interop.enumeration.minigrid_copies import MiniGridCopies, is_minigrid

    if isinstance(environment, Copies):
        return environment
    bare = getattr(environment, "unwrapped", environment)
    if unknown_wrappers(environment):
        return MiniGridCopies(environment) if _only_observes(environment) else Copies(environment)
    for names in PAIRS:
        if all(hasattr(bare, name) for name in names):
            return OwnCopies(bare, names)
    if is_minigrid(bare):
        return MiniGridCopies(environment)
    if hasattr(bare, "P") and hasattr(bare, "s"):
        return ToyTextCopies(bare)
    # The other wrappers only watch, or end episodes after some time.
    return Copies(bare)


def _only_observes(environment: Any) -> bool:
    """Return whether all wrappers of MiniGrid that are not known change only observations."""
    from first_occupancy.interop.enumeration.minigrid_copies import is_minigrid

    if gymnasium is None or not is_minigrid(getattr(environment, "unwrapped", environment)):
        return False
    kinds = []
    while hasattr(environment, "env"):
        if unknown_wrappers(environment) != unknown_wrappers(environment.env):
            kinds.append(isinstance(environment, gymnasium.ObservationWrapper))
        environment = environment.env
    return all(kinds)
