r"""Sums of powers of a sparse non-negative matrix, by sweeps, with a proven bound on the error.

The least non-negative solution of $v = K v + b$, with K and b non-negative, is $\sum_k K^k b$.
Split $K = L + U$ by an order of the states, with L the moves to states that come earlier. A sweep
of Gauss and Seidel, $v \leftarrow (I - L)^{-1} (U v + b)$, updates one state after the other from
the newest values; with $L = 0$ it is Jacobi's. From $v_0 = 0$ on, the differences
$d_k = v_{k+1} - v_k$ follow

$$d_0 = (I - L)^{-1} b, \qquad d_{k+1} = M d_k, \qquad M = (I - L)^{-1} U \ge 0,$$

and v is their sum. So differences are swept, not values: only non-negative terms are added, entries
keep their relative accuracy, and zeros stay exact.

**What is missing.** Let $l\, d \le M d \le r\, d$ entry by entry, with $r < 1$. Since M is not
negative, $l^j d \le M^j d \le r^j d$ by induction, and what is missing after d, $\sum_{j \ge 1}
M^j d$, is

$$\frac{l}{1 - l}\, d \;\le\; \sum_{j \ge 1} M^j d \;\le\; \frac{r}{1 - r}\, d .$$

This bounds the error of each entry relative to the entry itself, and from both sides: the middle is
added, and half of the width stays as the error. The bounds only get better: $M d \le r d$ implies
$M (M d) \le r\, M d$. Differences tend to one direction, in which l = r, long before they are
small: on a random chain 30 sweeps are enough at every discount. For Jacobi's sweeps the same holds
with M = K.

In a periodic chain differences alternate between directions, and r may stay above 1. So two
sweeps are compared with the two before: with $D = d + M d$, $l D \le M^2 D \le r D$ bounds
$\sum_{j \ge 1} M^{2j} D$ in the same way.

**Order.** States come by their distance to where b is positive, nearest first. Each then reads a
state before it, so the first sweep reaches all states and no later ratio is infinite.

**Rounding.** A sum over the m successors of a state is computed to a relative $(m + 2) u$, u half
the distance from 1 to the next float. Nothing cancels, so errors add up along a path, to
$(m + 2) u$ for each jump. Ratios l and r are widened by `ROUNDINGS` such errors before they are
used, so the error that is returned includes what rounding does to $1 / (1 - r)$. Differences below
`TINY` are not compared.
"""

import numpy as np
from jaxtyping import Float, Int, Integer
from scipy.sparse import csr_array

from first_occupancy.core.compiled import compiled
from first_occupancy.representations._solvers.sparse import Compressed, compressed

ROUNDINGS = 2
"""By how many rounding errors of one sum ratios may be wrong."""

TINY = 1e-300
"""Differences below this, which lack digits or soon will, are not compared."""

FIRST_SWEEPS = 16
"""Sweeps before the first look at how fast they converge; twice as many before each further one."""

GUESSED = 16 * float(np.finfo(float).eps)
"""Residuals of a guess below this part of their terms are rounding errors."""

UNINTERRUPTED = 3e8
"""Moves that may be read before Ctrl-C is heard."""


def add_powers(
    matrix: csr_array | Compressed,
    order: Integer[np.ndarray, " R"],
    right: Float[np.ndarray, " S"],
    sums: Float[np.ndarray, " S"],
    *,
    tolerance: float,
    limit: int | float,
    rows: Integer[np.ndarray, " R"] | None = None,
) -> float:
    r"""Add $\sum_k K^k b$ to `sums`, in place, over the states of an order, nearest first.

    Each state follows one of the `rows` of the matrix, None for its own. The result is the proven
    relative error of `sums`; infinite if it takes more sweeps than the `limit` to reach the
    `tolerance`.
    """
    change, block = np.zeros(len(sums)), np.zeros(len(sums))
    moves = compressed(matrix)
    width = int(np.diff(matrix.indptr).max(initial=0))
    rounding = ROUNDINGS * (width + 2) * np.finfo(float).eps / 2
    chunk, most = FIRST_SWEEPS, max(FIRST_SWEEPS, int(UNINTERRUPTED / max(len(matrix.data), 1)))
    done, before = 0, (np.inf, np.inf)
    rows = order if rows is None else rows
    while True:
        now = _sweep(
            rows, *moves, order, right, sums, change, block, tolerance, rounding, chunk, done == 0
        )
        done += chunk
        if now[0] <= tolerance:
            return now[0]
        needed = (_remaining(*pair, tolerance, chunk) for pair in zip(before, now, strict=True))
        if done + min(needed) > limit:
            return np.inf
        before, chunk = now, min(done, most)


