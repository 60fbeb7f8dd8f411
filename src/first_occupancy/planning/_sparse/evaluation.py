"""What following a plan achieves in a sparse world, exactly and without any S x S array."""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._sparse.engine import SparseEngine
from first_occupancy.representations._solvers.arrivals import columns

NOWHERE = np.zeros(0, int)


def rechosen(
    world: KnownByActions,
    policies: object,
    policy: Int[np.ndarray, " S"],
    goals: Int[np.ndarray, " G"],
    *,
    discount: float,
) -> Float[np.ndarray, " S"]:
    """Return the expected discount of looking a plan up in every state.

    Args:
        policy: base policy to follow in every state; -1 for none.
        discount: discount factor per unit of time, from 0 to 1.
    """
    values, _ = Dynamics(world, policies, discount, NOWHERE).followed(policy, goals)
    return values


def leg_by_leg(
    world: KnownByActions,
    policies: object,
    policy: Int[np.ndarray, " S"],
    subgoal: Int[np.ndarray, " S"],
    *,
    discount: float,
) -> Float[np.ndarray, " S"]:
    """Return the product of the FRs of a plan's legs; one column for each leg that occurs.

    Args:
        policy: base policy to follow in every state; -1 for none.
        subgoal: state at which to switch; -1 for none.
        discount: discount factor per unit of time, from 0 to 1.
    """
    jumps = Dynamics(world, policies, discount, NOWHERE).jumps
    legs = ((policy < 0) & (subgoal >= 0)).astype(float)
    for number, chain in enumerate(jumps):
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


def best(
    world: KnownByActions, goals: Int[np.ndarray, " G"], *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return the largest expected discount to the goals that any policy has."""
    draft = SparseEngine(Dynamics(world, None, discount, NOWHERE)).plan(Request(goals))
    return np.zeros(0) if draft.achieved is None else draft.achieved
