r"""Cheapest paths to a set of goals with at most K switches, where moves differ in duration.

Sweep k of FRP (Alg. 1) gives every state its best leg to a state whose time with k - 1 switches is
known: the least of $d_1 + \dots + d_j + c(s_j)$, $j \ge 1$, along the path of each policy. Pointer
doubling finds it in $\log S$ rounds over all states: the best of the next k states, and then the
best of the k after those. Ties are broken as in `few_switches`: the first subgoal, then the first
policy that leads there.
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._paths.cheapest_paths import TimedCuts
from first_occupancy.planning.limits import NOTHING


def cut_with_timed_switches(
    by_state: Int[np.ndarray, "S N"],
    durations: Float[np.ndarray, "S N"],
    goals: Int[np.ndarray, " G"],
    max_switches: int,
) -> TimedCuts:
    """Return the cheapest paths of at most `max_switches` + 1 legs to the goals.

    Args:
        durations: how long each of these moves takes, above 0.
        max_switches: upper bound on policy switches.
    """
    size, count = by_state.shape
    policy = np.full(size, NOTHING, np.int32)
    subgoal = np.full(size, NOTHING, np.int32)
    time = np.full(size, np.inf)
    time[goals], subgoal[goals] = 0, goals
    for _ in range(max_switches + 1):
        legs = [_best_ahead(by_state[:, n], durations[:, n], time) for n in range(count)]
        times = np.stack([each[0] for each in legs])
        best = times.min(axis=0)
        better = best < time
        if not better.any():
            break
        ends = np.where(times == best, np.stack([each[1] for each in legs]), size)
        time = np.where(better, best, time)
        policy[better], subgoal[better] = ends.argmin(axis=0)[better], ends.min(axis=0)[better]
    return TimedCuts(policy, subgoal, time)


def _best_ahead(
    ahead: Int[np.ndarray, " S"], durations: Float[np.ndarray, " S"], time: Float[np.ndarray, " S"]
) -> tuple[Float[np.ndarray, " S"], Int[np.ndarray, " S"]]:
    """Return the least time to go along each state's path, and the state where the leg ends."""
    passed, best, ends = durations.copy(), durations + time[ahead], ahead.copy()
    for _ in range(len(ahead).bit_length()):
        later = passed + best[ahead]
        sooner = (later < best) | ((later == best) & (ends[ahead] < ends))
        best, ends = np.where(sooner, later, best), np.where(sooner, ends[ahead], ends)
        passed, ahead = passed + passed[ahead], ahead[ahead]
    return best, ends
