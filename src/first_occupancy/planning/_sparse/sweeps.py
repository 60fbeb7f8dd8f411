r"""Policy improvement with bounds instead of exact values: modified policy iteration.

With $(T_n v)(s) = \sum_{s'} K_n(s, s')\, v(s')$ and $T v = \max_n T_n v$, goals held at 1, begin
below: $v \le T v$, as the discount of a single path is, or zero. Then alternate

- improvement: follow in every state the base policy n that attains $T v$;
- some sweeps $v \leftarrow T_n v$ with that choice (Puterman and Shin 1978), instead of solving for
  its value.

Every v stays below its own sweep, so it is a lower bound of what following the choice brings, which
rises to the best value there is. Above, no choice brings more than
$v + \max (T v - v) / (1 - \beta)$, where no row of the kernels sums to more than $\beta$.

Moves that stay where they are only delay this. Without them, $K_n(s, t) / (1 - K_n(s, s))$ has the
same solutions, and its sweeps reach further (`leaving`).
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._sparse.refinement import Moves, Refined
from first_occupancy.planning.plans import NOTHING

SWEEPS = 25
"""Sweeps after each improvement. With 20 to 60 of them, large mazes take about equally long."""
ROUNDS = 60
"""Rounds after which to give up: then discounts are so near to one that solving is faster."""


def sweep(
    moves: Moves,
    goals: Int[np.ndarray, " G"],
    choice: Int[np.ndarray, " S"],
    values: Float[np.ndarray, " S"],
    *,
    tolerance: float,
) -> Refined:
    """Return a choice that is proven to be within a tolerance of the best, if that can be had soon.

    Args:
        moves: discounted moves of the base policies.
        goals: states to arrive in.
        choice: base policy to begin with in every state; -1 where none leads to the goals.
        values: lower bounds that do not fall in a sweep with that choice.
        tolerance: largest gap to the best choice that is allowed.

    Returns:
        The choice. Its values are lower bounds; with the gap added they are upper bounds of what
        any choice brings. After `ROUNDS` rounds the gap may be larger than allowed.
    """
    choice, values = choice.copy(), values.copy()
    rounds = 0
    while True:
        chosen = moves.of(choice)
        for _ in range(SWEEPS):
            values = chosen @ values
            values[goals] = 1
        own = chosen @ values
        best = _improve(moves.ahead(values), choice, own)
        choice[goals], best[goals] = NOTHING, 1
        gap = moves.gap(float((best - values).max()))
        values, rounds = best, rounds + 1
        if gap <= tolerance or rounds >= ROUNDS:
            return Refined(choice, values, None, rounds, gap)


def _improve(
    ahead: Float[np.ndarray, "N S"], choice: Int[np.ndarray, " S"], own: Float[np.ndarray, " S"]
) -> Float[np.ndarray, " S"]:
    """Change a choice, in place, where another policy leads to more; return the best values."""
    best = ahead.max(axis=0)
    better = np.flatnonzero(best > own)
    choice[better] = ahead[:, better].argmax(axis=0)
    return np.maximum(best, own)
