r"""Policy improvement over base policies, towards a set of goals, without any S x S array.

A *choice* names the base policy to follow in every state. Its value is the expected discount at
the first arrival, one sparse system (`arrivals`). A round of improvement follows, in every state,
the base policy that leads to the highest values,

$$n(s) \leftarrow \arg\max_n \sum_{s'} J_n(s, s')\, v(s'),$$

with $J_n$ the jump chain of policy n (which is followed until it leaves the state),

and keeps the old one where none is better, up to the best stationary choice (Howard 1960; proof in
docs/theory.md). Undiscounted, choices that arrive equally surely are compared by the expected time
until arrival.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning.limits import NOISE, NOTHING
from first_occupancy.representations._solvers.arrivals import arrivals


class Refined(NamedTuple):
    """A choice of base policies, and what following it achieves."""

    choice: Int[np.ndarray, " S"]
    """Base policy to follow in every state; -1 at goals and where none leads there."""
    values: Float[np.ndarray, " S"]
    """Expected discount at the first arrival, re-choosing in every state."""
    times: Float[np.ndarray, " S"] | None
    """Expected time until arrival, counting arrivals only; None if discounted."""
    gap: float
    """Upper bound on what any choice gains over this one, in any state; may be infinite."""


def refine(
    moves: Moves,
    goals: Int[np.ndarray, " G"],
    choice: Int[np.ndarray, " S"],
    *,
    rounds: int | None,
    tolerance: float | None = None,
    start: Float[np.ndarray, " S"] | None = None,
) -> Refined:
    """Return a choice after some rounds of improvement, or once nothing can be gained.

    `start` may hold values near those of the given choice.
    """
    choice = np.array(choice)
    choice[goals] = NOTHING
    done, highest, soonest = 0, np.zeros(len(choice)), np.full(len(choice), np.inf)
    while True:
        chosen = moves.of(choice)
        arrived = arrivals(chosen, goals, start=start)
        times = None if chosen.times is None else arrived.times(chosen.times)
        start = arrived.values
        better, gain = improved(moves, goals, choice, arrived.values, times)
        gap = moves.gap(gain)
        rises = bool((arrived.values > (1 + NOISE) * highest).any())
        # Rounding must not make choices alternate.
        stuck = not rises and (times is None or not (times < (1 - NOISE) * soonest).any())
        highest = np.maximum(highest, arrived.values)
        if times is not None:
            soonest = times if rises else np.minimum(soonest, times)
        enough = stuck or (tolerance is not None and gap <= tolerance)
        if enough or (better == choice).all() or (rounds is not None and done >= rounds):
            # States that cannot reach the goals have no policy.
            arriving = np.zeros(len(choice), bool)
            arriving[arrived.inner] = True
            choice[~arriving] = NOTHING
            return Refined(choice, arrived.values, times, gap)
        choice, done = better, done + 1


def improved(
    moves: Moves,
    goals: Int[np.ndarray, " G"],
    choice: Int[np.ndarray, " S"],
    values: Float[np.ndarray, " S"],
    times: Float[np.ndarray, " S"] | None,
) -> tuple[Int[np.ndarray, " S"], float]:
    """Return the improved choice, and the largest gain in value of one move."""
    gains, errors = moves.changes(values)
    gains[:, goals] = 0
    surer, better = _better(choice, gains, errors)
    if times is None or len(surer):
        return better, float(gains.max())
    delays, delay_errors = moves.changes(times, moves.times @ values)
    # Only moves that arrive as surely may save time.
    delays[gains < -errors] = np.inf
    delays[:, goals] = 0
    return _better(choice, -delays, delay_errors)[1], float(gains.max())


def _better(
    choice: Int[np.ndarray, " S"], gains: Float[np.ndarray, "N S"], errors: Float[np.ndarray, "N S"]
) -> tuple[Int[np.ndarray, " K"], Int[np.ndarray, " S"]]:
    """Return the states in which the best policy surely gains something, and a choice of it."""
    states = np.flatnonzero((gains > errors).any(axis=0))
    best = gains[:, states].argmax(axis=0)
    surely = gains[best, states] > errors[best, states]
    better = choice.copy()
    better[states[surely]] = best[surely]
    return states[surely], better
