"""Elimination of a few states, one by one, in a compiled loop."""

import numpy as np
from jaxtyping import Float

from first_occupancy.core.compiled import compiled


@compiled
def powers(
    within: Float[np.ndarray, "K K"],
    beyond: Float[np.ndarray, " K"],
    losses: Float[np.ndarray, " K"],
) -> tuple[Float[np.ndarray, "K K"], Float[np.ndarray, " K"]]:
    r"""Return $(I - A)^{-1}$ of moves A among K states, without subtraction, and what is lost.

    The diagonal of A is not read. The pivot of a state is the probability of leaving it: the sum of
    what leads to states not yet eliminated, what leads beyond, and what is lost. A state without
    pivot is never left: all is lost, and its row leads nowhere beyond.
    """
    count = len(within)
    moves, out, lost = within.copy(), beyond.copy(), losses.copy()
    sums = np.eye(count)
    for state in range(count):
        pivot = lost[state] + out[state]
        for other in range(state + 1, count):
            pivot += moves[state, other]
        if pivot == 0:
            lost[state] = pivot = 1.0
        moves[state] /= pivot
        sums[state] /= pivot
        out[state] /= pivot
        lost[state] /= pivot
        for other in range(count):
            into = moves[other, state]
            if other == state or into == 0:
                continue
            out[other] += into * out[state]
            lost[other] += into * lost[state]
            for column in range(state + 1, count):
                moves[other, column] += into * moves[state, column]
            for column in range(count):
                sums[other, column] += into * sums[state, column]
    return sums, lost
