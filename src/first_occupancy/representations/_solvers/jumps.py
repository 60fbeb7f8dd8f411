r"""The jump chain: where a chain goes when it leaves a state, and what is lost until then.

For discounted moves K that lose $\ell(s)$ in every step, following the chain until it leaves s
leads to

$$J(s, s') = \frac{K(s, s')}{\ell(s) + \sum_{x \ne s} K(s, x)} \quad (s' \ne s),
  \qquad J(s, s) = 0 .$$

First arrivals are the same in both chains, but the jump chain keeps their digits. Its entries are
quotients of sums of non-negative terms, so a state that is hardly ever left is no special case. The
diagonal of K is not read, so mass missing from rounded rows counts as staying. What is lost is
known by itself, not as the difference of a sum to 1: it is exactly 0 where nothing is lost.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array

from first_occupancy.core.action_worlds import scaled_rows


class Jumps(NamedTuple):
    """The jump chain of discounted moves."""

    moves: csr_array
    """J, the expected discount of leaving each state for each other; without diagonal."""
    losses: Float[np.ndarray, " S"]
    """What is lost of each state's discount on the way out: exactly 0 where moves are not
    discounted, and 1 in states that are never left."""
    times: csr_array | None = None
    """Expected time of leaving each state for each other, weighted by its probability; None if
    moves are discounted."""


def jump_chain(
    kernel: csr_array,
    losses: Float[np.ndarray, " S"] | float = 0.0,
    *,
    elapsed: csr_array | None = None,
    waiting: Float[np.ndarray, " S"] | float = 0.0,
) -> Jumps:
    """Return the jump chain of discounted moves K.

    `elapsed` is the expected duration of each move, weighted by its probability; None to do without
    times. The diagonals are not read.
    """
    moves = without_diagonal(kernel)
    lost = np.broadcast_to(np.asarray(losses, np.float64), moves.shape[:1])
    leaving = lost + np.asarray(moves.sum(axis=1))
    with np.errstate(divide="ignore", over="ignore"):
        scale = np.where(leaving > 0, 1 / leaving, 0)
    # A subnormal number has no reciprocal: what leaves so rarely never does.
    scale[np.isinf(scale)] = 0
    jumps, lost = scaled_rows(moves, scale), np.where(scale > 0, lost * scale, 1)
    if elapsed is None:
        return Jumps(jumps, lost)
    until_left = scaled_rows(jumps, np.broadcast_to(waiting, lost.shape) * scale)
    times = csr_array(scaled_rows(without_diagonal(elapsed), scale) + until_left)
    return Jumps(jumps, lost, times)


def without_diagonal(kernel: csr_array) -> csr_array:
    """Return the entries of a matrix that are above 0 and off the diagonal, in canonical order."""
    rows = np.repeat(np.arange(kernel.shape[0]), np.diff(kernel.indptr))
    there = (kernel.indices != rows) & (kernel.data > 0)
    counts = np.bincount(rows[there], minlength=kernel.shape[0])
    starts = np.append(0, counts.cumsum()).astype(kernel.indptr.dtype)
    found = csr_array((kernel.data[there], kernel.indices[there], starts), shape=kernel.shape)
    found.sum_duplicates()
    return found
