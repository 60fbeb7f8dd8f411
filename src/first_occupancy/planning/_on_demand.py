"""Numbers of states that are computed when they are read, in place of an array of all of them."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


class OnDemand(NDArrayOperatorsMixin):
    """One number for each state, computed for the states that are read.

    It passes for the array of all of them, which is made when something else is done with it.
    `read` returns the number of one state, or of all for None.
    """

    ndim = 1

    def __init__(self, size: int, dtype: Any, read: Callable[[int | None], Any]) -> None:
        self.shape, self.size, self.dtype, self._read = (size,), size, np.dtype(dtype), read
        self._all: jax.Array | None = None

    @property
    def array(self) -> jax.Array:
        """The numbers of all states."""
        if self._all is None:
            self._all = jax.device_put(np.asarray(self._read(None), self.dtype))
        return self._all

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[jax.Array]:
        return iter(self.array)

    def __getitem__(self, index: Any) -> Any:
        """Return one number without making the array, or whatever else is asked of it."""
        alone = isinstance(index, int | np.integer) and -self.size <= index < self.size
        if self._all is not None or not alone:
            return self.array[index]
        return self.dtype.type(self._read(int(index) % self.size))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the numbers of all states to NumPy."""
        return np.array(self.array, dtype, copy=copy)

    def __jax_array__(self) -> jax.Array:
        """Return the numbers of all states to JAX."""
        return self.array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Return what NumPy computes of the numbers of all states."""
        given = (np.asarray(each) if isinstance(each, OnDemand) else each for each in inputs)
        return getattr(ufunc, method)(*given, **options)

    def __getattr__(self, name: str) -> Any:
        """Return what the array of all states has under this name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.array, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the array."""
        return jax.device_put, (np.asarray(self.array),)


# Compiled functions get the array, and return it.
jax.tree_util.register_pytree_node(
    OnDemand, lambda numbers: ((numbers.array,), None), lambda _, leaves: leaves[0]
)


class Later:
    """Something that is made when an attribute of it is asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def made(self) -> Any:
        """The thing itself."""
        return self._make()

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the thing."""
        return getattr(self.made, name)


def made(thing: Any) -> Any:
    """Return a thing itself, made if it is to be made later."""
    return thing.made if isinstance(thing, Later) else thing


if TYPE_CHECKING:
    Numbers, HostNumbers = jax.Array, np.ndarray
else:
    # Arrays, or what passes for them where plans followed a change (`Planner.change`).
    Numbers, HostNumbers = jax.Array | OnDemand, np.ndarray | OnDemand


def on_host(numbers: Any) -> Any:
    """Return numbers on the host, where single ones are read in no time."""
    return numbers if isinstance(numbers, OnDemand) else np.asarray(numbers)
