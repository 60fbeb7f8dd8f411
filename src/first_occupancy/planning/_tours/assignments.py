"""Good tours by SciPy's search for quadratic assignments, which needs no further package."""

import numpy as np
from jaxtyping import Float

from first_occupancy.planning.limits import TOUR_ATTEMPTS


def assigned_tour(lengths: Float[np.ndarray, "M M"]) -> list[int]:
    """Return the nodes of a good tour in order, without node 0; deterministic.

    A tour assigns nodes to the places of a cycle, so finding the best is a quadratic assignment
    problem, for which SciPy has a relaxation (FAQ) and an exchange search (2-opt).
    """
    from scipy.optimize import quadratic_assignment  # here, because importing it takes .2 s

    next_place = np.roll(np.eye(len(lengths)), 1, axis=1)
    start_first = np.array([[0, 0]])
    found = []
    for attempt in range(TOUR_ATTEMPTS):
        common = {"partial_match": start_first, "rng": np.random.default_rng(attempt)}
        if attempt == 0:
            begin = [0, *nearest_first(lengths)]
        else:
            relaxed = {**common, "P0": "randomized"}
            begin = quadratic_assignment(next_place, lengths, options=relaxed).col_ind
        guess = np.column_stack([np.arange(len(lengths)), begin])[1:]
        exchanged = {**common, "partial_guess": guess}
        found.append(quadratic_assignment(next_place, lengths, method="2opt", options=exchanged))
    shortest = min(found, key=lambda tour: tour.fun)
    return [int(node) for node in shortest.col_ind[1:]]


def nearest_first(lengths: Float[np.ndarray, "M M"]) -> list[int]:
    """Return the tour that always goes to the nearest unvisited node, without node 0."""
    order, left = [0], set(range(1, len(lengths)))
    while left:
        order.append(min(left, key=lambda node: lengths[order[-1], node]))
        left.remove(order[-1])
    return order[1:]
