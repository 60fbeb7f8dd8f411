"""What following a plan brings in a sparse world, exactly and without any S x S array."""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._sparse.lucky_paths import lucky_choice
from first_occupancy.planning._sparse.refinement import refine
from first_occupancy.representations._solvers.arrivals import arrivals

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
        world: world with sparse chains.
        policies: base policies of the plan.
        policy: base policy to follow in every state; -1 for none.
        goals: states to arrive in.
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
        world: world with sparse chains.
        policies: base policies of the plan.
        policy: base policy to follow in every state; -1 for none.
        subgoal: state at which to switch; -1 for none.
        discount: discount factor per unit of time, from 0 to 1.
    """
    kernels = Dynamics(world, policies, discount, NOWHERE).kernels
    legs = ((policy < 0) & (subgoal >= 0)).astype(float)
    for number, kernel in enumerate(kernels):
        for end in np.unique(subgoal[policy == number]):
            here = np.flatnonzero((policy == number) & (subgoal == end))
            legs[here] = arrivals(kernel, np.array([end])).values[here] if end >= 0 else 0
    onward = np.where(policy >= 0, np.maximum(subgoal, 0), np.arange(len(policy)))
    # Each round joins every leg to the plan behind its subgoal, which doubles the legs covered.
    for _ in range(len(policy).bit_length()):
        legs, onward = legs * legs[onward], onward[onward]
    return legs


def best(
    world: KnownByActions, goals: Int[np.ndarray, " G"], *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return the largest expected discount to the goals that any policy has.

    Args:
        world: world with sparse chains.
        goals: states to arrive in.
        discount: discount factor per unit of time, from 0 to 1.
    """
    dynamics = Dynamics(world, None, discount, NOWHERE)
    start, _ = lucky_choice(dynamics.kernels, goals)
    return refine(dynamics.moves, goals, start, rounds=None).values
