"""Other people's planners, each given the world in the form it likes."""

from collections.abc import Callable

import numpy as np
from quantecon.markov import DiscreteDP
from scipy import sparse

from first_occupancy.environments import Maze


def quantecon_vi(world: Maze, discount: float) -> Callable[[int], np.ndarray]:
    """Return a function from a goal to its values, by QuantEcon's value iteration.

    Transitions are sparse, one row for each state and action, and prepared beforehand. Arriving
    pays 1, and the goal itself nothing. The error must be below the least difference
    between two moves for the policy to be right everywhere, hence the `epsilon`.
    """
    actions, size = world.next_states.shape
    ahead = world.next_states.T.ravel()
    pairs = np.arange(size * actions)
    states = pairs // actions
    transition = sparse.csr_matrix((np.ones(len(pairs)), (pairs, ahead)), (len(pairs), size))

    def solve(goal: int) -> np.ndarray:
        reward = ((ahead == goal) & (states != goal)).astype(float)
        problem = DiscreteDP(reward, transition, discount, states, pairs % actions)
        return problem.solve(method="value_iteration", epsilon=1e-4, max_iter=5000).v

    return solve
