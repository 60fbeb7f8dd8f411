"""Breadth-first search over the states of an environment that can be copied, on processes.

States are expanded in chunks, and results are taken in the order of the chunks, so the numbering is
the same whatever the number of processes.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import current_process, get_context
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._chance import outside, seed_all, states_of
from first_occupancy.interop.enumeration.copying import Copies
from first_occupancy.interop.extras import optional, require
from first_occupancy.interop.states import whole_key

cloudpickle: Any = optional("cloudpickle")
"""A dependency of Gymnasium; it takes functions that pickle refuses, such as lambdas."""

CHUNK = 64
"""Number of states that are expanded at a time, between reports of progress."""

FROZEN = 8
"""How many saved states are compared byte for byte before and after steps from them."""

RESTORED = 200
"""How many states are checked, before steps, to have the key that they were saved with."""

OTHERS = 2
"""How many further states with the key of a state are kept, to check that the key is enough."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """One kind of outcome of an action.

    Attributes:
        key: key of the next state.
        ended: whether the step terminated the episode.
        count: how many samples had this outcome.
        whole: all that is known to tell the next state apart.
        saved: the next state, to be restored; None if this process has sent it before.
    """

    key: Hashable
    ended: bool
    count: int
    whole: Hashable
    saved: Any


Expansion = list[tuple[float, list[Outcome]]]
"""For each action the mean reward, and the kinds of outcomes."""


@dataclass(eq=False)
class Expander:
    """Tries every action in a state; each process has one.

    Attributes:
        copies: environment that can be put back into any state.
        key: function from the environment to its key; None for all that is known.
        num_actions: number of actions.
        first: number of the environment's first action.
        samples: number of tries of each action that draws random numbers.
        seed: seed of these random numbers.
        sent: how often each key was returned with its state.
        watched: whether the environment's own sources of random numbers, and shared ones, are
            compared before and after each step.
    """

    copies: Copies
    key: Callable[[Any], Any] | None
    num_actions: int
    first: int
    samples: int
    seed: int
    sent: dict[Hashable, int] = field(default_factory=dict)
    watched: tuple[bool, bool] = field(init=False)

    def __post_init__(self) -> None:
        """Watch the sources that restoring a state sets back; others are compared per chunk."""
        self.watched = self.copies.restores_chance, False

    def key_now(self) -> Hashable:
        """Return the key of the current state."""
        if self.key is None:
            return self.copies.whole()
        return whole_key(self.key(self.copies.environment))

    def start(self, seed: int) -> Outcome:
        """Return the first state of the episode of a seed."""
        self.copies.reset(seed)
        return self._outcome(self.key_now(), False)

    def expand(self, number: int, saved: Any, key: Hashable) -> Expansion:
        """Return the outcomes of every action in a state.

        Raises:
            InputError: if a restored state is not the saved one, or steps change that.
        """
        before = _frozen(saved) if number < FROZEN else None
        self.copies.restore(saved)
        if number < RESTORED and self.key_now() != key:
            raise InputError(
                "enumerate_copies: a restored state must be the saved one, but its key differs; "
                "part of the state is not copied"
            )
        found = [self._tried(number, saved, action) for action in range(self.num_actions)]
        self.copies.restore(saved)
        if self.key_now() != key or (before is not None and _frozen(saved) != before):
            raise InputError(
                "enumerate_copies: a saved state must stay as it is, but steps change it in place; "
                "copy it where it is saved and where it is restored"
            )
        return found

    def _tried(self, number: int, saved: Any, action: int) -> tuple[float, list[Outcome]]:
        """Return the mean reward and the kinds of outcomes of an action in a state."""
        self.copies.restore(saved)
        before = self.chance(*self.watched)
        reward, ended = self.copies.step(self.first + action)
        if self.chance(*self.watched) == before:
            return reward, [self._outcome(self.key_now(), ended)]
        return self._sampled(number, saved, action)

    def _sampled(self, number: int, saved: Any, action: int) -> tuple[float, list[Outcome]]:
        if self.watched[1]:
            seed_all(outside(self.copies.environment), self.seed, number, action, self.samples)
        kinds: dict[tuple[Hashable, bool], Outcome] = {}
        counts: Counter[tuple[Hashable, bool]] = Counter()
        total = 0.0
        for sample in range(self.samples):
            self.copies.restore(saved)
            if sample == 0 or self.copies.restores_chance:
                self.copies.reseed(self.seed, number, action, sample)
            reward, ended = self.copies.step(self.first + action)
            total += reward
            kind = (self.key_now(), ended)
            counts[kind] += 1
            if kind not in kinds:
                kinds[kind] = self._outcome(*kind)
        outcomes = [replace(each, count=counts[kind]) for kind, each in kinds.items()]
        return total / self.samples, outcomes

    def chance(self, own: bool, shared: bool) -> tuple[Any, Any]:
        """Return states of sources of random numbers: the environment's own, and shared ones."""
        position = self.copies.position() if own else None
        return position, states_of(outside(self.copies.environment)) if shared else None

    def _outcome(self, key: Hashable, ended: bool) -> Outcome:
        whole = key if self.key is None else self.copies.whole()
        new = (key, ended, whole) not in self.sent and self.sent.get((key, ended), 0) <= OTHERS
        if new:
            self.sent[key, ended, whole] = 1
            self.sent[key, ended] = self.sent.get((key, ended), 0) + 1
        return Outcome(key, ended, 1, whole, self.copies.save() if new else None)


