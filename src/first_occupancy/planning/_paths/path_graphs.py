"""Deterministic policies as a graph, prepared once for planning to many goals."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from first_occupancy.core.errors import InputError, check_shape
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.representations.deterministic import checked

_EDGE_BYTES = 24
"""Peak memory of `path_graph` per edge: both directions, what is kept, and the weights."""


@dataclass(frozen=True, eq=False)
class PathGraph:
    """Deterministic policies, prepared once for planning to many goals.

    It is kept in host memory and cannot be passed to a `jit`-compiled function.

    Attributes:
        by_state: `by_state[s, n]` is `next_states[n, s]`, laid out so that the entries of a state
            are adjacent in memory.
        backwards: reversed graph: one edge t -> s for every s that some policy leads to another
            state t.
    """

    by_state: Int[np.ndarray, "S N"]
    backwards: csr_array

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.by_state.shape[0]


def path_graph(caller: str, next_states: Int[np.ndarray, "N S"]) -> PathGraph:
    """Return the graph of the policies' edges.

    Args:
        next_states: `next_states[n, s]` is the state to which policy n leads from s.
    """
    check_shape(caller, "next_states", next_states, "N S")
    count, size = np.shape(next_states)
    if count * size >= 2**31:
        raise InputError(
            f"{caller}: next_states must have fewer than 2**31 entries, got {count} x {size}"
        )
    needed = _EDGE_BYTES * count * size
    check_fits_on_host(caller, needed, instead="fewer policies or a part of the world")
    rows = np.ascontiguousarray(_checked_rows(caller, next_states).T, dtype=np.int32)
    moves = rows != np.arange(size, dtype=np.int32)[:, None]
    starts = np.append(0, np.cumsum(moves.sum(axis=1))).astype(np.int32)
    # int8 saves memory while the edges are reversed.
    forwards = csr_array((np.ones(starts[-1], np.int8), rows[moves], starts), shape=(size, size))
    turned = forwards.tocsc()
    # One edge where several policies lead to the same state: duplicates would multiply messages.
    turned.sum_duplicates()
    # SciPy's graph search needs float64, and would convert other types at every call.
    weights = np.ones(len(turned.indices))
    return PathGraph(rows, csr_array((weights, turned.indices, turned.indptr), shape=(size, size)))


def _checked_rows(caller: str, next_states: Int[np.ndarray, "N S"]) -> Int[np.ndarray, "N S"]:
    try:
        return checked(caller, next_states)
    except InputError as error:
        count, size = np.shape(next_states)
        # With more policies than states, the array is most likely transposed.
        turned = f"; it is [N S], a row for each policy, got [{count} {size}]"
        raise InputError(f"{error}{turned if count > size else ''}") from None
