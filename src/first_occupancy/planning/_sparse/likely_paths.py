"""The plan over the most likely moves: where to begin in a stochastic world too large for FRs.

Each base policy is taken to lead, from every state, to its most likely next state. Shortest paths
over these moves need no S x S array, and the legs they are cut into are those that are followed
when nothing goes wrong.
"""

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array


def likely_steps(chains: list[csr_array]) -> Int[np.ndarray, "N S"]:
    """Return the most likely next state of each policy in each state; ties go to another state.

    A policy that most likely stays, but may leave, is taken to leave: it stays until it does.

    Args:
        chains: moves of each policy; a row without moves stays.
    """
    return np.stack([_likely(chain) for chain in chains])


def _likely(chain: csr_array) -> Int[np.ndarray, " S"]:
    size = chain.shape[0]
    moves = chain.tocoo()
    # Staying counts only where nothing else can happen.
    away = (moves.row != moves.col) & (moves.data > 0)
    rows, columns, weights = moves.row[away], moves.col[away], moves.data[away]
    # The last one written stays: that with the largest weight, then the first state.
    order = np.lexsort((-columns, weights, rows))
    steps = np.arange(size, dtype=np.int32)
    steps[rows[order]] = columns[order]
    return steps


def legs_along(
    choice: Int[np.ndarray, " S"], steps: Int[np.ndarray, "N S"], goals: Int[np.ndarray, " G"]
) -> Int[np.ndarray, " S"]:
    """Return where the leg from each state ends if every move is the most likely one.

    The leg ends in a goal, or where another policy is chosen. -1: it never does.

    Args:
        choice: base policy to follow in every state; -1 for none.
        steps: most likely next states of the policies.
        goals: states to arrive in.
    """
    states = np.arange(len(choice))
    ahead = np.where(choice >= 0, steps[np.maximum(choice, 0), states], states)
    # A step that changes nothing of the choice goes on; the first that does ends the leg.
    goes_on = (choice[ahead] == choice) & (choice >= 0)
    ends = np.where(goes_on, ahead, states)
    for _ in range(len(choice).bit_length()):
        ends = ends[ends]
    # `ends` is now the last state of the leg, or still on its way round a cycle.
    last = ahead[ends]
    fine = ~goes_on[ends] & (last != ends)
    subgoal = np.where(fine, last, -1)
    subgoal[goals] = goals
    subgoal[choice < 0] = -1
    subgoal[goals] = goals
    return subgoal
