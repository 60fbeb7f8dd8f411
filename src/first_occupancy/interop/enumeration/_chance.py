"""Where an environment has its random numbers from, and how to tell whether it drew any.

A source is a bit generator of NumPy, a `RandomState` or a `random.Random`. All of its state is
compared. A draw may use up what the last draw left over, half a word or a normal number, and leave
the counter as it is. (JAX environments, which are given keys, are looked at in `_jax_steps`.)
"""

import gc
import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

_SOURCES = (np.random.BitGenerator, np.random.RandomState, random.Random)
_IN_MODULES = (np.random.Generator, *_SOURCES)
_ELSEWHERE = (type, ModuleType)


def inside(holder: Any, without: tuple[Any, ...] = ()) -> list[Any]:
    """Return the sources that an object holds, however deep, but not those of its classes."""
    found, seen, ahead = [], {id(part) for part in without}, [holder]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, _ELSEWHERE):
            continue
        seen.add(id(thing))
        if isinstance(thing, _SOURCES):
            found.append(thing)
        elif not isinstance(thing, FunctionType):
            ahead += filter(gc.is_tracked, gc.get_referents(thing))  # numbers and text are not
        else:
            ahead += filter(None, (thing.__closure__, thing.__defaults__))
            module = thing.__globals__
            if id(module) not in seen:  # only what is a source itself
                seen.add(id(module))
                ahead += [part for part in module.values() if isinstance(part, _IN_MODULES)]
    return found


def outside(environment: Any) -> list[Any]:
    """Return the sources that an environment shares: global ones, its modules' and its classes'.

    Copies do not have their own, and nothing sets them back.
    """
    parts: list[Any] = []
    while environment is not None:
        for kind in type(environment).__mro__:
            parts += [part for name, part in vars(kind).items() if not name.startswith("__")]
        environment = getattr(environment, "env", None)
    shared = [np.random.random.__self__, random.random.__self__]  # pyrefly: ignore
    return shared + inside(parts)


def states_of(sources: list[Any]) -> list[Any]:
    """Return the whole states of sources, to be compared."""
    return [_comparable(_state_of(source)) for source in sources]


def _state_of(source: Any) -> Any:
    if isinstance(source, random.SystemRandom):
        return object()  # it has no state: any step may have drawn from it
    state = source.__getstate__()
    if isinstance(source, np.random.BitGenerator):
        return {**state[0], "seeds": getattr(state[1], "state", None)}
    return state


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: _comparable(part) for name, part in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def seed_all(sources: list[Any], *numbers: int) -> None:
    """Set sources to states that belong to some numbers, and in which nothing is kept."""
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
    kept = [
        (each, each.__getstate__()) for each in sources if type(each) is not random.SystemRandom
    ]
    try:
        yield
    finally:
        for source, state in kept:
            source.__setstate__(state)
