"""Sizes, tolerances and tie rules that decide what planning returns, and the reasons for them.

Limits of memory, files and displays stand where they are used, the stopping rules of
`dynamic_programming` in its functions, and how far repairs go in `_changes/`.

Ties, everywhere: plans that arrive equally soon go to the fewest switches, then to the first
subgoal, then to the first policy that leads there. Undiscounted, of equally sure plans the soonest
is best. "Equally" allows for rounding, by the tolerances below; paths are compared exactly.
"""

from typing import Any

import numpy as np

_EPSILON = float(np.finfo(np.float64).eps)

NOTHING = -1
"""Policy and subgoal where there is no policy to follow."""

# Sizes.
DENSE_UP_TO = 2000
"""States up to which stochastic worlds are planned in with S x S arrays, unless told otherwise."""

HOST_UP_TO = 400
"""States up to which FRs are chained in NumPy: compiling would take longer than planning."""

SOLVED_UP_TO = 2000
"""States up to which showing or saving a plan solves for the probability and time of arrival."""

PLANNED_AT_ONCE = 2
"""Plans to many goals in large stochastic worlds that are made at once, each by one processor."""

KEPT_GOALS = 4
"""Goals for which a planner keeps what it knows while its world changes, the last ones planned to;
each takes 16 bytes for each state, and 8 for each of its policies."""

EXACT_TOUR_UP_TO = 16
"""Goals up to which the order is searched exactly; 20 would take a gigabyte, 16 takes 50 MB."""

EXACT_ORDER_UP_TO = 20
"""Once-only rewards up to which their order is searched exactly; 20 take 170 MB and a second."""

MOST_REWARDS = 500
"""Once-only rewards that can be planned for."""

PRODUCT_UP_TO = 2**22
"""States times sets of rewards up to which once-only rewards are solved exactly under noise."""


# Tolerances.
def indifference(dtype: Any = np.float64) -> float:
    """Return the gain in log discount, relative to logs beyond 1, that adds no switch to FR chains.

    In float32 it is 8e-6: discounts above about 0.99999, at which a step changes the log by less
    than that, need float64.
    """
    return 64 * float(np.finfo(dtype).eps)


EQUALLY_SURE = 1e-12
"""Probabilities or times of the surest plan, or lengths of tours, that differ by less, relatively,
are equal."""

NOISE = 16 * _EPSILON
"""Gains below this part of their terms are rounding errors, not improvements of a choice."""

LUCKY_STEP = 1e-9
"""Part of the smallest length that is added to each: of equal paths the shortest is found."""

SETTLED = 1e-10
"""Gap to the best choice at which one that no sweep improves is not looked at again."""

EQUAL_RETURNS = 1e-12
"""Returns of orders that differ by less, relatively, are equal: the nearest reward comes first."""

ORDER_GAIN = 1e-12
"""Smallest relative gain that changes an order of many rewards."""

PRODUCT_REST = 1e-13
"""What may be missing when sweeps over sets of rewards end, as part of the largest value."""

LATE_REWARDS = 1e-4
"""Part of the return that rewards may add in all at times too late for walks to tell apart."""

WALK_ROUNDING = 1e-9
"""Added to the bound of walks, relatively: thousands of times what its sums are rounded by."""

EPISODE_REST = 1e-12
"""Discount below which a simulated episode ends: later rewards no longer count."""

CUT_SLACK = 1e-6
"""Part of a leg by which a cut must be violated to be added to the linear program of a tour."""

# Iterations.
SWEEPS = 8
"""Sweeps after each improvement. With 5 to 10 of them, large mazes take about equally long."""

SWEEP_ROUNDS = 60
"""Rounds of sweeps after which to solve instead: so near to a discount of 1 it is faster."""

SOLVING_SWEEPS = 200
"""Sweeps up to which values are solved for while a choice is improved."""

SHALLOW = 4 * SWEEPS
"""Moves on the luckiest paths up to which sweeps may visit the states in any order."""

PRODUCT_SWEEPS = 100_000
"""Sweeps over sets of rewards after which to stop."""

DETOURS = 300
"""Random detours after which the search for an order of many rewards ends."""

DETOUR_WINDOW = 30
"""Rewards of the part of an order in which a detour exchanges two neighbouring parts."""

LONGEST_MOVED = 3
"""Rewards of the longest part of an order that is moved; longer ones are only turned."""

REMEMBERED = ((60, 5), (120, 4), (np.inf, 3))
"""Neighbours of each reward that a walk remembers while it is near, for up to so many rewards."""

PRICE_ROUNDS = 60
"""Changes of the prices by which walks bound what orders collect."""

PRICE_STEPS = 2e10
"""Steps of all these rounds together: about half a minute."""

WALK_TIMES = 20_000
"""Units of time that walks tell apart."""

EPISODE_MOVES = 1_000_000
"""Moves after which a simulated episode ends, should it not be discounted."""

TOUR_PROGRAMS = 6
"""Linear programs that bound a tour; most of the bound comes from the first few."""

TOUR_ROUNDS_PER_NODE = 40
"""Rounds of PyVRP's search for each node, if there is no time limit: the result is reproducible."""

TOUR_ATTEMPTS = 20
"""Initial orders of SciPy's search for tours: nearest first, then random relaxations."""
