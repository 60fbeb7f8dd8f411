"""How many threads to start, and how to give them the JAX settings of the current thread."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import jax


def processors() -> int:
    """Return how many processors this process may use, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def own_settings() -> Callable[[], AbstractContextManager[None]]:
    """Return a function whose context managers give other threads the current JAX settings.

    Settings made by `with jax.enable_x64()` and the like hold only in the thread that makes them.
    """
    settings = ("jax_enable_x64", "jax_numpy_rank_promotion")
    x64, promotion = (getattr(jax.config, name) for name in settings)

    @contextmanager
    def in_thread() -> Iterator[None]:
        with jax.enable_x64(x64), jax.numpy_rank_promotion(promotion):
            yield

    return in_thread