def corrected(
    matrix: csr_array | Compressed,
    order: Integer[np.ndarray, " R"],
    right: Float[np.ndarray, " S"],
    start: Float[np.ndarray, " S"],
    *,
    tolerance: float,
    limit: int | float,
    rows: Integer[np.ndarray, " R"] | None = None,
) -> Float[np.ndarray, " S"] | None:
    """Return the solution of v = K v + b from a guess; None if that takes long or loses digits.

    A guess v leaves the residual b + K v - v. What its positive part adds and its negative part
    takes away are solutions of their own, with errors that are proven relative to the guess, which
    must not be negative.
    """
    rows = order if rows is None else rows
    moves = compressed(matrix)
    moved = []
    for part in _residual(rows, *moves, order, right, start):
        sums = start.copy()
        options = {"tolerance": tolerance / 10, "limit": limit, "rows": rows}
        if part.any() and np.isinf(add_powers(matrix, order, part, sums, **options)):
            return None
        moved.append(sums)
    # Both are within a tenth of what is allowed, relative to numbers at most nine times larger.
    above, below = moved
    solution = above - (below - start)
    return solution if (4 * solution[order] >= below[order]).all() else None


@compiled
def _residual(
    rows: Integer[np.ndarray, " R"],
    starts: Integer[np.ndarray, " S1"],
    ends: Integer[np.ndarray, " E"],
    weights: Float[np.ndarray, " E"],
    order: Integer[np.ndarray, " R"],
    right: Float[np.ndarray, " S"],
    guess: Float[np.ndarray, " S"],
) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return how far K v + b is above a guess v, and how far below, without rounding errors."""
    above, below = np.zeros(len(guess)), np.zeros(len(guess))
    for number, state in enumerate(order):
        total = right[state]
        for place in range(starts[rows[number]], starts[rows[number] + 1]):
            total += weights[place] * guess[ends[place]]
        error = GUESSED * (total + guess[state])
        if total > guess[state] + error:
            above[state] = total - guess[state]
        elif guess[state] > total + error:
            below[state] = guess[state] - total
    return above, below


def _remaining(before: float, now: float, tolerance: float, chunk: int) -> float:
    """Return how many more sweeps are needed if errors go on to fall as they did in a chunk."""
    if not now < before:
        return np.inf
    return 0.0 if np.isinf(before) else chunk * np.log(now / tolerance) / np.log(before / now)


@compiled
def _sweep(
    rows: Integer[np.ndarray, " R"],
    starts: Integer[np.ndarray, " S1"],
    ends: Integer[np.ndarray, " E"],
    weights: Float[np.ndarray, " E"],
    order: Integer[np.ndarray, " R"],
    right: Float[np.ndarray, " S"],
    sums: Float[np.ndarray, " S"],
    change: Float[np.ndarray, " S"],
    block: Float[np.ndarray, " S"],
    tolerance: float,
    rounding: float,
    limit: int,
    first: bool,
) -> tuple[float, float]:
    """Sweep two by two until what is missing is small; add the middle of its bounds.

    Returns:
        The relative error (infinite where there is no bound), and the largest relative change.
    """
    error = share = np.inf
    least = most = 0.0
    for count in range(0, limit, 2):
        low, high, share = np.inf, 0.0, 0.0
        for half in range(2):
            begins = first and count + half == 0
            for number, state in enumerate(order):
                total = right[state] if begins else 0.0
                for place in range(starts[rows[number]], starts[rows[number] + 1]):
                    total += weights[place] * change[ends[place]]
                both = change[state] + total
                change[state] = total
                sums[state] += total
                if half == 0:
                    continue
                old = block[state]
                block[state] = both
                if both > share * sums[state]:
                    share = both / sums[state]
                if old > TINY:
                    ratio = both / old
                    low, high = min(low, ratio), max(high, ratio)
                elif both > TINY:
                    high = np.inf
        high *= 1 + rounding
        error = np.inf
        if share == 0:
            error = 0.0
        elif high < 1:
            low *= 1 - rounding
            least, most = low / (1 - low), high / (1 - high)
            error = (most - least) / 2 * share / (1 + least * share)
        if error <= tolerance:
            for state in order:
                sums[state] += (most + least) / 2 * block[state]
            break
    return error, share


@compiled
def nearest_first(
    starts: Integer[np.ndarray, " S1"],
    ends: Integer[np.ndarray, " E"],
    weights: Float[np.ndarray, " E"],
    targets: Int[np.ndarray, " G"],
) -> tuple[Int[np.ndarray, " R"], int]:
    """Return the states that lead to targets, by their distance, targets first.

    Moves are given by columns; those of 0 lead nowhere. The second result is how many states are at
    the commonest distance.
    """
    order = np.empty(len(starts) - 1, np.int32)
    found = np.zeros(len(starts) - 1, np.bool_)
    count = 0
    for state in targets:
        if not found[state]:
            found[state] = True
            order[count] = state
            count += 1
    begin, widest = 0, 0
    while begin < count:
        end = count
        widest = max(widest, end - begin)
        for place in range(begin, end):
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                state = ends[entry]
                if weights[entry] > 0 and not found[state]:
                    found[state] = True
                    order[count] = state
                    count += 1
        begin = end
    return order[:count], widest
