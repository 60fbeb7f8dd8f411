"""The legs of a choice of policies when every move is the most likely one."""

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from first_occupancy.planning.plans import NOTHING


def likely_legs(
    moves: csr_array, choice: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
) -> Int[np.ndarray, " S"]:
    """Return where the leg from each state ends if every move is the most likely one.

    The leg ends in a goal, or where another policy is chosen. A move that most likely stays, but
    may leave, is taken to leave, since it stays until it does. Where the most likely moves lead
    round in a circle the leg never ends: -1.

    Args:
        moves: moves of the choice; a row without moves stays.
        choice: base policy to follow in every state; -1 for none.
        goals: states to arrive in.
    """
    ahead = _likely_steps(moves)
    states = np.arange(len(choice))
    goes_on = (choice[ahead] == choice) & (choice >= 0) & (ahead != states)
    last = np.where(goes_on, ahead, states)
    for _ in range(len(choice).bit_length()):
        last = last[last]
    ends = ahead[last]
    # A path that still goes on has not ended after S steps: it never does.
    subgoal = np.where(goes_on[last] | (ends == last) | (choice < 0), NOTHING, ends)
    subgoal[goals] = goals
    return subgoal.astype(np.int32)


def _likely_steps(chain: csr_array) -> Int[np.ndarray, " S"]:
    moves = chain.tocoo()
    away = (moves.row != moves.col) & (moves.data > 0)
    rows, columns, weights = moves.row[away], moves.col[away], moves.data[away]
    # The last one written stays: that with the largest weight, then the first state.
    order = np.lexsort((-columns, weights, rows))
    steps = np.arange(chain.shape[0])
    steps[rows[order]] = columns[order]
    return steps
