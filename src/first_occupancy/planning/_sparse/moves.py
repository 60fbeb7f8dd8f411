"""The moves of base policies in a sparse world, and what is searched for among them."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Integer
from scipy.sparse import csc_array, csr_array, vstack

from first_occupancy.planning.limits import LUCKY_STEP, NOISE, SHALLOW
from first_occupancy.representations._solvers.jumps import Jumps
from first_occupancy.representations._solvers.sparse import Compressed, compressed

Pairs = Float[np.ndarray, "N S"]


class LuckyPaths(NamedTuple):
    r"""The luckiest path from every state: where to begin in a world that is too large for FRs.

    Following policy n from s until it leaves leads to t with the expected discount $J_n(s, t)$, the
    entry of its jump chain. So $\max_n J_n(s, t)$ is the best expected discount of going from s to
    t and nowhere else, and the path that maximises the product of these is a shortest path with
    lengths $-\log J_n$. Following its policies, whatever happens, arrives at least as soon in
    expectation.

    Attributes:
        choice: base policy that begins the path; -1 at goals and where no path leads there.
        logs: log of the expected discount of taking that path and no other.
        order: states that have a path, without the goals, the luckiest first.
        are_short: whether paths are so short that sweeps need no order.
    """

    choice: Int[np.ndarray, " S"]
    logs: Float[np.ndarray, " S"]
    order: Int[np.ndarray, " R"]
    are_short: bool


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
    def parts(self) -> Compressed:
        """The rows, for compiled loops."""
        return compressed(self.rows)

    def in_order(self, order: Int[np.ndarray, " K"], goals: Int[np.ndarray, " G"]) -> Compressed:
        """Return the rows of some states, renumbered in their order; all goals are state K."""
        from first_occupancy.planning._sparse.kernels import in_order

        return Compressed(*in_order(*self.parts, order, goals, self.num_states))

    @cached_property
    def by_state(self) -> Compressed:
        """The rows with those of one state next to each other: s * N + n is policy n in state s."""
        return self.in_order(np.arange(self.num_states), np.arange(0))

    @cached_property
    def arriving(self) -> tuple[Integer[np.ndarray, "..."] | Float[np.ndarray, "..."], ...]:
        """The moves by the state in which they end.

        Where those into each state begin, the state that each leaves, the policy that makes it, and
        its length, minus the log of its expected discount.
        """
        starts, rows, discounts = compressed(csc_array(self.rows))
        policies, states = np.divmod(rows, rows.dtype.type(self.num_states))
        with np.errstate(divide="ignore"):
            return starts, states, policies, np.maximum(-np.log(discounts), 0)

    @cached_property
    def _lucky_step(self) -> float:
        lengths = self.arriving[3]
        return LUCKY_STEP * float(lengths[lengths > 0].min(initial=1.0))

    def lucky_paths(self, goals: Int[np.ndarray, " G"]) -> LuckyPaths:
        """Return the luckiest path to the goals from every state, by Dijkstra's search.

        Every state from which some sequence of the policies may arrive has one.
        """
        from first_occupancy.planning._sparse.kernels import luckiest_paths

        found = luckiest_paths(*self.arriving, self._lucky_step, goals)
        choice, logs, order, longest = found
        return LuckyPaths(choice, logs, order, bool(longest <= SHALLOW))

    def likely_legs(
        self, choice: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> Int[np.ndarray, " S"]:
        """Return where the leg from each state ends if every move is the most likely one.

        The leg ends in a goal, or where another policy is chosen; -1 where the most likely moves
        lead round in a circle, or where none is chosen.
        """
        from first_occupancy.planning._sparse.kernels import likely_legs

        return likely_legs(*self.parts, choice, goals)

    def changes(
        self, values: Float[np.ndarray, " S"], gained: Float[np.ndarray, " R"] | float = 0.0
    ) -> tuple[Pairs, Pairs]:
        r"""Return by how much one jump of each policy changes values, and the rounding error.

        $\sum_{s'} J(s, s') (v(s') - v(s)) - \ell(s)\, v(s)$ is $(J v - v)(s)$ with more digits: in
        a group of states that is rarely left, a better choice gains less per jump than a rounding
        of the value, but gains it very often.
        """
        from first_occupancy.planning._sparse.kernels import changes

        shape = self.num_policies, self.num_states
        gained = np.broadcast_to(gained, self.losses.shape)
        found, errors = changes(*self.parts, self.losses, values, gained, NOISE)
        return found.reshape(shape), errors.reshape(shape)

    def gap(self, gain: float) -> float:
        r"""Return a bound on what any choice gains over values v, from its largest $T v - v$.

        Every jump loses $\ell$ or more, so the optimality operator T shrinks differences by the
        factor $1 - \ell$, and the bound is $\max (T v - v) / \ell$.
        """
        if gain <= 0:
            return 0.0
        return gain / self.least_loss if self.least_loss > 0 else float("inf")

    @cached_property
    def least_loss(self) -> float:
        """What every jump loses at least."""
        return float(self.losses.min())

    @cached_property
    def widest(self) -> int:
        """The largest number of successors of a state by one policy."""
        return int(np.diff(self.rows.indptr).max(initial=0))
