"""How much memory there is, and the refusal of work that would not fit into it.

A process that asks for too much is killed after minutes, without a word. So whatever
grows faster than its input says beforehand what it will need.
"""

import os
import sys
from pathlib import Path

import jax

from first_occupancy.core.errors import InputError


def check_fits(caller: str, needed: int, *, instead: str) -> None:
    """Raise unless `needed` bytes are free where JAX computes; say what to use `instead`."""
    _refuse_beyond(where_jax_computes(), caller, needed, instead)


def check_fits_on_host(caller: str, needed: int, *, instead: str) -> None:
    """Raise unless `needed` bytes are free in the computer's memory, wherever JAX computes."""
    _refuse_beyond(on_host(), caller, needed, instead)


def where_jax_computes() -> int:
    """Return the bytes free on JAX's default device; a CPU has the computer's memory."""
    chosen = jax.config.jax_default_device  # pyrefly: ignore[missing-attribute]
    device = chosen or jax.local_devices()[0]
    # The default may be the name of a platform; and a CPU keeps no count of its own.
    counts = device.memory_stats() if isinstance(device, jax.Device) else None
    if not counts or "bytes_limit" not in counts:
        return on_host()
    return counts["bytes_limit"] - counts["bytes_in_use"]


def on_host() -> int:
    """Return the bytes a process may still use: what is free, or what its container allows."""
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
        return sys.maxsize  # Unknown, and better tried than refused.


def _allowed(folder: str, limit: str, usage: str) -> int:
    """Return what a container's limit leaves; files it has cached count as free."""
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
    """Return a number of bytes as people say it."""
    unit, scale = ("GiB", 2**30) if count >= 2**30 else ("MiB", 2**20)
    return f"{count / scale:.1f} {unit}"
