"""The shortest tour, by Held and Karp's recursion over subsets: $2^n n^2$ steps."""

import numpy as np
from jaxtyping import Float


def shortest_tour(lengths: Float[np.ndarray, "M M"]) -> list[int]:
    """Return the nodes of the shortest tour in order, without node 0; [] if there is no tour.

    Row `subset` of `best` holds, for each node in it, the length of the shortest path from node 0
    that visits the subset and ends there. Subsets are bit masks, processed in order of size.
    """
    first, between, last = lengths[0, 1:], lengths[1:, 1:], lengths[1:, 0]
    count = len(first)
    masks = np.arange(1 << count)
    sizes = np.bitwise_count(masks)
    best = np.full((1 << count, count), np.inf)
    before = np.full((1 << count, count), -1, dtype=np.int8)
    best[1 << np.arange(count), np.arange(count)] = first
    for size in range(1, count):
        subsets = masks[sizes == size]
        for node in range(count):
            open_subsets = subsets[(subsets >> node) & 1 == 0]
            ways = best[open_subsets] + between[:, node][None, :]
            grown = open_subsets | (1 << node)
            best[grown, node] = ways.min(axis=1)
            before[grown, node] = ways.argmin(axis=1)
    subset = (1 << count) - 1
    closed = best[subset] + last
    if closed.min() == np.inf:
        return []
    order = [int(closed.argmin())]
    while len(order) < count:
        previous = int(before[subset, order[-1]])
        subset &= ~(1 << order[-1])
        order.append(previous)
    return [node + 1 for node in order[::-1]]
