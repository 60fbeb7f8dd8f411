r"""The FR without a discount: the probability that a chain ever reaches each state.

The visits to a recurrent state have no finite sum, so the chain is taken apart. From a recurrent
state all states of its class are reached for certain, and no others. Transient states visit each
other finitely often, $M = (I - P_{TT})^{-1}$, so between them $F(s, g) = M(s, g) / M(g, g)$ as
always. A recurrent class is reached as a whole or not at all, so each class needs one column.
"""

import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.sparse import Factors


def probabilities_to_arrive(
    chain: Float[np.ndarray, "S S"] | csr_array,
) -> Float[np.ndarray, "S S"]:
    """Return the probability that the chain ever reaches each state (column) from each (row).

    Rows may sum to less than one: with the rest of the probability the walk ends.

    Args:
        chain: transition matrix; what cannot be reached is exactly 0, what cannot be missed
            exactly 1.
    """
    rows = csr_array(chain, dtype=np.float64)
    size = rows.shape[0]
    count, classes = connected_components(rows, connection="strong")
    begins, ends = rows.nonzero()
    leaves = np.zeros(count, bool)
    leaves[classes[begins[classes[begins] != classes[ends]]]] = True
    # A class that loses probability is left too.
    lossy = np.flatnonzero(np.asarray(rows.sum(axis=1)) < 1 - 1e-12)
    leaves[classes[lossy]] = True
    transient = np.flatnonzero(leaves[classes])
    found = np.zeros((size, size))
    if len(transient):
        left, lost = rows[transient], np.zeros(size)
        lost[lossy] = 1 - np.asarray(rows.sum(axis=1))[lossy]
        exits = np.asarray(left[:, np.flatnonzero(~leaves[classes])].sum(axis=1)) + lost[transient]
        visits = Factors(left[:, transient], 1.0, exits=exits).columns(np.arange(len(transient)))
        found[np.ix_(transient, transient)] = visits / np.diagonal(visits)[None]
    for each in np.flatnonzero(~leaves):
        members = np.flatnonzero(classes == each)
        found[:, members] = arrivals(rows, members).values[:, None]
    for state in transient:
        sure = found[:, state] > 1 - 1e-9
        if sure.any():
            found[:, state] = arrivals(rows, np.array([state])).values
    np.fill_diagonal(found, 1)
    return np.clip(found, 0, 1)
