"""Transition matrices of moves that sometimes go astray."""

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array


def sparse_chains(next_states: Int[np.ndarray, "A S"], noise: float = 0.0) -> list[csr_array]:
    """Return one sparse transition matrix per move."""
    count, size = next_states.shape
    ones, starts = np.ones(size), np.arange(size + 1)
    certain = [csr_array((ones, ends, starts), shape=(size, size)) for ends in next_states]
    if not noise:
        return certain
    blurred = csr_array((size, size))
    for chain in certain:
        blurred = blurred + chain
    blurred = blurred * (1 / count)
    return [(1 - noise) * chain + noise * blurred for chain in certain]
