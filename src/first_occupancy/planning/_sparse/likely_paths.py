"""Legs along the most likely moves of a choice of base policies."""

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from first_occupancy.planning.limits import NOTHING


def likely_legs(
    moves: csr_array, choice: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
) -> Int[np.ndarray, " S"]:
    """Return where the leg from each state ends if every move is the most likely one.

    The leg ends in a goal, or where another policy is chosen. Where the most likely moves lead
    round in a circle the leg never ends: -1.

    Args:
        moves: where the choice leads from each state.
        choice: base policy to follow in every state; -1 for none.
    """
    from first_occupancy.planning._sparse.kernels import likely_steps

    states = np.arange(len(choice))
    ahead = likely_steps(moves.indptr, moves.indices, moves.data)
    goes_on = (choice[ahead] == choice) & (choice >= 0) & (ahead != states)
    last = np.where(goes_on, ahead, states)
    for _ in range(len(choice).bit_length()):
        onwards = last[last]
        if (onwards == last).all():
            break
        last = onwards
    ends = ahead[last]
    # A path that still goes on has not ended after S steps: it never does.
    subgoal = np.where(goes_on[last] | (ends == last) | (choice < 0), NOTHING, ends)
    subgoal[goals] = goals
    return subgoal.astype(np.int32)
