"""Threads that compute as the one that began them does."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import jax

SETTINGS = ("jax_enable_x64", "jax_numpy_rank_promotion")


def own_settings() -> Callable[[], AbstractContextManager[None]]:
    """Return what gives another thread the settings of this one, for a block of code.

    Threads do not see what is set for a block, as in `with jax.enable_x64()`.
    """
    x64, promotion = (getattr(jax.config, name) for name in SETTINGS)

    @contextmanager
    def in_thread() -> Iterator[None]:
        with jax.enable_x64(x64), jax.numpy_rank_promotion(promotion):
            yield

    return in_thread
