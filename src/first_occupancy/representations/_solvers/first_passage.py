r"""How surely, and how soon, a chain first reaches each state from each, without subtraction.

Only states between which nothing is asked are eliminated. Let A be states to eliminate and B the
others. From A the chain first enters B by

$$R = (I - J_{AA})^{-1} J_{AB},$$

so the first arrivals in a target of B are those of the smaller chain $J_{BB} + J_{BA} R$, and for
the states of A they are R times those. Every target is left over once, when all other states
are eliminated: halve the states, eliminate one half to find the targets in the other, and go on
with each half. That takes $O(S^3)$ operations in all, most of them in products of matrices.

R comes from the same halving of A, down to a few states, which are left one by one (`few_states`).
A single state has the pivot $1 - J_{aa}$, which is the sum of what leads elsewhere and what is lost
(Grassmann, Taksar & Heyman 1985). Nothing is subtracted, so entries are accurate relative to their
own size, in nearly uncoupled and rarely left states too, with or without a discount. A state
without pivot is never left: it leads nowhere.

Times are carried along as derivatives: entries are $J + H \epsilon$ with H the expected time of
each move, weighted by its probability, and $\epsilon^2 = 0$. That takes three products in place of
one. In a closed class without losses every arrival is certain, so it does not matter which moves
take the time: one number for each state is enough.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ONE_BY_ONE = 48
"""States up to which products of matrices would take longer."""


States = slice | Int[np.ndarray, " _"]


class Rows(NamedTuple):
    """Where some states lead, over the states that are left, what is lost, and the times.

    Times are those of each move or, where every arrival is certain, their sum for each state.
    """

    moves: Float[np.ndarray, "A N"]
    losses: Float[np.ndarray, " A"]
    times: Float[np.ndarray, "A N"] | Float[np.ndarray, " A"] | None = None

    def of(self, states: States) -> "Rows":
        """Return the rows of some of the states."""
        times = None if self.times is None else self.times[states]
        return Rows(self.moves[states], self.losses[states], times)

    def through(self, out: slice, kept: slice, onward: "Rows") -> "Rows":
        """Return where the rows lead if the columns `out` lead onward to the columns `kept`."""
        into = self.moves[:, out]
        times = self.times
        if times is not None and onward.times is not None:
            later = into @ onward.times
            if times.ndim == 2:
                later += times[:, out] @ onward.moves
                times = times[:, kept]
            times = times + later
        moves = self.moves[:, kept] + into @ onward.moves
        return Rows(moves, self.losses + into @ onward.losses, times)


def first_passage(
    chain: Rows,
) -> tuple[Float[np.ndarray, "S S"], Float[np.ndarray, "S S"] | None]:
    """Return the expected discount at the first arrival in each state (column) from each (row).

    Discounts are exactly 0 where no path leads and exactly 1 where nothing is lost. If the chain
    has times, the second array is the expected time until arrival, counting arrivals only.
    """
    size = len(chain.moves)
    values, times = np.eye(size), None if chain.times is None else np.zeros((size, size))
    others, classes = np.ones(size, bool), []
    for inner in _closed_classes(chain):
        if times is not None and chain.times is not None:
            own, spent = _within(chain._replace(times=None), inner), chain.times[inner].sum(axis=1)
            certain, times[np.ix_(inner, inner)] = _all_to_all(own._replace(times=spent))
            if not (certain == 1).all():  # Products of probabilities underflow.
                continue
        values[np.ix_(inner, inner)], others[inner] = 1, False
        classes.append(inner)
    rest = np.flatnonzero(others)
    if len(rest):
        block = np.ix_(rest, rest)
        values[block], spent = _all_to_all(_within(chain, rest))
        if times is not None:
            times[block] = spent
    if len(rest) and classes:
        _enter(chain, rest, classes, values, times)
    return values, times


def _closed_classes(chain: Rows) -> list[Int[np.ndarray, " K"]]:
    """Return the classes of states that lead to each other and nowhere else, without losses."""
    moves = coo_array(chain.moves)
    starts, ends = moves.coords
    count, label = connected_components(moves, connection="strong")
    is_closed = np.ones(count, bool)
    is_closed[label[starts[label[starts] != label[ends]]]] = False
    is_closed[label[chain.losses > 0]] = False
    return [np.flatnonzero(label == each) for each in np.flatnonzero(is_closed)]


def _within(chain: Rows, states: Int[np.ndarray, " K"]) -> Rows:
    """Return the chain of some states: what leaves them for others is lost."""
    left = np.ones(len(chain.moves), bool)
    left[states] = False
    losses = chain.losses[states] + chain.moves[states] @ left
    block = np.ix_(states, states)
    return Rows(chain.moves[block], losses, None if chain.times is None else chain.times[block])


def _enter(
    chain: Rows,
    rest: Int[np.ndarray, " R"],
    classes: list[Int[np.ndarray, " _"]],
    values: Float[np.ndarray, "S S"],
    times: Float[np.ndarray, "S S"] | None,
) -> None:
    """Fill in arrivals in closed classes from other states: once inside, each state is reached."""
    order = np.concatenate([rest, *classes])
    entering = onward(_in_order(chain.of(rest), order[: len(rest)], order[len(rest) :]))
    begins = np.cumsum([0, *map(len, classes)])
    entered = np.add.reduceat(entering.moves, begins[:-1], axis=1)
    # What enters one class only, and loses nothing, does so for certain.
    sure = (entering.losses == 0) & ((entered > 0).sum(axis=1) == 1)
    entered = np.where(sure[:, None] & (entered > 0), 1, np.minimum(entered, 1))
    for number, inner in enumerate(classes):
        values[np.ix_(rest, inner)] = entered[:, [number]]
        if times is not None and entering.times is not None:
            part = slice(begins[number], begins[number + 1])
            before = entering.times[:, part].sum(axis=1, keepdims=True)
            later = entering.moves[:, part] @ times[np.ix_(inner, inner)]
            times[np.ix_(rest, inner)] = before + later


def _all_to_all(
    chain: Rows,
) -> tuple[Float[np.ndarray, "K K"], Float[np.ndarray, "K K"] | None]:
    """Return what `first_passage` does, by halving the states alone."""
    size = len(chain.moves)
    values, times = np.eye(size), None if chain.times is None else np.zeros((size, size))
    # States, where they lead, the states that were eliminated, and where those first enter them.
    left = [(np.arange(size), chain, np.arange(0), chain.of(slice(0)))]
    while left:
        states, inner, others, before = left.pop()
        if len(states) == 1:
            # Discounts and losses sum to 1, so what loses nothing arrives for certain.
            sure = before.losses == 0
            values[others, states] = np.where(sure, 1, np.minimum(before.moves[:, 0], 1))
            if times is not None and before.times is not None:
                times[others, states] = before.times.reshape(-1)
            continue
        middle = (len(states) + 1) // 2
        halves = slice(0, middle), slice(middle, len(states))
        for out, kept in (halves, halves[::-1]):
            away = onward(_in_order(inner.of(out), out, kept))
            smaller = inner.of(kept).through(out, kept, away)
            entering = joined(before.through(out, kept, away), away)
            left.append((states[kept], smaller, np.concatenate([others, states[out]]), entering))
    return values, times


def onward(rows: Rows) -> Rows:
    """Return where the first A of N states lead when they have left each other for good."""
    count = len(rows.moves)
    if count <= ONE_BY_ONE:
        return _one_by_one(rows)
    middle = count // 2
    first, last, later = slice(0, middle), slice(middle, count), slice(middle, None)
    upper = onward(rows.of(first))
    lower = onward(rows.of(last).through(first, later, upper))
    upper = upper.through(slice(0, count - middle), slice(count - middle, None), lower)
    return joined(upper, lower)


def joined(upper: Rows, lower: Rows) -> Rows:
    """Return the rows of both."""
    times = None
    if upper.times is not None and lower.times is not None:
        times = np.concatenate([upper.times, lower.times])
    moves = np.concatenate([upper.moves, lower.moves])
    return Rows(moves, np.concatenate([upper.losses, lower.losses]), times)


def _one_by_one(rows: Rows) -> Rows:
    """Return where a few states lead: products with what they lead to among themselves."""
    from first_occupancy.representations._solvers.few_states import powers

    count = len(rows.moves)
    within, beyond = rows.moves[:, :count], rows.moves[:, count:]
    inverse, losses = powers(np.ascontiguousarray(within), beyond.sum(axis=1), rows.losses)
    moves, times = inverse @ beyond, rows.times
    if times is not None:
        if times.ndim == 2:
            times = times[:, :count] @ moves + times[:, count:]
        times = inverse @ times
    return Rows(moves, losses, times)


def _in_order(rows: Rows, first: States, last: States) -> Rows:
    """Return rows with some columns first and others last."""
    moves = np.concatenate([rows.moves[:, first], rows.moves[:, last]], axis=1)
    times = rows.times
    if times is not None and times.ndim == 2:
        times = np.concatenate([times[:, first], times[:, last]], axis=1)
    return Rows(moves, rows.losses, times)
