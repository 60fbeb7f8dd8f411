r"""Policy improvement over base policies, towards a set of goals, without any S x S array.

A *choice* names the base policy to follow in every state. Its value is the expected discount at
the first arrival, one sparse system (`arrivals`). A round of improvement follows, in every state,
the base policy that leads to the highest values,

$$n(s) \leftarrow \arg\max_n \sum_{s'} J_n(s, s')\, v(s'),$$

with $J_n$ the jump chain of policy n (which is followed until it leaves the state),

and keeps the old one where none is better. Values never fall from round to round, and where no
state improves, v solves the optimality equation: it is the best stationary choice (Howard 1960;
undiscounted, because v is the smallest solution for its choice and at least the smallest of the
optimality equation).

Undiscounted, choices that arrive equally surely are compared by the expected time until arrival.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csc_array, csr_array, vstack

from first_occupancy.planning.limits import NOISE, NOTHING
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import Jumps


class ArrivingMoves(NamedTuple):
    """Moves by the state in which they end.

    Attributes:
        starts: where the moves into each state begin.
        states: state that each move leaves.
        policies: policy that makes it.
        lengths: minus the log of its expected discount.
        shortest: the smallest length above 0.
    """

    starts: Int[np.ndarray, " S1"]
    states: Int[np.ndarray, " E"]
    policies: Int[np.ndarray, " E"]
    lengths: Float[np.ndarray, " E"]
    shortest: float


class Moves:
    """The jumps of N base policies, stacked: row n * S + s is policy n in state s.

    Args:
        jumps: jump chain of each policy's discounted moves; with times, if undiscounted choices
            that are equally sure are to be told apart.
    """

    def __init__(self, jumps: list[Jumps]) -> None:
        self.num_policies, self.num_states = len(jumps), jumps[0].moves.shape[0]
        self.rows = csr_array(vstack([each.moves for each in jumps], format="csr"))
        self.losses = np.concatenate([each.losses for each in jumps])
        times = [each.times for each in jumps if each.times is not None]
        self.times = csr_array(vstack(times, format="csr")) if times else None

    def of(self, choice: Int[np.ndarray, " S"]) -> Jumps:
        """Return the jump chain of a choice; states that follow nothing are lost."""
        states = np.flatnonzero(choice >= 0)
        numbers = choice[states].astype(np.int64) * self.num_states + states
        losses = np.ones(self.num_states)
        losses[states] = self.losses[numbers]
        times = None if self.times is None else self._spread(self.times[numbers], states)
        return Jumps(self._spread(self.rows[numbers], states), losses, times)

    def _spread(self, rows: csr_array, states: Int[np.ndarray, " K"]) -> csr_array:
        """Return a square matrix with some rows; the others are empty."""
        if len(states) == self.num_states:
            return rows
        lengths = np.zeros(self.num_states + 1, rows.indptr.dtype)
        lengths[states + 1] = np.diff(rows.indptr)
        return csr_array((rows.data, rows.indices, lengths.cumsum()), (self.num_states,) * 2)

    @cached_property
    def arriving(self) -> "ArrivingMoves":
        """The moves by the state in which they end."""
        columns = csc_array(self.rows)
        policies, states = np.divmod(columns.indices, self.num_states)
        with np.errstate(divide="ignore"):
            lengths = np.maximum(-np.log(columns.data), 0)
        shortest = float(lengths[lengths > 0].min(initial=1.0))
        return ArrivingMoves(columns.indptr, states, policies, lengths, shortest)

    def changes(
        self, values: Float[np.ndarray, " S"], gained: Float[np.ndarray, " R"] | float = 0.0
    ) -> tuple[Float[np.ndarray, "N S"], Float[np.ndarray, "N S"]]:
        r"""Return by how much one jump of each policy changes values, and the rounding error.

        $\sum_{s'} J(s, s') (v(s') - v(s)) - \ell(s)\, v(s)$ is $(J v - v)(s)$ with more digits: in
        a group of states that is rarely left, a better choice gains less per jump than a rounding
        of the value, but gains it very often.
        """
        from first_occupancy.planning._sparse.kernels import changes

        rows, shape = self.rows, (self.num_policies, self.num_states)
        gained = np.broadcast_to(gained, self.losses.shape)
        found, errors = changes(
            rows.indptr, rows.indices, rows.data, self.losses, values, gained, NOISE
        )
        return found.reshape(shape), errors.reshape(shape)

    def gap(self, gain: float) -> float:
        r"""Return a bound on what any choice gains over values v: $\max (T v - v) / \ell$.

        Every jump loses $\ell$ or more, so the optimality operator T shrinks differences by the
        factor $1 - \ell$.

        Args:
            gain: the largest gain of one move, $\max (T v - v)$.
        """
        if gain <= 0:
            return 0.0
        return gain / self.least_loss if self.least_loss > 0 else float("inf")

    @cached_property
    def least_loss(self) -> float:
        """What every jump loses at least."""
        return float(self.losses.min())


class Refined(NamedTuple):
    """A choice of base policies and what following it brings.

    Attributes:
        choice: base policy to follow in every state; -1 at goals and where none leads there.
        values: expected discount at the first arrival, re-choosing in every state.
        times: expected time until arrival, counting arrivals only; None if discounted.
        rounds: how many rounds of improvement changed the choice.
        gap: upper bound on what any choice gains over this one, in any state; infinite where
            there is no bound.
    """

    choice: Int[np.ndarray, " S"]
    values: Float[np.ndarray, " S"]
    times: Float[np.ndarray, " S"] | None
    rounds: int
    gap: float


def refine(
    moves: Moves,
    goals: Int[np.ndarray, " G"],
    choice: Int[np.ndarray, " S"],
    *,
    rounds: int | None,
    tolerance: float | None = None,
    start: Float[np.ndarray, " S"] | None = None,
) -> Refined:
    """Return the choice after some rounds of improvement, or once nothing can be gained.

    Args:
        choice: base policy to follow in every state, to begin with; -1 for none.
        rounds: at most so many rounds; None for as many as improve something.
        start: values near those of the choice, if some are known.
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
            return Refined(choice, arrived.values, times, done, gap)
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
    best, states = gains.argmax(axis=0), np.arange(len(values))
    gain = gains[best, states]
    surer = gain > errors[best, states]
    gain[goals], surer[goals] = 0, False
    if times is None or surer.any():
        return np.where(surer, best, choice), float(gain.max())
    delays, delay_errors = moves.changes(times, moves.times @ values)
    # Only moves that arrive as surely may save time.
    delays[gains < -errors] = np.inf
    best = delays.argmin(axis=0)
    sooner = delays[best, states] < -delay_errors[best, states]
    sooner[goals] = False
    return np.where(sooner, best, choice), float(gain.max())
