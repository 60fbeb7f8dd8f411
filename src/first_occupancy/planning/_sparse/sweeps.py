r"""Policy improvement with bounds instead of exact values: modified policy iteration.

With $(T_n v)(s) = \sum_{s'} J_n(s, s')\, v(s')$, J the jump chain of policy n, and
$T v = \max_n T_n v$, goals held at 1, begin below: $v \le T v$, as the discount of a single
path is, or zero. Then alternate

- improvement: follow in every state the base policy n that attains $T v$;
- some sweeps $v \leftarrow T_n v$ with that choice (Puterman and Shin 1978), instead of solving for
  its value.

Sweeps update one state after the other, each from the newest values (Gauss and Seidel). States
come in the order of their values at the beginning, highest first, so what is learned near the goals
travels all the way in one sweep, against the few moves that lead backwards.

Every v stays below its own sweep: a state gets $(T_n v')(s)$ with some $v' \le v$, where v are the
values after the sweep. So v is a lower bound of what following the choice brings, which
rises to the best value there is. Above, no choice brings more than
$v + \max (T v - v) / \ell$, where every jump loses $\ell$ or more.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array, diags_array

try:
    # The product in C, which can write into its own factor. It is private to SciPy.
    from scipy.sparse._sparsetools import csr_matvec
except ImportError:  # pragma: no cover
    csr_matvec = None

from first_occupancy.planning._sparse.refinement import Moves, PaddedMoves, Refined
from first_occupancy.planning.limits import LOSING, NOISE, NOTHING, SWEEP_ROUNDS, SWEEPS


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
        choice: base policy to begin with in every state; -1 where none leads to the goals.
        values: lower bounds that do not fall in a sweep with that choice.
        tolerance: largest gap to the best choice that is allowed.

    Returns:
        The choice. Its values are lower bounds; with the gap added they are upper bounds of what
        any choice achieves. After `SWEEP_ROUNDS` rounds the gap may be larger than allowed. It is
        infinite where moves lose less than `LOSING`.
    """
    choice, values = choice.copy(), values.copy()
    if moves.losses.min() < LOSING:
        return Refined(choice, values, None, 0, float("inf"))
    sweeps, rounds = _Sweeps(moves, choice, _nearest_first(values)), 0
    while True:
        values = sweeps.of(values)
        values[goals] = 1
        best, changed = _improve(moves.ahead(values), choice, values)
        choice[goals], best[goals] = NOTHING, 1
        sweeps.follow(choice, changed)
        gap = moves.gap(float((best - values).max()) + NOISE)
        values, rounds = best, rounds + 1
        if gap <= tolerance or rounds >= SWEEP_ROUNDS:
            return Refined(choice, values, None, rounds, gap)


def _nearest_first(values: Float[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
    """Return the states in the order of their values, roughly: sorting 16 bits is far faster."""
    logs = -np.log(np.maximum(values, np.finfo(float).tiny))
    scale = np.iinfo(np.uint16).max / max(float(logs.max()), 1e-9)
    return np.argsort((logs * scale).astype(np.uint16), kind="stable")


class _Sweeps:
    """Sweeps with a choice, over states that are numbered in an order.

    Args:
        choice: base policy to follow in every state; -1 for none, which keeps the value.
    """

    def __init__(
        self, moves: Moves, choice: Int[np.ndarray, " S"], order: Int[np.ndarray, " S"]
    ) -> None:
        self._moves, self._order = moves, order
        self._place = np.empty(len(order), moves.rows.indices.dtype)
        self._place[order] = np.arange(len(order))
        self._changes = self._all_changes(choice)

    def _all_changes(self, choice: Int[np.ndarray, " S"]) -> csr_array:
        """Return the moves of a choice less the identity, with rows and columns in order."""
        order, size = self._order, len(self._order)
        padded = self._moves.padded
        if padded is None:
            follows = diags_array((choice >= 0).astype(float), format="csr")
            return csr_array(csr_array(self._moves.of(choice).moves - follows)[order][:, order])
        chosen = choice[order]
        ends, changes = self._rows_of(padded, np.maximum(chosen, 0), order)
        changes[chosen < 0] = 0
        starts = np.arange(0, ends.size + 1, ends.shape[1], dtype=ends.dtype)
        return csr_array((changes.ravel(), ends.ravel(), starts), shape=(size, size))

    def _rows_of(
        self, padded: PaddedMoves, choice: Int[np.ndarray, " K"], states: Int[np.ndarray, " K"]
    ) -> tuple[Int[np.ndarray, "K D"], Float[np.ndarray, "K D"]]:
        """Return where a choice leads from some states, and with which changes."""
        ends, changes = padded
        numbers = choice.astype(np.intp) * len(self._order) + states
        # `take` copies whole rows, several times as fast as indexing.
        return self._place.take(ends.take(numbers, axis=0)), changes.take(numbers, axis=0)

    def follow(self, choice: Int[np.ndarray, " S"], states: Int[np.ndarray, " K"]) -> None:
        """Follow another choice, which differs in some states."""
        padded = self._moves.padded
        if padded is None:
            self._changes = self._all_changes(choice)
            return
        states = states[choice[states] >= 0]
        ends, changes = self._rows_of(padded, choice[states], states)
        places = self._place[states]
        self._changes.indices.reshape(-1, ends.shape[1])[places] = ends
        self._changes.data.reshape(-1, ends.shape[1])[places] = changes

    def of(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the values after some sweeps."""
        ordered = values[self._order]
        for _ in range(SWEEPS):
            update(self._changes, ordered)
        return ordered[self._place]


def update(changes: csr_array, values: Float[np.ndarray, " S"]) -> None:
    r"""Add $\sum_t C(s, t)\, v(t)$ to each value v(s), in place, one state after the other.

    Args:
        changes: C, moves less the identity; rows without entries keep their values.
        values: v; states see the new values of those before them.
    """
    if csr_matvec is None:
        values += changes @ values
        return
    size = len(values)
    csr_matvec(size, size, changes.indptr, changes.indices, changes.data, values, values)


def _improve(
    ahead: Float[np.ndarray, "N S"], choice: Int[np.ndarray, " S"], values: Float[np.ndarray, " S"]
) -> tuple[Float[np.ndarray, " S"], Int[np.ndarray, " K"]]:
    """Change a choice, in place, where another policy leads to more.

    Returns:
        The best values, and the states where the choice has changed.
    """
    best = ahead.max(axis=0)
    own = np.where(choice >= 0, ahead[np.maximum(choice, 0), np.arange(len(choice))], 0)
    # What seems better by rounding alone may lead round in a circle.
    better = np.flatnonzero(best > (1 + NOISE) * own)
    choice[better] = ahead[:, better].argmax(axis=0)
    return np.maximum(best, values), better
