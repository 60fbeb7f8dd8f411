"""Legs that arrive most surely, and of equally sure ones soonest: FRP without a discount."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning.limits import EQUALLY_SURE, NOTHING


class Cut(NamedTuple):
    """The first leg from each state, and the log of what the whole plan promises.

    Attributes:
        policy: policy to follow; -1 for none.
        subgoal: state at which to switch; -1 for none.
        log_promised: log of the promised discount.
    """

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    log_promised: Float[np.ndarray, " S"]


class SureLegs(NamedTuple):
    """The best leg between any two states, without a discount.

    Attributes:
        sure: the probability to arrive at x from s, at [s, x]; 0 where x = s.
        times: the expected time until then, given arrival; infinite where there is none.
        leader: the first policy that has both.
    """

    sure: Float[np.ndarray, "S S"]
    times: Float[np.ndarray, "S S"]
    leader: Int[np.ndarray, "S S"]


def sure_legs(sure: Float[np.ndarray, "N S S"], times: Float[np.ndarray, "N S S"]) -> SureLegs:
    """Return the surest leg between any two states; ties go to the soonest."""
    best = sure.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        given = np.where((sure > 0) & (sure >= (1 - EQUALLY_SURE) * best), times / sure, np.inf)
    leader = (given <= (1 + EQUALLY_SURE) * given.min(axis=0)).argmax(axis=0)
    soonest = np.take_along_axis(given, leader[None], axis=0)[0]
    np.fill_diagonal(best, 0)
    np.fill_diagonal(soonest, np.inf)
    return SureLegs(best, soonest, leader)


def chain_surest(legs: SureLegs, goal: int, max_switches: int | None) -> Cut:
    """Return the plan that arrives most surely; ties go to the one that arrives soonest.

    Each sweep allows one more switch, as in Alg. 1.
    """
    states = np.arange(len(legs.sure))
    policy, subgoal = np.full(len(states), NOTHING), np.full(len(states), NOTHING)
    surely, later = (states == goal).astype(float), np.where(states == goal, 0, np.inf)
    subgoal[goal] = goal
    # With as many legs as states every plan without a circle is covered.
    for _ in range(len(states) if max_switches is None else max_switches + 1):
        chances, times = legs.sure * surely[None], legs.times + later[None]
        most = chances.max(axis=1)
        times[chances < (1 - EQUALLY_SURE) * most[:, None]] = np.inf
        soonest = times.min(axis=1)
        surer = most > (1 + EQUALLY_SURE) * surely
        as_sure = (most >= (1 - EQUALLY_SURE) * surely) & (most > 0)
        better = surer | (as_sure & (soonest < (1 - EQUALLY_SURE) * later))
        better[goal] = False
        if not better.any():
            break
        ends = (times <= (1 + EQUALLY_SURE) * soonest[:, None]).argmax(axis=1)
        subgoal = np.where(better, ends, subgoal)
        policy = np.where(better, legs.leader[states, ends], policy)
        surely = np.where(better, chances[states, ends], surely)
        later = np.where(better, times[states, ends], later)
    with np.errstate(divide="ignore"):
        return Cut(policy, subgoal, np.log(np.minimum(surely, 1)))
