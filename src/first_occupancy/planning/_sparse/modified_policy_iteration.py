r"""Policy improvement with bounds instead of exact values: modified policy iteration.

Each round improves the choice in every state and then sweeps values with it, instead of solving for
them (Puterman and Shin 1978). Values begin below and stay there; docs/theory.md ("Bounds without
solving") has the proof, and the bound above, which also holds for Gauss and Seidel's sweep S of
improvements, since that shrinks distances to the best values as much: if every jump loses $\ell$ or
more, $\max (v^* - v) \le \max (S v - v) / \ell$. States come in the order of the values they begin
with, highest first, so what is learned near the goals travels all the way in one sweep, against the
few moves that lead backwards.

Differences $d = S v - v$ of the sweeps S with one choice follow a linear map, $d \leftarrow M d$
with $M \ge 0$: if $M d \ge l\, d$, then $v + d + \frac{l}{1 - l} d$ is below its own sweep as well,
since its difference is $(M d - l\, d) / (1 - l) \ge 0$. So l, the smallest ratio of two
differences, tells how far values may be extrapolated (MacQueen 1966), which saves most sweeps where
discounts are near 1.
"""

import numpy as np
from jaxtyping import Int

from first_occupancy.planning._sparse.moves import LuckyPaths, Moves
from first_occupancy.planning._sparse.refinement import Refined, improved
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
    lucky: LuckyPaths,
    *,
    tolerance: float | None,
) -> tuple[Refined, bool]:
    """Return a choice that is proven to be within a tolerance of the best, if that can be had soon.

    Args:
        lucky: where to begin. Its discounts do not fall in a sweep with its choice.
        tolerance: largest gap to the best choice that is allowed; None for the best.

    Returns:
        The choice, and whether it is as good as asked for. With a tolerance its values are lower
        bounds; with the gap added they are upper bounds of what any choice achieves. Without one,
        they are solved for. After `SWEEP_ROUNDS` rounds the choice may be worse.
    """
    from first_occupancy.planning._sparse.kernels import improve
    from first_occupancy.representations._solvers.sweeps import corrected

    choice, values, order = lucky.choice.copy(), np.exp(lucky.logs), lucky.order
    if not len(order):
        return Refined(choice, values, None, 0.0), True
    if lucky.are_short:  # memory is read fastest from end to end
        order = states = np.sort(order).astype(np.uint32)
        system, chosen, inner = moves.by_state, choice, values
    else:
        system, states = moves.in_order(order, goals), np.arange(len(order), dtype=np.uint32)
        chosen, inner = choice[order], np.append(values[order], 1.0)
    rounds, changed, gap = 0, 1, float("inf")
    enough = -1.0 if tolerance is None else tolerance * moves.least_loss - NOISE
    noise = max(NOISE, (2 + moves.widest) * float(np.finfo(float).eps))
    while rounds < SWEEP_ROUNDS and (gap > tolerance if tolerance is not None else changed > 0):
        changed, gain = improve(*system, states, chosen, inner, noise, SWEEPS, enough)
        gap, rounds = moves.gap(gain + NOISE), rounds + 1
    exact = None
    if tolerance is None:
        rows = states * moves.num_policies + chosen[states]
        options = {"tolerance": tolerance_of(len(order)), "limit": SOLVING_SWEEPS, "rows": rows}
        exact = corrected(system, states, np.zeros(len(inner)), inner, **options)
    found = inner if exact is None else exact
    choice[order], values[order] = chosen[states], found[states]
    good = tolerance is not None and gap <= tolerance
    if exact is not None:
        better, gain = improved(moves, goals, choice, values, None)
        gap = moves.gap(gain)
        good = gap <= SETTLED or bool((better == choice).all())
    return Refined(choice, values, None, gap), good
