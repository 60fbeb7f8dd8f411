"""Paths and legs along the most likely moves of base policies."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.planning._sparse.lucky_paths import along
from first_occupancy.planning.limits import NOTHING
from first_occupancy.representations._solvers.jumps import Jumps


class LikelyPaths:
    """Where each base policy most likely leads, prepared once for many goals."""

    def __init__(self, jumps: list[Jumps]) -> None:
        self.jumps = jumps
        self.steps = np.stack([likely_steps(each.moves) for each in jumps])

    @cached_property
    def _chances(self) -> Float[np.ndarray, "N S"]:
        """The expected discount of each likely move, staying until it happens."""
        states = np.arange(self.steps.shape[1])
        both = zip(self.jumps, self.steps, strict=True)
        return np.stack([np.asarray(each.moves[states, steps]).ravel() for each, steps in both])

    @cached_property
    def _backwards(self) -> csr_array:
        count, size = self.steps.shape
        begins = np.tile(np.arange(size, dtype=np.int32), count)
        ends = self.steps.astype(np.int32).ravel()
        # SciPy's search needs float64, and would convert other types at every call.
        return csr_array((np.ones(len(ends)), (ends, begins)), (size, size))

    def shortest(self, goal: int) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"]] | None:
        """Return the path of fewest likely moves from every state to a goal.

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
        return choice, along(logs, ahead)

    def legs(
        self, choice: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> Int[np.ndarray, " S"]:
        """Return where the leg from each state ends if every move is the most likely one."""
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


def likely_steps(moves: csr_array) -> Int[np.ndarray, " S"]:
    """Return where each state most likely leads; of equally likely states the first.

    A state without moves stays.
    """
    rows = np.repeat(np.arange(moves.shape[0]), np.diff(moves.indptr))
    columns, weights = moves.indices, moves.data
    steps = np.arange(moves.shape[0])
    if not len(rows):
        return steps
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    largest = np.maximum.reduceat(weights, begins)
    most = np.flatnonzero(weights == np.repeat(largest, np.diff(begins, append=len(rows))))
    first = most[np.diff(rows[most], prepend=-1) > 0]
    steps[rows[first]] = columns[first]
    return steps
