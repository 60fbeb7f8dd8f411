r"""FR-planning in small worlds, in NumPy: the plans of `frp.plan_to_goal`, without a compiler.

Compiling the planners takes seconds, planning in a world of a few hundred states milliseconds. So
small worlds are planned in here, always in float64. Ties go to the fewest switches, the first
subgoal and the first policy; values that differ by rounding errors only are ties.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._dense.surest import Cut
from first_occupancy.planning.limits import INDIFFERENCE, NOTHING


class LegTable(NamedTuple):
    r"""The best leg between any two states, subgoal first, as in `folding.BestLegs`.

    Attributes:
        legs: $\log \max_\pi F^\pi(s, x)$ at [x, s]; minus infinity where x = s, and where no policy
            leads from s to x.
        leader: the first policy that attains the maximum.
    """

    legs: Float[np.ndarray, "S S"]
    leader: Int[np.ndarray, "S S"]


def fold_on_host(frs: Float[np.ndarray, "N S S"]) -> LegTable:
    """Return the FRs of the base policies as a table of best legs."""
    best = np.minimum(frs.max(axis=0), 1)
    # Of policies that differ by rounding errors only, the first.
    leader = (frs >= (1 - INDIFFERENCE) * best[None]).argmax(axis=0)
    # Subnormal numbers lack digits: better no leg than a wrong one.
    best[best < np.finfo(np.float64).tiny] = 0
    np.fill_diagonal(best, 0)
    with np.errstate(divide="ignore"):
        legs = np.log(best)
    return LegTable(np.ascontiguousarray(legs.T), np.ascontiguousarray(leader.T))


def chain_on_host(table: LegTable, goal: int, max_switches: int | None) -> Cut:
    """Return the plan to one goal; each sweep allows one more switch (Alg. 1)."""
    legs, leader = table
    log = legs[goal].copy()
    log[goal] = 0
    reached = np.isfinite(log)
    policy = np.where(reached, leader[goal], NOTHING)
    policy[goal] = NOTHING
    subgoal = np.where(reached, goal, NOTHING)
    raised = np.flatnonzero(reached)
    states = np.arange(len(log))
    # S sweeps are enough, since plans visit no subgoal twice.
    for _ in range(len(log) if max_switches is None else min(max_switches, len(log))):
        # A subgoal can only help if the last sweep raised its discount.
        through = legs[raised] + log[raised][:, None]
        gained = through.max(axis=0)
        slack = INDIFFERENCE * np.where(np.isfinite(gained), np.maximum(1.0, -gained), 1.0)
        better = gained > log + slack
        if not better.any():
            break
        through_state = raised[(through >= gained - slack).argmax(axis=0)]
        log = np.where(better, gained, log)
        subgoal = np.where(better, through_state, subgoal)
        policy = np.where(better, leader[through_state, states], policy)
        raised = np.flatnonzero(better)
    return Cut(policy, subgoal, log)
