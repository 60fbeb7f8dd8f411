"""Which states a chain can reach, by search over its graph of transitions and not numerically."""

from graphlib import TopologicalSorter

import numpy as np
from jaxtyping import Bool, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def reachable_pairs(chain: csr_array) -> Bool[np.ndarray, "S S"]:
    """Return whether the chain can get from each state (row) to each state (column).

    States that can reach each other reach the same states. So the search goes over the strongly
    connected components: each reaches itself and all that its successors reach.
    """
    starts, ends = chain.nonzero()
    support = csr_array((np.ones(len(starts)), (starts, ends)), shape=chain.shape)
    count, component = connected_components(support, connection="strong")
    reached = _reached(count, component[starts], component[ends])
    return reached[component][:, component]


def _reached(
    count: int, starts: Int[np.ndarray, " E"], ends: Int[np.ndarray, " E"]
) -> Bool[np.ndarray, "C C"]:
    """Return which nodes reach which in a graph without cycles other than self-loops."""
    following: list[set[int]] = [set() for _ in range(count)]
    for start, end in np.unique(np.stack([starts, ends]), axis=1).T.tolist():
        if start != end:
            following[start].add(end)
    # Sets of nodes are stored as bits of integers, which makes unions fast.
    reached = [0] * count
    for node in TopologicalSorter(dict(enumerate(following))).static_order():
        reached[node] = 1 << node
        for end in following[node]:
            reached[node] |= reached[end]
    width = -(-count // 8)
    packed = np.frombuffer(b"".join(bits.to_bytes(width, "little") for bits in reached), np.uint8)
    bits = np.unpackbits(packed.reshape(count, width), axis=1, count=count, bitorder="little")
    return bits.astype(bool)
