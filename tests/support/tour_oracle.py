"""Shortest tours without the library: dynamic programming, and integer programming beyond it."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import connected_components


def shortest_length(lengths):
    """Return the length of the shortest tour from node 0 through all nodes and back; or inf.

    Row `visited` of `ahead` holds, for each node, the length of the shortest way from it through
    all nodes that are not in the bit mask, and back to node 0. Full masks come first.
    """
    count = len(lengths) - 1
    between = lengths[1:, 1:]
    masks = np.arange(1 << count)
    sizes = np.bitwise_count(masks)
    ahead = np.full((1 << count, count), np.inf)
    ahead[-1] = lengths[1:, 0]
    for size in range(count - 1, 0, -1):
        visited = masks[sizes == size]
        for node in range(count):
            open_to = visited[(visited >> node) & 1 == 0]
            ways = ahead[open_to | (1 << node), node][:, None] + between[:, node]
            ahead[open_to] = np.minimum(ahead[open_to], ways)
    return float((lengths[0, 1:] + ahead[1 << np.arange(count), np.arange(count)]).min())


def shortest_known(lengths, known):
    """Return the length of the shortest tour that integer programming finds, or `known`.

    Any tour is an upper bound on the optimum, so what it refutes is refuted whatever tolerances
    the solver has. They are relative to the known tour, so the program is solved again with the
    tour that it finds, until that is no shorter.
    """
    while (found := _programmed(lengths, known)) < known:
        known = found
    return known


def _programmed(lengths, known):
    """Return the length of the tour that one integer program finds, at most `known`.

    Legs longer than a known tour are left out; sets that a solution does not leave are forbidden
    until there are none.
    """
    begins, ends = np.nonzero(~np.eye(len(lengths), dtype=bool) & (lengths <= known))
    once = np.stack([nodes == node for nodes in (begins, ends) for node in range(len(lengths))])
    limits = [LinearConstraint(once.astype(float), 1, 1)]
    costs = lengths[begins, ends] / (known or 1)
    while True:
        solution = milp(
            costs,
            constraints=limits,
            integrality=np.ones(len(costs)),
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0},
        )
        if solution.x is None:
            return known
        used = np.zeros(lengths.shape, bool)
        used[begins, ends] = solution.x > 0.5
        count, parts = connected_components(used)
        if count == 1:
            return min(known, float(lengths[used].sum()))
        cuts = [(parts[begins] == part) & (parts[ends] != part) for part in range(count)]
        limits.append(LinearConstraint(np.array(cuts, float), 1, np.inf))
