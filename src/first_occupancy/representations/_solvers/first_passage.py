r"""How surely, and how soon, a chain first reaches each state from each, without subtraction.

Only states between which nothing is asked are eliminated. Let A be states to eliminate and B the
others. From A the chain first enters B by

$$R = (I - J_{AA})^{-1} J_{AB},$$

so the first arrivals in a target of B are those of the smaller chain $J_{BB} + J_{BA} R$, and for
the states of A they are R times those. Every target is left over once, when all other states
are eliminated: halve the states, eliminate one half to find the targets in the other, and go on
with each half. That takes $O(S^3)$ operations in all, most of them in products of matrices.

R comes from the same halving of A, down to a few states, which are left one by one. A single state
has the pivot $1 - J_{aa}$, which is the sum of what leads elsewhere and what is lost (Grassmann,
Taksar & Heyman 1985). Nothing is subtracted, so entries are accurate relative to their own size,
in nearly uncoupled and rarely left states too, with or without a discount. A state without pivot
is never left: it leads nowhere.

Times are carried along as derivatives: entries are $J + H \epsilon$ with H the expected time of
each move, weighted by its probability, and $\epsilon^2 = 0$.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

ONE_BY_ONE = 32
"""States up to which products of matrices would take longer."""


class Rows(NamedTuple):
    """Where some states lead, over the states that are left.

    Attributes:
        moves: expected discount of each move.
        losses: what is lost of each state's discount.
        times: expected time of each move, weighted by its probability; None if not asked for.
    """

    moves: Float[np.ndarray, "A N"]
    losses: Float[np.ndarray, " A"]
    times: Float[np.ndarray, "A N"] | None = None

    def of(self, states: Int[np.ndarray, " K"]) -> "Rows":
        """Return the rows of some of the states."""
        times = None if self.times is None else self.times[states]
        return Rows(self.moves[states], self.losses[states], times)

    def through(
        self, out: Int[np.ndarray, " K"], kept: Int[np.ndarray, " L"], onward: "Rows"
    ) -> "Rows":
        """Return where the rows lead if the columns `out` lead onward to the columns `kept`."""
        into = self.moves[:, out]
        times = None
        if self.times is not None and onward.times is not None:
            later = into @ onward.times + self.times[:, out] @ onward.moves
            times = self.times[:, kept] + later
        moves = self.moves[:, kept] + into @ onward.moves
        return Rows(moves, self.losses + into @ onward.losses, times)


def first_passage(
    chain: Rows,
) -> tuple[Float[np.ndarray, "S S"], Float[np.ndarray, "S S"] | None]:
    """Return the expected discount at the first arrival in each state (column) from each (row).

    Args:
        chain: where all states lead; its diagonal need not sum rows to 1.

    Returns:
        The expected discounts, exactly 0 where no path leads and exactly 1 where nothing is lost;
        and the expected times until arrival, counting arrivals only, if the chain has times.
    """
    size = len(chain.moves)
    values, times = np.zeros((size, size)), None if chain.times is None else np.zeros((size, size))
    nothing = None if times is None else np.zeros((size, size))
    left = [(np.arange(size), chain, Rows(np.eye(size), np.zeros(size), nothing))]
    while left:
        states, inner, before = left.pop()
        if len(states) == 1:
            # Discounts and losses sum to 1, so what loses nothing arrives for certain.
            values[:, states] = np.where(before.losses == 0, 1, np.minimum(before.moves[:, 0], 1))[
                :, None
            ]
            if times is not None and before.times is not None:
                times[:, states] = before.times
            continue
        halves = np.array_split(np.arange(len(states)), 2)
        for out, kept in (halves, halves[::-1]):
            away = onward(_in_order(inner.of(out), out, kept))
            smaller = inner.of(kept).through(out, kept, away)
            left.append((states[kept], smaller, before.through(out, kept, away)))
    return values, times


def onward(rows: Rows) -> Rows:
    """Return where the first A of N states lead when they have left each other for good."""
    count = len(rows.moves)
    if count <= ONE_BY_ONE:
        return _one_by_one(rows)
    columns = np.arange(rows.moves.shape[1])
    first, last = columns[: count // 2], columns[count // 2 : count]
    upper = onward(rows.of(first))
    lower = onward(rows.of(last).through(first, columns[count // 2 :], upper))
    upper = upper.through(last - len(first), columns[count:] - len(first), lower)
    times = None
    if upper.times is not None and lower.times is not None:
        times = np.concatenate([upper.times, lower.times])
    moves = np.concatenate([upper.moves, lower.moves])
    return Rows(moves, np.concatenate([upper.losses, lower.losses]), times)


def _one_by_one(rows: Rows) -> Rows:
    """Return the same for a few states: each is left in turn, wherever it is led to."""
    count = len(rows.moves)
    moves, losses = rows.moves.copy(), rows.losses.copy()
    times = np.zeros_like(moves) if rows.times is None else rows.times.copy()
    for state in range(count):
        pivot = moves[state, state + 1 :].sum() + losses[state]
        if pivot == 0:
            losses[state] = pivot = 1.0
        moves[state] /= pivot
        losses[state] /= pivot
        times[state] = (times[state] + moves[state] * times[state, state]) / pivot
        # Columns of states that were left are not read again.
        into, elapsed = moves[:, [state]].copy(), times[:, [state]].copy()
        into[state] = elapsed[state] = 0
        losses += into[:, 0] * losses[state]
        if rows.times is not None:
            times += into * times[state] + elapsed * moves[state]
        moves += into * moves[state]
    return Rows(moves[:, count:], losses, None if rows.times is None else times[:, count:])


def _in_order(rows: Rows, first: Int[np.ndarray, " K"], last: Int[np.ndarray, " L"]) -> Rows:
    """Return rows with some columns first and others last."""
    order = np.concatenate([first, last])
    times = None if rows.times is None else rows.times[:, order]
    return Rows(rows.moves[:, order], rows.losses, times)
