"""Every size, tolerance and tie rule of planning, and why it is what it is.

Ties, everywhere: plans that arrive equally soon go to the fewest switches, then to the first
subgoal, then to the first policy that leads there. Undiscounted, of equally sure plans the soonest
is best. "Equally" allows for rounding, by the tolerances below; paths are compared exactly.
"""

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
INDIFFERENCE = 64 * _EPSILON
"""Gains in log discount below this, relative to logs beyond 1, add no switch to a chain of FRs."""

EQUALLY_SURE = 1e-12
"""Probabilities or times of the surest plan, or lengths of tours, that differ by less, relatively,
are equal."""

NOISE = 16 * _EPSILON
"""Gains below this part of their terms are rounding errors, not improvements of a choice."""

LUCKY_STEP = 1e-9
"""Part of the smallest length that is added to each: of equal paths the shortest is found."""

SETTLED = 1e-10
"""Gap to the best choice at which one that no sweep improves is not looked at again."""

# Iterations.
SWEEPS = 8
"""Sweeps after each improvement. With 5 to 10 of them, large mazes take about equally long."""

SWEEP_ROUNDS = 60
"""Rounds of sweeps after which to solve instead: so near to a discount of 1 it is faster."""

SOLVING_SWEEPS = 200
"""Sweeps up to which values are solved for while a choice is improved."""

SHALLOW = 4 * SWEEPS
"""Moves on the luckiest paths up to which sweeps may visit the states in any order."""
