"""Where the random numbers of an environment come from, and how to tell whether it drew any.

A source is a bit generator of NumPy, a `RandomState` or a `random.Random`. Its state is compared as
a whole: a draw may leave the counter as it is, and only use up half a word, or a normal number,
that was kept from the draw before.
"""

import gc
import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

_SOURCES = (np.random.BitGenerator, np.random.RandomState, random.Random)
_HOLD_ONE = (*_SOURCES, np.random.Generator)
_ELSEWHERE = (type, ModuleType)


def inside(holder: Any, without: tuple[Any, ...] = ()) -> list[Any]:
    """Return the sources that an object holds, however deep, but not those of its classes.

    Args:
        holder: environment.
        without: parts of it in which there are none.
    """
    found, seen, ahead = [], {id(part) for part in without}, [holder]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, _ELSEWHERE):
            continue
        seen.add(id(thing))
        if isinstance(thing, _SOURCES):
            found.append(thing)
        elif isinstance(thing, FunctionType):  # not its module
            ahead += [thing.__closure__, thing.__defaults__]
        else:
            ahead += gc.get_referents(thing)
    return found


def outside(environment: Any) -> list[Any]:
    """Return the sources that an environment shares: global ones, its modules' and its classes'.

    Copies do not have their own, and nothing sets them back.
    """
    shared = [np.random.random.__self__, random.random.__self__]  # pyrefly: ignore
    modules: dict[int, dict[str, Any]] = {}
    while environment is not None:
        for kind in type(environment).__mro__:
            members = list(vars(kind).values())
            shared += inside(members)
            codes = [part for part in members if isinstance(part, FunctionType)]
            modules.update({id(code.__globals__): code.__globals__ for code in codes})
        environment = getattr(environment, "env", None)
    for module in modules.values():
        shared += inside([part for part in module.values() if isinstance(part, _HOLD_ONE)])
    return list({id(source): source for source in shared}.values())


def states_of(sources: list[Any]) -> list[Any]:
    """Return the whole states of sources, to be compared."""
    return [_state_of(source) for source in sources]


def _state_of(source: Any) -> Any:
    if not _has_state(source):
        return object()  # any step may have drawn from it
    state = source.__getstate__()
    if isinstance(source, np.random.BitGenerator):
        numbers, seeds = state
        state = {**numbers, "seeds": getattr(seeds, "state", None)}
    return _comparable(state)


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: _comparable(part) for name, part in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _has_state(source: Any) -> bool:
    return not isinstance(source, random.SystemRandom)


def seed_all(sources: list[Any], *numbers: int) -> None:
    """Set sources to states that belong to some numbers, and in which nothing is kept.

    Args:
        sources: each gets random numbers of its own.
        numbers: not negative.
    """
    for source, seeds in zip(
        sources, np.random.SeedSequence(numbers).spawn(len(sources)), strict=True
    ):
        if isinstance(source, random.Random):
            source.seed(seeds.generate_state(8).tobytes())
        elif isinstance(source, np.random.RandomState):
            kind = getattr(np.random, source.get_state(legacy=False)["bit_generator"])
            source.set_state(np.random.RandomState(kind(seeds)).get_state(legacy=False))
        else:
            source.__setstate__(type(source)(seeds).__getstate__())


@contextmanager
def unchanged(sources: list[Any]) -> Iterator[None]:
    """Leave sources in the states that they have before."""
    kept = [(source, source.__getstate__()) for source in sources if _has_state(source)]
    try:
        yield
    finally:
        for source, state in kept:
            source.__setstate__(state)
