"""What following a plan achieves in a sparse world, exactly and without any S x S array."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

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


@dataclass(frozen=True, eq=False)
class SparseEvaluation:
    """A plan in a world: base policy to follow and subgoal of every state, -1 for none."""

    world: KnownByActions
    policies: Any
    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    discount: float

    @cached_property
    def _dynamics(self) -> Dynamics:
        return Dynamics(self.world, self.policies, self.discount, NOWHERE)

    def rechosen(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
        """Return the expected discount of looking the plan up in every state."""
        steps = certain_steps(self._dynamics)
        if steps is None:
            return self._dynamics.followed(self.policy, goals)[0]
        time = followed(self._dynamics, steps, self.policy, goals)
        return np.exp(log_discounts(time, self._dynamics.discount))

    def best(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
        """Return the largest expected discount to the goals that any policy has."""
        own = self.policies is None
        actions = self._dynamics if own else replace(self._dynamics, policies=None)
        if (steps := certain_steps(actions)) is not None:
            return PathEngine(actions, steps).best(goals)
        achieved = SparseEngine(actions).plan(Request(goals)).achieved
        assert achieved is not None
        return achieved

    def leg_by_leg(self) -> Float[np.ndarray, " S"]:
        """Return the product of the FRs of the legs; one column for each leg that occurs."""
        policy, subgoal = self.policy, self.subgoal
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
