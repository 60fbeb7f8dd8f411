"""How much memory is free, checks that a computation will fit, and the smallest type of numbers.

A process that needs too much memory is killed after minutes, without a message. So functions whose
memory grows faster than their input check it before they start.
"""

import os
import sys
from pathlib import Path

import jax
import numpy as np
from jaxtyping import Int

from first_occupancy.core.errors import InputError

ALWAYS_FITS = 2**20
"""Bytes that are taken without asking how much memory is free."""


def check_fits(caller: str, needed: int, *, instead: str) -> None:
    """Raise `InputError` unless a computation fits into the memory of JAX's default device."""
    _refuse_beyond(where_jax_computes(), caller, needed, instead)


def check_fits_on_host(caller: str, needed: int, *, instead: str) -> None:
    """Raise `InputError` unless a computation fits into the host's memory."""
    if needed > ALWAYS_FITS:  # Reading how much is free takes as long as a small plan.
        _refuse_beyond(on_host(), caller, needed, instead)


def where_jax_computes() -> int:
    """Return the bytes that are free on JAX's default device; for a CPU, on the host."""
    chosen = jax.config.jax_default_device  # pyrefly: ignore[missing-attribute]
    device = chosen or jax.local_devices()[0]
    # The default device may be the name of a platform, and a CPU has no memory statistics.
    counts = device.memory_stats() if isinstance(device, jax.Device) else None
    if not counts or "bytes_limit" not in counts:
        return on_host()
    return counts["bytes_limit"] - counts["bytes_in_use"]


def on_host() -> int:
    """Return the bytes this process may still allocate on the host, within its container limit."""
    return min(_free(), _allowed("", "memory.max", "memory.current"), _allowed(*_OLDER))


_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_OLDER = ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes")


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize  # Unknown: let the computation try.


def _allowed(folder: str, limit: str, usage: str) -> int:
    """Return the bytes left within the container's limit; cached files count as free."""
    here = _CONTROL_GROUPS / folder
    try:
        left = int((here / limit).read_text()) - int((here / usage).read_text())
        counts = dict(line.split() for line in (here / "memory.stat").read_text().splitlines())
        return left + int(counts.get("inactive_file", 0))
    except (OSError, ValueError):
        return sys.maxsize  # No container, or one without a limit ("max").


def _refuse_beyond(there: int, caller: str, needed: int, instead: str) -> None:
    if needed > there:
        raise InputError(
            f"{caller}: needs about {_size(needed)} of memory, but {_size(there)} are free; "
            f"use {instead} instead"
        )


def _size(count: int) -> str:
    """Return a number of bytes in MiB or GiB."""
    unit, scale = ("GiB", 2**30) if count >= 2**30 else ("MiB", 2**20)
    return f"{count / scale:.1f} {unit}"


def smallest(numbers: Int[np.ndarray, "*N"]) -> Int[np.ndarray, "*N"]:
    """Return whole numbers in the smallest signed type that holds them all."""
    # A signed type that holds -n - 1 holds n.
    least = min(int(numbers.min(initial=0)), -1 - int(numbers.max(initial=0)))
    return numbers.astype(np.min_scalar_type(least))
