r"""Where to begin in a stochastic world that is too large for FRs: the luckiest path.

Following policy n from s until it leaves leads to t with the expected discount $J_n(s, t)$, the
entry of its jump chain. So

$$Q(s, t) = \max_n J_n(s, t)$$

is the best expected discount of going from s to t and nowhere else, and the path that maximises
the product of these is a shortest path with lengths $-\log Q$: Dijkstra's search, without any S x S
array. Following the policies of that path, whatever happens, arrives at least as soon in
expectation.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.planning.limits import LUCKY_STEP, NOTHING
from first_occupancy.representations._solvers.jumps import Jumps


def lucky_choice(
    jumps: list[Jumps], goals: Int[np.ndarray, " G"]
) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return the base policy that begins the luckiest path from every state; -1 where none does.

    Every state from which some sequence of the policies may arrive has one.

    Returns:
        The choice of policies, and the log of the expected discount of each path.
    """
    best = jumps[0].moves
    for each in jumps[1:]:
        best = best.maximum(each.moves)
    best = csr_array(best)
    lengths = np.maximum(-np.log(best.data), 0)
    step = LUCKY_STEP * lengths[lengths > 0].min(initial=1.0)
    backwards = csr_array(csr_array((lengths + step, best.indices, best.indptr), best.shape).T)
    time, before, _ = dijkstra(backwards, indices=goals, min_only=True, return_predecessors=True)
    size = best.shape[0]
    choice, logs, ahead = np.full(size, NOTHING, np.int32), np.zeros(size), np.arange(size)
    states = np.flatnonzero(np.isfinite(time) & (before >= 0))
    if len(states):
        ahead[states] = before[states]
        chances = np.stack(
            [np.asarray(each.moves[states, ahead[states]]).ravel() for each in jumps]
        )
        choice[states] = chances.argmax(axis=0)
        logs[states] = np.log(chances.max(axis=0))
    choice[goals], logs[goals] = NOTHING, 0
    logs[np.isinf(time)] = -np.inf
    return choice, along(logs, ahead)


def along(logs: Float[np.ndarray, " S"], ahead: Int[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
    """Return the sum of the logs along each path; each round doubles the moves it covers.

    Args:
        logs: log of the expected discount of one move from each state; 0 where paths end.
        ahead: where that move leads; where paths end, the state itself.
    """
    onwards = ahead.take(ahead)
    while (onwards != ahead).any():
        logs, ahead = logs + logs.take(ahead), onwards
        onwards = ahead.take(ahead)
    return logs
