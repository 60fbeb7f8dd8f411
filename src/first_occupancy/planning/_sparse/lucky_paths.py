r"""Where to begin in a stochastic world that is too large for FRs: the luckiest path.

Follow policy n in s until something happens: with probability $p_n(s, t) / (1 - p_n(s, s))$ it
leads to t, discounted by the time spent waiting in s. So

$$Q(s, t) = \max_n \frac{K_n(s, t)}{1 - K_n(s, s)}$$

is the best expected discount of going from s to t and nowhere else, and the path that maximises
the product of these is a shortest path with lengths $-\log Q$: Dijkstra's search, without any S x S
array. Following the policies of that path, whatever happens, arrives at least as soon in
expectation.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core.action_worlds import scaled_rows
from first_occupancy.planning.plans import NOTHING

STEP = 1e-9
"""Added to every length, so that undiscounted moves that cannot fail still take time."""


def lucky_choice(
    kernels: list[csr_array], goals: Int[np.ndarray, " G"]
) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return the base policy that begins the luckiest path from every state; -1 where none does.

    Every state from which some sequence of the policies may arrive has one.

    Args:
        kernels: discounted moves of each policy.
        goals: states to arrive in.

    Returns:
        The choice of policies, and the log of the expected discount of each path (less `STEP`
        for each of its moves).
    """
    away = [leaving(kernel) for kernel in kernels]
    best = away[0]
    for each in away[1:]:
        best = best.maximum(each)
    best = csr_array(best)
    lengths = csr_array((STEP - np.log(best.data), best.indices, best.indptr), shape=best.shape)
    backwards = csr_array(lengths.T)
    time, before, _ = dijkstra(backwards, indices=goals, min_only=True, return_predecessors=True)
    choice = np.full(best.shape[0], NOTHING, np.int32)
    states = np.flatnonzero(np.isfinite(time) & (before >= 0))
    if len(states):
        chances = [np.asarray(each[states, before[states]]).ravel() for each in away]
        choice[states] = np.argmax(chances, axis=0)
    choice[goals] = NOTHING
    return choice, -time


def leaving(kernel: csr_array) -> csr_array:
    """Return the expected discount of leaving each state for each other, staying until then.

    Args:
        kernel: discounted moves of a policy.
    """
    staying = kernel.diagonal()
    left: Float[np.ndarray, " S"] = np.maximum(1 - staying, np.finfo(float).tiny)
    moves = scaled_rows(kernel, np.where(staying < 1, 1 / left, 0)).tocoo()
    away = (moves.row != moves.col) & (moves.data > 0)
    entries = (np.minimum(moves.data[away], 1.0), (moves.row[away], moves.col[away]))
    return csr_array(entries, shape=kernel.shape)
