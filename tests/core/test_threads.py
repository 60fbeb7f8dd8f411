"""Threads compute as the one that began them does."""

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp

from first_occupancy.core.threads import own_settings, processors


def dtype_in_thread(context=None):
    """Return the precision in which another thread computes, inside a context or as it is."""

    def ask():
        if context is None:
            return jnp.ones(()).dtype
        with context():
            return jnp.ones(()).dtype

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(ask).result()


def test_settings_of_a_block_go_with_those_who_take_them_along():
    with jax.enable_x64(False):
        context = own_settings()
        assert dtype_in_thread() == jnp.float64  # what is set for a block stays in its thread
        assert dtype_in_thread(context) == jnp.float32
    assert dtype_in_thread(own_settings()) == jnp.float64


def test_there_is_a_processor_and_no_more_than_the_process_may_use(monkeypatch):
    assert processors() >= 1
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {2, 5, 7}, raising=False)
    assert processors() == 3
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert processors() == 1
