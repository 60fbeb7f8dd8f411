r"""Policy improvement with bounds instead of exact values: modified policy iteration.

With $(T_n v)(s) = \sum_{s'} J_n(s, s')\, v(s')$, J the jump chain of policy n, and
$T v = \max_n T_n v$, goals held at 1, begin below: $v \le T v$, as the discount of a single
path is, or zero. Then alternate

- improvement: follow in every state the base policy n that attains $T v$;
- some sweeps $v \leftarrow T_n v$ with that choice (Puterman and Shin 1978), instead of solving for
  its value.

Sweeps update one state after the other, each from the newest values (Gauss and Seidel). States
come in the order of the values they begin with, highest first, so what is learned near the goals
travels all the way in one sweep, against the few moves that lead backwards.

**Below.** Let S be a sweep with a choice, and $v \le S v$. Then v is a lower bound of what
following the choice achieves, the limit of $S^k v$. An improvement raises every update of a sweep,
so v is below its own sweep with the new choice too. And differences $d = S v - v$ of one choice
follow a linear map, $d \leftarrow M d$ with $M \ge 0$: if $M d \ge l\, d$, then
$v + d + \frac{l}{1 - l} d$ is below its own sweep as well, since its difference is
$(M d - l\, d) / (1 - l) \ge 0$. So l, the smallest ratio of two differences, tells how far values
may be extrapolated (MacQueen 1966), which saves most sweeps where discounts are near 1.

**Above.** Let every jump lose $\ell$ or more. The sweep S of improvements shrinks distances to
its fixed point, the best values $v^*$, by $1 - \ell$, so that for any v

$$\max (v^* - v) \;\le\; \max (S v - v) / \ell .$$
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.refinement import Moves, Refined, improved
from first_occupancy.planning.limits import (
    NOISE,
    SETTLED,
    SOLVING_SWEEPS,
    SWEEP_ROUNDS,
    SWEEPS,
)
from first_occupancy.representations._solvers.arrivals import tolerance_of


def sweep(
    moves: Moves,
    goals: Int[np.ndarray, " G"],
    order: Int[np.ndarray, " K"],
    choice: Int[np.ndarray, " S"],
    values: Float[np.ndarray, " S"],
    *,
    tolerance: float | None,
) -> tuple[Refined, bool]:
    """Return a choice that is proven to be within a tolerance of the best, if that can be had soon.

    Args:
        order: states that can reach the goals, without these, nearest first.
        choice: base policy to begin with in every state; -1 in states that are not in the order.
        values: lower bounds that do not fall in a sweep with that choice; 1 at the goals.
        tolerance: largest gap to the best choice that is allowed; None for the best.

    Returns:
        The choice, and whether it is as good as asked for. With a tolerance its values are lower
        bounds; with the gap added they are upper bounds of what any choice achieves. Without one,
        they are solved for. After `SWEEP_ROUNDS` rounds the choice may be worse.
    """
    from first_occupancy.planning._sparse.kernels import improve, in_order

    choice, values, rows = choice.copy(), values.copy(), moves.rows
    if not len(order):
        return Refined(choice, values, None, 0, 0.0), True
    ordered = in_order(rows.indptr, rows.indices, rows.data, order, goals, len(values))
    chosen, inner = choice[order], np.append(values[order], 1.0)
    rounds, changed, gap = 0, 1, float("inf")
    enough = -1.0 if tolerance is None else tolerance * moves.least_loss - NOISE
    noise = max(NOISE, (2 + int(np.diff(rows.indptr).max())) * float(np.finfo(float).eps))
    while rounds < SWEEP_ROUNDS and (gap > tolerance if tolerance is not None else changed > 0):
        changed, gain = improve(*ordered, chosen, inner, noise, SWEEPS, enough)
        gap, rounds = moves.gap(gain + NOISE), rounds + 1
    exact = _solved(ordered, chosen, inner) if tolerance is None else None
    choice[order], values[order] = chosen, (inner if exact is None else exact)[:-1]
    good = tolerance is not None and gap <= tolerance
    if exact is not None:
        better, gain = improved(moves, goals, choice, values, None)
        gap = moves.gap(gain)
        good = gap <= SETTLED or bool((better == choice).all())
    return Refined(choice, values, None, rounds, gap), good


def _solved(
    ordered: tuple[Int[np.ndarray, " Q1"], Int[np.ndarray, " F"], Float[np.ndarray, " F"]],
    choice: Int[np.ndarray, " K"],
    values: Float[np.ndarray, " K1"],
) -> Float[np.ndarray, " K1"] | None:
    """Return the values of a choice, from lower bounds; None if that would take long."""
    from first_occupancy.representations._solvers.sweeps import corrected

    starts, ends, weights = ordered
    count, states = len(choice), np.arange(len(choice))
    policies = (len(starts) - 1) // count
    matrix = csr_array((weights, ends, starts), (count * policies, count + 1))
    return corrected(
        matrix,
        states,
        np.zeros(count + 1),
        values,
        tolerance=tolerance_of(count),
        limit=SOLVING_SWEEPS,
        rows=states * policies + choice,
    )
