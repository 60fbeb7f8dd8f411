"""Loops over arrays, compiled by Numba when they are first called and kept on disk.

Import the modules that hold such loops where they are used: Numba takes a while to import.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, compiled to machine code; other threads may run meanwhile.

    The plain function stays available as its `py_func`. Whatever checks arguments around the
    function is taken off, since only the function itself can be compiled.
    """
    return numba.njit(cache=True, nogil=True)(inspect.unwrap(function))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a helper of compiled functions whose code is copied into each of them.

    Arrays that are passed to another function are counted as used once more, which takes longer
    than what a helper of one state does.
    """
    return numba.njit(inline="always")(inspect.unwrap(function))