def _frozen(saved: Any) -> bytes | None:
    """Return the bytes of a saved state; None if it has none."""
    try:
        return pickle.dumps(saved)
    except Exception:  # whatever an environment holds that cannot be pickled
        return None


@dataclass(eq=False)
class Found:
    """All states, and where their actions lead.

    Attributes:
        keys: key of each state.
        saved: each state, to be restored.
        ended: whether each state ends an episode.
        parents: state and action from which each was first reached; None for starts.
        starts: first state of the episode of each seed.
        edges: state, action, next state and number of samples of each kind of transition.
        rewards: mean rewards of the actions in each state.
        others: further states with the key of a state.
        numbers: number of each pair of a key and whether it ends an episode.
        wholes: all that is known of the states that have the key of a state, a few for each.
    """

    keys: list[Hashable] = field(default_factory=list)
    saved: list[Any] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)
    parents: list[tuple[int, int] | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    rewards: dict[int, list[float]] = field(default_factory=dict)
    others: list[tuple[int, Any]] = field(default_factory=list)
    numbers: dict[tuple[Hashable, bool], int] = field(default_factory=dict)
    wholes: list[set[Hashable]] = field(default_factory=list)

    def add(self, met: Outcome, parent: tuple[int, int] | None) -> tuple[int, bool]:
        """Return the number of a state, and whether it is new."""
        number = self.numbers.get((met.key, met.ended))
        if number is None:
            number = self.numbers[met.key, met.ended] = len(self.keys)
            self.keys.append(met.key)
            self.saved.append(met.saved)
            self.ended.append(met.ended)
            self.parents.append(parent)
            self.wholes.append({met.whole})
            return number, True
        known = self.wholes[number]
        if met.saved is not None and met.whole not in known and len(known) <= OTHERS:
            known.add(met.whole)
            if not met.ended:
                self.others.append((number, met.saved))
        return number, False

    def path(self, number: int) -> tuple[int, list[int]]:
        """Return a start and the actions that lead from it to a state."""
        actions: list[int] = []
        while (parent := self.parents[number]) is not None:
            number, action = parent
            actions.append(action)
        return number, actions[::-1]


def search(
    expander: Expander,
    seeds: list[int],
    *,
    limit: int,
    processes: int,
    report: Callable[[int, int], None],
) -> Found:
    """Return all states that can be reached, and where their actions lead.

    Args:
        limit: upper bound on the number of states.
        processes: number of processes; 1 stays in this one.

    Raises:
        InputError: if there are more states than `limit`, or the environment cannot be sent to
            other processes.
    """
    found = Found()
    frontier = []
    for seed in seeds:
        number, new = found.add(expander.start(seed), None)
        found.starts.append(number)
        frontier += [number] if new else []
    with _pool(expander, processes) as expand_all:
        while frontier:
            chunks = [frontier[at : at + CHUNK] for at in range(0, len(frontier), CHUNK)]
            waiting, fresh = len(frontier), []
            tasks = [[(each, found.saved[each], found.keys[each]) for each in c] for c in chunks]
            for chunk, expansions in zip(chunks, expand_all(tasks), strict=True):
                for number, expansion in zip(chunk, expansions, strict=True):
                    fresh += _taken_in(found, number, expansion)
                    _check_limit(found, limit)
                waiting -= len(chunk)
                report(len(found.keys), waiting + len(fresh))
            frontier = fresh
    return found


def _taken_in(found: Found, number: int, expansion: Expansion) -> list[int]:
    fresh = []
    for action, (_, outcomes) in enumerate(expansion):
        for met in outcomes:
            ahead, new = found.add(met, (number, action))
            found.edges.append((number, action, ahead, met.count))
            if new and not met.ended:
                fresh.append(ahead)
    found.rewards[number] = [reward for reward, _ in expansion]
    return fresh


def _check_limit(found: Found, limit: int) -> None:
    if len(found.keys) <= limit:
        return
    parts = [key if isinstance(key, tuple) else (key,) for key in found.keys]
    width = min(len(part) for part in parts)
    sizes = [len({part[place] for part in parts}) for place in range(width)]
    most = int(np.argmax(sizes)) if sizes else 0
    what = f"part {most} of the key alone" if width > 1 else "the key"
    raise InputError(
        f"enumerate_copies: the world must have at most limit={limit} states, but "
        f"{len(found.keys)} were found and more are to come; {what} takes "
        f"{max(sizes, default=0)} values: leave out what does not matter with key=, or raise limit"
    )


Task = list[tuple[int, Any, Hashable]]

_GUARD = (
    "a script that uses several processes is imported by each of them: it must be a file, and call "
    'this function under if __name__ == "__main__":'
)


def expand_all(expander: Expander, task: Task) -> list[Expansion]:
    """Return the outcomes of every action in some states.

    Comparing sources of random numbers may take longer than a step. So those that restoring a state
    does not set back are compared once for all states. If one was drawn from, the states are
    expanded again, and from then on it is compared at each step.
    """
    before = expander.chance(True, True)
    found = [expander.expand(*each) for each in task]
    (own, shared), after = expander.watched, expander.chance(True, True)
    watched = own or before[0] != after[0], shared or before[1] != after[1]
    if watched == expander.watched:
        return found
    expander.watched = watched
    expander.sent.clear()  # what was found is sent again
    return [expander.expand(*each) for each in task]


@contextmanager
def _pool(expander: Expander, processes: int) -> Iterator[Callable[[list[Task]], Any]]:
    """Give a function that expands chunks of states in order; no process is left afterwards."""
    if processes == 1:
        yield partial(map, partial(expand_all, expander))
        return
    if getattr(current_process(), "_inheriting", False):
        # Python refuses to start processes here, and the pool would wait for them for ever.
        raise InputError(f"enumerate_copies: {_GUARD}")
    require("enumerate_copies", cloudpickle, "cloudpickle", "interop")
    try:
        packed = cloudpickle.dumps(expander)
    except Exception as error:
        raise InputError(
            "enumerate_copies: environment must be one that other processes can be sent, got "
            f"{type(error).__name__}: {error}; pass processes=1"
        ) from None
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _set_up, (packed,))
    try:
        yield partial(pool.map, _expand_there)
    except BrokenProcessPool:
        raise InputError(
            f"enumerate_copies: a process ended before its work was done; {_GUARD}"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_EXPANDERS: list[Expander] = []
"""The expander of a process that was started for a search."""


def _set_up(packed: bytes) -> None:
    _EXPANDERS.append(cloudpickle.loads(packed))


def _expand_there(task: Task) -> list[Expansion]:
    return expand_all(_EXPANDERS[-1], task)
