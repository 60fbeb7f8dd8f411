r"""FR-planning in small worlds, in NumPy: the plans of `frp.plan_to_goal`, without a compiler.

Compiling the planners takes seconds, planning in a world of a few hundred states milliseconds. So
small worlds are planned in here, always in float64. Undiscounted, an FR is the probability to ever
arrive, and many legs are equally sure: of these the soonest is best. Ties go to the fewest
switches, the first subgoal and the first policy; values that differ by rounding errors only are
ties.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._drafts import Draft
from first_occupancy.planning.limits import EQUALLY_SURE, NOTHING, indifference


class LegTable(NamedTuple):
    r"""The best leg between any two states, subgoal first, as in `folding.BestLegs`.

    Attributes:
        legs: $\log \max_\pi F^\pi(s, x)$ at [x, s]; minus infinity where x = s, and where no policy
            leads from s to x.
        times: undiscounted, the expected time until arrival, given arrival; else 0.
        leader: the first policy that attains both.
        equal: differences of logs up to which legs are equally good.
    """

    legs: Float[np.ndarray, "S S"]
    times: Float[np.ndarray, "S S"]
    leader: Int[np.ndarray, "S S"]
    equal: float


def fold_on_host(
    frs: Float[np.ndarray, "N S S"], times: Float[np.ndarray, "N S S"] | None = None
) -> LegTable:
    """Return the FRs of the base policies as a table of best legs.

    Args:
        times: undiscounted, the expected times until arrival, counting arrivals only.
    """
    best = np.minimum(frs.max(axis=0), 1)
    equal = indifference() if times is None else EQUALLY_SURE
    elapsed = np.zeros_like(frs) if times is None else times
    with np.errstate(divide="ignore", invalid="ignore"):
        given = np.where((frs > 0) & (frs >= (1 - equal) * best), elapsed / frs, np.inf)
    leader = (given <= (1 + EQUALLY_SURE) * given.min(axis=0)).argmax(axis=0)
    soonest = np.take_along_axis(given, leader[None], axis=0)[0]
    # Subnormal numbers lack digits: better no leg than a wrong one.
    best[best < np.finfo(np.float64).tiny] = 0
    np.fill_diagonal(best, 0)
    with np.errstate(divide="ignore"):
        legs = np.log(best)
    legs, soonest, leader = (np.ascontiguousarray(each.T) for each in (legs, soonest, leader))
    return LegTable(legs, soonest, leader, equal)


def chain_on_host(table: LegTable, goal: int, max_switches: int | None) -> Draft:
    """Return the plan to one goal; each sweep allows one more switch (Alg. 1)."""
    legs, times, leader, equal = table
    states = np.arange(len(legs))
    log, time = legs[goal].copy(), times[goal].copy()
    log[goal] = time[goal] = 0
    reached = np.isfinite(log)
    policy = np.where(reached & (states != goal), leader[goal], NOTHING)
    subgoal = np.where(reached, goal, NOTHING)
    raised = np.flatnonzero(reached)
    # S sweeps are enough, since plans visit no subgoal twice.
    for _ in range(len(log) if max_switches is None else min(max_switches, len(log))):
        # A subgoal can only help if the last sweep raised its discount, or made it sooner.
        through = legs[raised] + log[raised][:, None]
        gained = through.max(axis=0)
        slack = np.maximum(equal, indifference() * np.where(np.isfinite(gained), -gained, 0))
        when = np.where(through >= gained - slack, times[raised] + time[raised][:, None], np.inf)
        soonest = when.min(axis=0)
        sooner = (gained >= log - slack) & (soonest < (1 - EQUALLY_SURE) * time)
        better = (gained > log + slack) | (sooner & np.isfinite(gained))
        better[goal] = False
        if not better.any():
            break
        rows = (when <= (1 + EQUALLY_SURE) * soonest).argmax(axis=0)
        log = np.where(better, through[rows, states], log)
        time = np.where(better, when[rows, states], time)
        subgoal = np.where(better, raised[rows], subgoal)
        policy = np.where(better, leader[raised[rows], states], policy)
        raised = np.flatnonzero(better)
    return Draft(policy=policy, subgoal=subgoal, log_promised=log)
