"""Legs that arrive most surely, and of equally sure ones soonest: FRP without a discount."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning.plans import NOTHING

ROUNDING = 1e-12
"""Probabilities that differ by less, relatively, are equal."""


class Cut(NamedTuple):
    """The first leg from each state, and the log of what the whole plan promises.

    Attributes:
        policy: policy to follow; -1 for none.
        subgoal: state at which to switch; -1 for none.
        log_discount: log of the promised discount.
    """

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    log_discount: Float[np.ndarray, " S"]


def surest_legs(
    sure: Float[np.ndarray, "N S S"],
    soon: Float[np.ndarray, "N S S"],
    goal: int,
    max_switches: int | None,
) -> Cut:
    """Return the plan that arrives most surely; ties go to the one that arrives soonest.

    Each sweep allows one more switch, as in Alg. 1.

    Args:
        sure: probability that each policy ever leads from each state to each other.
        soon: FRs at a discount just below 1.
        goal: state to reach.
        max_switches: upper bound on policy switches; None sweeps until convergence.
    """
    size = sure.shape[1]
    policy, subgoal = np.full(size, NOTHING), np.full(size, NOTHING)
    surely, sooner = (
        (np.arange(size) == goal).astype(float),
        (np.arange(size) == goal).astype(float),
    )
    subgoal[goal] = goal
    # With as many legs as states every plan without a circle is covered.
    for _ in range(size if max_switches is None else max_switches + 1):
        changed = False
        reached = np.flatnonzero(surely > 0)
        before, ahead = surely[reached].copy(), sooner[reached].copy()
        for state in range(size):
            if state == goal:
                continue
            # A state is no subgoal of its own.
            others = reached != state
            chances = sure[:, state, reached[others]] * before[others][None]
            times = soon[:, state, reached[others]] * ahead[others][None]
            if not chances.size:
                continue
            most = chances.max()
            times = np.where(chances >= (1 - ROUNDING) * most, times, -1)
            best = int(times.argmax())
            surer = most > (1 + ROUNDING) * surely[state]
            as_sure = most >= (1 - ROUNDING) * surely[state]
            if most > 0 and (
                surer or (as_sure and times.flat[best] > (1 + ROUNDING) * sooner[state])
            ):
                policy[state], place = divmod(best, others.sum())
                subgoal[state] = reached[others][place]
                surely[state], sooner[state] = chances.flat[best], times.flat[best]
                changed = True
        if not changed:
            break
    with np.errstate(divide="ignore"):
        return Cut(policy, subgoal, np.log(np.minimum(surely, 1)))
