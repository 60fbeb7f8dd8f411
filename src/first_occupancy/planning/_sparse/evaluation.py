"""What following a plan achieves in a sparse world, exactly and without any S x S array."""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.engine import (
    PathEngine,
    certain_steps,
    followed,
    log_discounts,
)
from first_occupancy.planning._sparse.engine import SparseEngine
from first_occupancy.representations._solvers.arrivals import columns

NOWHERE = np.zeros(0, int)


class SparseEvaluation:
    """A plan in a world: base policy to follow and subgoal of every state, -1 for none."""

    def __init__(
        self,
        world: KnownByActions,
        policies: object,
        policy: Int[np.ndarray, " S"],
        subgoal: Int[np.ndarray, " S"],
        *,
        discount: float,
    ) -> None:
        self._policy, self._subgoal = policy, subgoal
        self._dynamics = Dynamics(world, policies, discount, NOWHERE)
        own = policies is None
        self._actions = self._dynamics if own else Dynamics(world, None, discount, NOWHERE)

    def rechosen(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
        """Return the expected discount of looking the plan up in every state."""
        steps = certain_steps(self._dynamics)
        if steps is None:
            return self._dynamics.followed(self._policy, goals)[0]
        time = followed(self._dynamics, steps, self._policy, goals)
        return np.exp(log_discounts(time, self._dynamics.discount))

    def best(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
        """Return the largest expected discount to the goals that any policy has."""
        steps = certain_steps(self._actions)
        if steps is not None:
            return PathEngine(self._actions, steps).best(goals)
        achieved = SparseEngine(self._actions).plan(Request(goals)).achieved
        assert achieved is not None
        return achieved

    def leg_by_leg(self) -> Float[np.ndarray, " S"]:
        """Return the product of the FRs of the legs; one column for each leg that occurs."""
        policy, subgoal = self._policy, self._subgoal
        legs = ((policy < 0) & (subgoal >= 0)).astype(float)
        for number, chain in enumerate(self._dynamics.jumps):
            following = np.flatnonzero((policy == number) & (subgoal >= 0))
            ends = np.unique(subgoal[following])
            if not len(ends):
                continue
            for end, column in zip(ends, columns(chain, ends), strict=True):
                here = following[subgoal[following] == end]
                legs[here] = column[here]
        onward = np.where(policy >= 0, np.maximum(subgoal, 0), np.arange(len(policy)))
        # Each round joins every leg to the plan behind its subgoal, which doubles the legs covered.
        for _ in range(len(policy).bit_length()):
            legs, onward = legs * legs[onward], onward[onward]
        return legs
