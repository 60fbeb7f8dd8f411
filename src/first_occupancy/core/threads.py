"""How many threads are worth starting, and how they compute as the one that began them does."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import jax

SETTINGS = ("jax_enable_x64", "jax_numpy_rank_promotion")


def processors() -> int:
    """Return how many processors this process may use, which can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def own_settings() -> Callable[[], AbstractContextManager[None]]:
    """Return a function that makes a context in which another thread has this one's settings.

    What is set for a block, as in `with jax.enable_x64()`, holds in the thread that set it only.
    """
    x64, promotion = (getattr(jax.config, name) for name in SETTINGS)

    @contextmanager
    def in_thread() -> Iterator[None]:
        with jax.enable_x64(x64), jax.numpy_rank_promotion(promotion):
            yield

    return in_thread
