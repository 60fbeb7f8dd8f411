r"""Lengths that no tour can undercut, by linear programming (Dantzig, Fulkerson and Johnson 1954).

A tour leaves and enters every node once, and leaves every set of nodes at least once. Letting legs
be travelled in part, the cheapest way to do so is a linear program: its value is a lower bound,
and usually within a few percent of the shortest tour. There are too many sets to list, so the
program begins without them and is told of those that its last solution does not leave.
"""

from math import frexp, fsum, ldexp

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array, vstack
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_flow

from first_occupancy.planning.limits import CUT_SLACK, TOUR_PROGRAMS

_WHOLE = 10**6  # the flow search takes whole numbers


def shortest_possible(lengths: Float[np.ndarray, "M M"], known: float) -> float:
    """Return a lower bound on the length of every tour.

    A tour that is shorter than the known one has no leg that is longer than the known tour. So such
    legs are left out, and the others are scaled by its length. The tolerances of the solver affect
    how tight the bound is, but the bound holds anyway (`_proven`).

    Args:
        lengths: length of the leg from each node to each other; infinite if it cannot be made.
        known: length of a tour, from which the bound is not far if the tour is good.
    """
    from scipy.optimize import linprog  # here, because importing it takes .2 s

    count, exponent = len(lengths), frexp(known)[1]
    begins, ends = np.nonzero(~np.eye(count, dtype=bool) & (lengths <= known))
    parts = np.ldexp(lengths[begins, ends], -exponent)
    legs = np.arange(len(begins))
    once = [
        csr_array((np.ones(len(legs)), (each, legs)), (count, len(legs))) for each in (begins, ends)
    ]
    cuts: list[csr_array] = []
    bound = 0.0
    for _ in range(TOUR_PROGRAMS):
        left = {"A_ub": -vstack(cuts), "b_ub": -np.ones(len(cuts))} if cuts else {}
        found = linprog(
            parts,
            A_eq=vstack(once),
            b_eq=np.ones(2 * count),
            options={"dual_feasibility_tolerance": 1e-10},  # the smallest that is allowed
            **left,
        )
        if found.status != 0:
            break
        prices = np.concatenate([found.eqlin.marginals, np.maximum(-found.ineqlin.marginals, 0)])
        bound = max(bound, _proven(parts, vstack([*once, *cuts]), prices, begins))
        shares = csr_array((found.x, (begins, ends)), (count, count))
        new = [(inside[begins] & ~inside[ends]).astype(float) for inside in _sets_not_left(shares)]
        new = [cut for cut in new if cut @ found.x < 1 - CUT_SLACK]
        if not new:
            break
        cuts += [csr_array(cut[None]) for cut in new]
    return min(ldexp(bound, exponent), known)


def _proven(
    lengths: Float[np.ndarray, " L"],
    conditions: csr_array,
    prices: Float[np.ndarray, " C"],
    begins: Int[np.ndarray, " L"],
) -> float:
    """Return the bound that prices of the conditions prove, whatever solver made them.

    The excess of a leg is its length less the prices of the conditions that it counts towards. A
    tour meets every condition, so it is at least as long as all prices and the excesses of its legs
    together. It leaves each node by one leg, whose excess is at least the smallest there. Each sum
    is rounded once, and then down.
    """
    excess = np.full(conditions.shape[0], np.inf)
    paid = (conditions.multiply(prices[:, None])).tocsc()
    for leg, begin in enumerate(begins):
        terms = paid.data[paid.indptr[leg] : paid.indptr[leg + 1]]
        excess[begin] = min(excess[begin], fsum([lengths[leg], *-terms]))
    excess = np.nextafter(excess[np.isfinite(excess)], -np.inf)
    total = fsum([*prices, *excess, -np.finfo(float).tiny])  # parts below it are rounded, too
    return float(np.nextafter(total, -np.inf))


def _sets_not_left(shares: csr_array) -> list[Bool[np.ndarray, " M"]]:
    """Return sets of nodes that less than one leg leaves in all, if there are any."""
    shares.data[shares.data < 1e-7] = 0
    shares.eliminate_zeros()
    count, parts = connected_components(shares, connection="strong")
    if count > 1:
        return [parts == part for part in range(count)]
    capacity = csr_array(shares * _WHOLE).astype(np.int32)
    found, covered = [], np.zeros(shares.shape[0], bool)
    for node in range(1, shares.shape[0]):
        if covered[node]:
            continue
        inside = _side_of(capacity, node)
        if inside is not None:
            found.append(inside)
            covered |= inside
    return found


def _side_of(capacity: csr_array, node: int) -> Bool[np.ndarray, " M"] | None:
    """Return the nodes on this side of the narrowest cut to node 0; None if it is wide enough."""
    flow = maximum_flow(capacity, node, 0)
    if flow.flow_value >= _WHOLE * (1 - 1e-4):
        return None
    rest = capacity - flow.flow
    rest.data[rest.data < 0] = 0
    rest.eliminate_zeros()
    inside = np.zeros(capacity.shape[0], bool)
    inside[breadth_first_order(rest, node, return_predecessors=False)] = True
    return inside
