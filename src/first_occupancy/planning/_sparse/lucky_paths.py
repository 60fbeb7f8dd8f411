r"""Where to begin in a stochastic world that is too large for FRs: the luckiest path.

Following policy n from s until it leaves leads to t with the expected discount $J_n(s, t)$, the
entry of its jump chain. So $\max_n J_n(s, t)$ is the best expected discount of going from s to t
and nowhere else, and the path that maximises the product of these is a shortest path with lengths
$-\log J_n$: Dijkstra's search, without any S x S array. Following the policies of that path,
whatever happens, arrives at least as soon in expectation.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._sparse.refinement import Moves
from first_occupancy.planning.limits import LUCKY_STEP, SHALLOW


class LuckyPaths(NamedTuple):
    """The luckiest path from every state.

    Attributes:
        choice: base policy that begins the path; -1 at goals and where no path leads there.
        logs: log of the expected discount of taking that path and no other.
        order: states that have a path, without the goals: the luckiest first, unless paths are so
            short that sweeps need no order, and memory is read fastest from end to end.
    """

    choice: Int[np.ndarray, " S"]
    logs: Float[np.ndarray, " S"]
    order: Int[np.ndarray, " R"]


def lucky_paths(moves: Moves, goals: Int[np.ndarray, " G"]) -> LuckyPaths:
    """Return the luckiest path to the goals from every state.

    Every state from which some sequence of the policies may arrive has one.
    """
    from first_occupancy.planning._sparse.kernels import luckiest_paths

    *arriving, shortest = moves.arriving
    found = luckiest_paths(*arriving, LUCKY_STEP * shortest, goals)
    choice, logs, order, moves_needed = found
    return LuckyPaths(choice, logs, np.sort(order) if moves_needed <= SHALLOW else order)
