"""Breadth-first search over the states of an environment that can be copied."""

import pickle
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._chance import outside, seed_all, states_of
from first_occupancy.interop.enumeration.copying import Copies
from first_occupancy.interop.states import whole_key

FROZEN = 8
"""How many saved states are compared byte for byte before and after steps from them."""

RESTORED = 200
"""How many states are checked, before steps, to have the key that they were saved with."""

OTHERS = 2
"""How many further states with the key of a state are kept, to check that the key is enough."""

Kind = tuple[Hashable, bool]
"""What tells outcomes apart: the key of the next state, and whether the step ended the episode."""


@dataclass(eq=False)
class Found:
    """All states, and where their actions lead.

    Attributes:
        numbers: number of each kind of outcome.
        saved: each state, to be restored.
        parents: state and action from which each was first reached; None for starts.
        starts: first state of the episode of each seed.
        edges: state, action, next state and number of samples of each kind of transition.
        rewards: mean rewards of the actions in each state.
        others: further states with the key of a state.
        wholes: all that is known of the states that have the key of a state, a few for each.
    """

    numbers: dict[Kind, int] = field(default_factory=dict)
    saved: list[Any] = field(default_factory=list)
    parents: list[tuple[int, int] | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    rewards: list[list[float]] = field(default_factory=list)
    others: list[tuple[int, Any]] = field(default_factory=list)
    wholes: list[set[Hashable]] = field(default_factory=list)

    @property
    def keys(self) -> list[Hashable]:
        """The key of each state."""
        return [key for key, _ in self.numbers]

    @property
    def ended(self) -> list[bool]:
        """Whether each state ends an episode."""
        return [ended for _, ended in self.numbers]

    def path(self, number: int) -> tuple[int, list[int]]:
        """Return a start and the actions that lead from it to a state."""
        actions: list[int] = []
        while (parent := self.parents[number]) is not None:
            number, action = parent
            actions.append(action)
        return number, actions[::-1]


@dataclass(eq=False)
class Expander:
    """Tries every action in a state.

    Attributes:
        copies: environment that can be put back into any state.
        key: function from the environment to its key; None for all that is known.
        num_actions: number of actions.
        first: number of the environment's first action.
        samples: number of tries of each action that draws random numbers.
        seed: seed of these random numbers.
        watched: whether the environment's own sources of random numbers, and shared ones, are
            compared before and after each step.
    """

    copies: Copies
    key: Callable[[Any], Any] | None
    num_actions: int
    first: int
    samples: int
    seed: int
    watched: tuple[bool, bool] = field(init=False)

    def __post_init__(self) -> None:
        """Watch the sources that restoring a state sets back."""
        self.watched = self.copies.restores_chance, False

    def key_now(self) -> Hashable:
        """Return the key of the current state."""
        if self.key is None:
            return self.copies.whole()
        return whole_key(self.key(self.copies.environment))

    def watching(self, work: Callable[[], Any]) -> Any:
        """Return the result of some work, done again if it drew from sources not watched so far.

        Comparing sources of random numbers may take longer than a step. So those that restoring a
        state does not set back are compared at each step only once some work drew from them.
        """
        before, (own, shared) = self._chance(True, True), self.watched
        result = work()
        after = self._chance(True, True)
        self.watched = own or before[0] != after[0], shared or before[1] != after[1]
        return result if self.watched == (own, shared) else self.watching(work)

    def expand(self, found: Found, number: int, key: Hashable) -> list[float]:
        """Return the mean reward of every action in a state, after adding their outcomes."""
        saved = found.saved[number]
        self.copies.restore(saved)
        if number < RESTORED and self.key_now() != key:
            raise InputError(
                "enumerate_copies: a restored state must be the saved one, but its key differs; "
                "part of the state is not copied"
            )
        before = _frozen(saved) if number < FROZEN else None
        rewards = []
        for action in range(self.num_actions):

            def met(kind: Kind, parent: tuple[int, int] = (number, action)) -> None:
                self.add(found, kind, parent)

            reward, counts = self.tried(number, saved, action, met)
            rewards.append(reward)
            found.edges += [(number, action, found.numbers[kind], n) for kind, n in counts.items()]
        self.copies.restore(saved)
        if self.key_now() != key or (before is not None and _frozen(saved) != before):
            raise InputError(
                "enumerate_copies: a saved state must stay as it is, but steps change it in place; "
                "copy it where it is saved and where it is restored"
            )
        return rewards

    def tried(
        self, number: int, saved: Any, action: int, met: Callable[[Kind], Any] = lambda kind: None
    ) -> tuple[float, Counter[Kind]]:
        """Return the mean reward of an action in a state, and how often it had each outcome.

        Args:
            met: called once with each kind of outcome, with the environment in that state.
        """
        self.copies.restore(saved)
        before = self._chance(*self.watched)
        reward, ended = self.copies.step(self.first + action)
        if self._chance(*self.watched) == before:
            kind = self.key_now(), ended
            met(kind)
            return reward, Counter([kind])
        if self.watched[1]:
            seed_all(outside(self.copies.environment), self.seed, number, action, self.samples)
        counts, total = Counter[Kind](), 0.0
        for sample in range(self.samples):
            self.copies.restore(saved)
            if sample == 0 or self.copies.restores_chance:
                self.copies.reseed(self.seed, number, action, sample)
            reward, ended = self.copies.step(self.first + action)
            total += reward
            kind = self.key_now(), ended
            if kind not in counts:
                met(kind)
            counts[kind] += 1
        return total / self.samples, counts

    def add(self, found: Found, kind: Kind, parent: tuple[int, int] | None) -> int:
        """Return the number of the environment's state, after adding it if it is new."""
        whole = kind[0] if self.key is None else self.copies.whole()
        number = found.numbers.setdefault(kind, len(found.saved))
        if number == len(found.saved):
            found.saved.append(self.copies.save())
            found.parents.append(parent)
            found.wholes.append({whole})
        elif whole not in found.wholes[number] and len(found.wholes[number]) <= OTHERS:
            found.wholes[number].add(whole)
            if not kind[1]:
                found.others.append((number, self.copies.save()))
        return number

    def _chance(self, own: bool, shared: bool) -> tuple[Any, Any]:
        """Return states of sources of random numbers: the environment's own, and shared ones."""
        position = self.copies.position() if own else None
        return position, states_of(outside(self.copies.environment)) if shared else None


def _frozen(saved: Any) -> bytes | None:
    """Return the bytes of a saved state; None if it has none."""
    try:
        return pickle.dumps(saved)
    except Exception:  # whatever an environment holds that cannot be pickled
        return None


def search(
    expander: Expander, seeds: list[int], *, limit: int, report: Callable[[int, int], None]
) -> Found:
    """Return all states that can be reached, and where their actions lead."""
    found, kinds = Found(), []
    for seed in seeds:
        expander.copies.reset(seed)
        found.starts.append(expander.add(found, (expander.key_now(), False), None))
    while len(kinds) < len(found.saved):
        kinds += list(found.numbers)[len(kinds) :]
        for number in range(len(found.rewards), len(kinds)):
            key, ended = kinds[number]
            nothing = [0.0] * expander.num_actions
            found.rewards.append(nothing if ended else expander.expand(found, number, key))
            _check_limit(found, limit)
        report(len(found.saved), len(found.saved) - len(kinds))
    return found


def _check_limit(found: Found, limit: int) -> None:
    if len(found.saved) <= limit:
        return
    parts = [key if isinstance(key, tuple) else (key,) for key in found.keys]
    width = min(len(part) for part in parts)
    sizes = [len({part[place] for part in parts}) for place in range(width)]
    most = int(np.argmax(sizes)) if sizes else 0
    what = f"part {most} of the key alone" if width > 1 else "the key"
    raise InputError(
        f"enumerate_copies: the world must have at most limit={limit} states, but "
        f"{len(found.saved)} were found and more are to come; {what} takes "
        f"{max(sizes, default=0)} values: leave out what does not matter with key=, or raise limit"
    )
