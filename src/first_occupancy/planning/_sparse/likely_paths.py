"""Paths and legs along the most likely moves of base policies."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.planning.plans import NOTHING


class LikelyPaths:
    """Where each base policy most likely leads, prepared once for many goals.

    Args:
        kernels: discounted moves of each policy.
    """

    def __init__(self, kernels: list[csr_array]) -> None:
        self.kernels = kernels
        self.steps = np.stack([likely_steps(kernel) for kernel in kernels])

    @cached_property
    def _chances(self) -> Float[np.ndarray, "N S"]:
        """The expected discount of each likely move, staying until it happens."""
        states, found = np.arange(self.steps.shape[1]), []
        for kernel, steps in zip(self.kernels, self.steps, strict=True):
            chance = np.asarray(kernel[states, steps]).ravel()
            chance[steps == states] = 0
            left = np.maximum(1 - kernel.diagonal(), np.finfo(float).tiny)
            found.append(np.minimum(chance / left, 1))
        return np.stack(found)

    @cached_property
    def _backwards(self) -> csr_array:
        count, size = self.steps.shape
        begins = np.tile(np.arange(size, dtype=np.int32), count)
        ends = self.steps.astype(np.int32).ravel()
        # SciPy's search needs float64, and would convert other types at every call.
        return csr_array((np.ones(len(ends)), (ends, begins)), (size, size))

    def shortest(self, goal: int) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"]] | None:
        """Return the path of fewest likely moves from every state to a goal.

        Args:
            goal: state to arrive in.

        Returns:
            The base policy that begins each path, and the log of the expected discount of taking
            that path and no other; None if likely moves do not lead there from every state.
        """
        size = self.steps.shape[1]
        order, ahead = breadth_first_order(self._backwards, goal)
        if len(order) < size:
            return None
        ahead = ahead.astype(np.intp)
        ahead[goal] = goal
        chances = np.where(self.steps == ahead, self._chances, 0)
        choice = chances.argmax(axis=0).astype(np.int32)
        with np.errstate(divide="ignore"):
            logs = np.log(chances.max(axis=0))
        choice[goal], logs[goal] = NOTHING, 0
        # Each round joins every path to the one behind it, which doubles the moves covered.
        while (ahead != goal).any():
            logs, ahead = logs + logs.take(ahead), ahead.take(ahead)
        return choice, logs

    def legs(
        self, choice: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> Int[np.ndarray, " S"]:
        """Return where the leg from each state ends if every move is the most likely one.

        Args:
            choice: base policy to follow in every state; -1 for none.
            goals: states to arrive in.
        """
        states = np.arange(len(choice))
        ahead = np.where(choice >= 0, self.steps[choice, states], states)
        return likely_legs(ahead, choice, goals)


def likely_legs(
    ahead: Int[np.ndarray, " S"], choice: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
) -> Int[np.ndarray, " S"]:
    """Return where the leg from each state ends if every move is the most likely one.

    The leg ends in a goal, or where another policy is chosen. Where the most likely moves lead
    round in a circle the leg never ends: -1.

    Args:
        ahead: where the choice most likely leads from each state (`likely_steps`).
        choice: base policy to follow in every state; -1 for none.
        goals: states to arrive in.
    """
    states = np.arange(len(choice))
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


def likely_steps(chain: csr_array) -> Int[np.ndarray, " S"]:
    """Return where each state most likely leads; of equally likely states the first.

    A move that most likely stays, but may leave, is taken to leave, since it stays until it does.
    A state without moves stays.

    Args:
        chain: moves, discounted or not.
    """
    size = chain.shape[0]
    if not chain.has_sorted_indices:
        chain = chain.sorted_indices()
    rows = np.repeat(np.arange(size), np.diff(chain.indptr))
    away = (chain.indices != rows) & (chain.data > 0)
    rows, columns, weights = rows[away], chain.indices[away], chain.data[away]
    steps = np.arange(size)
    if not len(rows):
        return steps
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    largest = np.maximum.reduceat(weights, begins)
    most = np.flatnonzero(weights == np.repeat(largest, np.diff(begins, append=len(rows))))
    first = most[np.diff(rows[most], prepend=-1) > 0]
    steps[rows[first]] = columns[first]
    return steps
