r"""SRs and FRs of chains on grids, whose steps lead to the same or a neighbouring row only.

With the states of a maze numbered row by row, $A = \gamma P$ is block tridiagonal, with blocks
$A_{i,i-1}, A_{ii}, A_{i,i+1}$. The expected visits to row i from row i, on paths that never go
below it, are computed from the first row down,

$$U_i = (I - A_{ii} - A_{i,i-1} U_{i-1} A_{i-1,i})^{-1},$$

and everything else follows from the last row up. A path from row i that goes below it and returns
has a first step down and a last step up between rows i and i + 1; a path to a row j below has only
the first step down, and a path from there only the last step up:

$$M_{ii} = U_i + U_i A_{i,i+1} M_{i+1,i+1} A_{i+1,i} U_i, \qquad
  M_{ij} = U_i A_{i,i+1} M_{i+1,j}, \qquad M_{ji} = M_{j,i+1} A_{i+1,i} U_i \quad (j > i).$$

This takes $2 S^2 W$ operations for rows of W states, where dense elimination takes $2 S^3$. As
there, only non-negative terms are added. The matrices that are inverted are $I - B$ with rows of B
that sum to less than 1, so their transposes are diagonally dominant by columns, LAPACK exchanges no
rows of those, and each entry is accurate relative to its own size (see `sparse`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import get_lapack_funcs
from scipy.sparse import coo_array

from first_occupancy.core.errors import InputError, check_discount
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.representations._solvers.sparse import Chain, sparse_chain

_factorise, _substitute = get_lapack_funcs(("gbtrf", "gbtrs"), dtype=np.float64)


class Blocks(NamedTuple):
    """Discounted probabilities of steps from each row to the row above, itself, the row below."""

    up: Float[np.ndarray, "*N H W W"]
    along: Float[np.ndarray, "*N H W W"]
    down: Float[np.ndarray, "*N H W W"]


class Visits(NamedTuple):
    """Visits within each row, and the factors that lead to the next row and back.

    `own[i]` is $M_{ii}$. `onward[i]` is $U_i A_{i,i+1}$, the expected discount at the first entry
    into row i + 1 from row i. `back[i]` is $A_{i+1,i} U_i$, the visits to row i after the last step
    up from row i + 1.
    """

    own: Float[np.ndarray, "*N H W W"]
    onward: Float[np.ndarray, "*N H-1 W W"]
    back: Float[np.ndarray, "*N H-1 W W"]


def solve_successor(chain: Chain, *, discount: float, width: int) -> Float[np.ndarray, "S S"]:
    """Return the exact SR of a chain whose states are arranged in rows of `width`.

    >>> corridor = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    >>> solve_successor(corridor, discount=0.5, width=1).tolist()
    [[1.0, 0.5, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]
    """
    visits = _visits(_blocks("solve_successor", chain, discount, width))
    return _spread(visits, np.empty(chain.shape))


def solve(chain: Chain, *, discount: float, width: int) -> Float[np.ndarray, "S S"]:
    """Return the exact FR of a chain whose states are arranged in rows of `width`."""
    visits = _visits(_blocks("solve", chain, discount, width))
    return _spread(_first_only(visits), np.empty(chain.shape))


def solve_each(blocks: Blocks) -> Iterator[Float[np.ndarray, "S S"]]:
    """Yield the exact FR of each of N chains given by their blocks [N H W W], one after the other.

    Each overwrites the one before in a single array, because allocating memory would take longer
    than filling it. Nothing is checked: entries must be non-negative, and rows must sum to less
    than 1.
    """
    _, height, width, _ = blocks.along.shape
    memory = np.empty((height * width, height * width))
    for visits in zip(*_first_only(_visits(blocks)), strict=True):
        _spread(Visits(*visits), memory)
        yield memory


def solve_row(
    blocks: Blocks, state: int
) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return M(s, .) of one state and M(g, g) of all; their quotient is a row of the FR.

    Takes $S W^2$ operations and no S x S array. As in `solve_each`, nothing is checked.

    >>> corridor = np.array([[0.0, 0.0], [0.0, 0.5], [0.5, 0.0]])[:, :, None, None]
    >>> [visits.tolist() for visits in solve_row(Blocks(*corridor), 0)]
    [[1.0, 1.0], [1.0, 2.0]]
    """
    own, onward, back = _visits(blocks)
    height, width, _ = own.shape
    begin, place = divmod(state, width)
    row, arrivals = np.empty((height, width)), np.eye(width)[place]
    for below in range(begin, height):
        row[below] = arrivals @ own[below]
        if below + 1 < height:
            arrivals = arrivals @ onward[below]
    for above in reversed(range(begin)):
        row[above] = row[above + 1] @ back[above]
    return row.ravel(), own.diagonal(axis1=1, axis2=2).ravel()


def solve_column(
    begins: Int[np.ndarray, " K"],
    ends: Int[np.ndarray, " K"],
    chances: Float[np.ndarray, " K"],
    goal: int,
    discount: float,
) -> Float[np.ndarray, " S"]:
    """Return F(., goal) of a chain given by its transitions, between states with close numbers.

    Banded LU by LAPACK: $2 S B^2$ operations if the numbers of the states of a transition differ by
    at most B. Probabilities of repeated transitions add up. Every state must begin at least one
    transition; nothing is checked.

    >>> states = np.array([0, 1, 2])
    >>> solve_column(states, np.array([1, 2, 2]), np.ones(3), 2, 0.5)
    array([0.25, 0.5 , 1.  ])
    """
    size, band = int(begins.max()) + 1, int(np.abs(ends - begins).max())
    # Band storage of the transposed matrix, with the room that LAPACK needs for row exchanges. It
    # makes none, since the transposed matrix is diagonally dominant by columns.
    height = 3 * band + 1
    places = begins * height + 2 * band + ends - begins
    matrix = np.bincount(places, -discount * chances, size * height).reshape(size, height).T
    matrix[2 * band] += 1
    factors, exchanges, _ = _factorise(matrix, band, band, overwrite_ab=True)
    arrival = np.zeros(size)
    arrival[goal] = 1
    visits, _ = _substitute(factors, band, band, arrival, exchanges, trans=1)
    return visits / visits[goal]


def _blocks(caller: str, chain: Chain, discount: float, width: int) -> Blocks:
    check_discount(caller, discount)
    chain = sparse_chain(caller, chain, discount)
    chain.sum_duplicates()
    rows = coo_array(chain)
    size = rows.shape[0]
    if width < 1 or size % width:
        raise InputError(f"{caller}: width must divide the number of states, {size}, got {width}")
    (row, here), (next_row, there) = (divmod(state, width) for state in rows.coords)
    if (np.abs(next_row - row) > 1).any():
        raise InputError(
            f"{caller}: steps must lead to the same or a neighbouring row, "
            f"got one over {np.abs(next_row - row).max()} rows"
        )
    check_fits_on_host(caller, 8 * size**2, instead="solve_columns")
    blocks = np.zeros((3, size // width, width, width))
    blocks[next_row - row + 1, row, here, there] = discount * rows.data
    return Blocks(*blocks)


def _visits(blocks: Blocks) -> Visits:
    up, along, down = blocks
    own = np.empty_like(along)
    height = along.shape[-3]
    for row in range(height):
        within = along[..., row, :, :]
        if row:
            above = own[..., row - 1, :, :] @ down[..., row - 1, :, :]
            within = within + up[..., row, :, :] @ above
        own[..., row, :, :] = _inverse(within)
    onward = own[..., :-1, :, :] @ down[..., :-1, :, :]
    back = up[..., 1:, :, :] @ own[..., :-1, :, :]
    for row in reversed(range(height - 1)):
        below = own[..., row + 1, :, :] @ back[..., row, :, :]
        own[..., row, :, :] += onward[..., row, :, :] @ below
    return Visits(own, onward, back)


def _first_only(visits: Visits) -> Visits:
    """Return the factors of the FR, given those of the SR: visits to g divided by M(g, g)."""
    own, onward, back = visits
    each = own.diagonal(axis1=-2, axis2=-1).copy()
    turned = back * each[..., 1:, :, None] / each[..., :-1, None, :]
    return Visits(own / each[..., None, :], onward, turned)


def _spread(visits: Visits, result: Float[np.ndarray, "S S"]) -> Float[np.ndarray, "S S"]:
    """Fill `result` with the visits between all rows, from the last row up, and return it."""
    own, onward, back = visits
    height, width, _ = own.shape
    for row in reversed(range(height)):
        here = slice(row * width, (row + 1) * width)
        result[here, here] = own[row]
        if row + 1 < height:
            following, below = slice(here.stop, here.stop + width), slice(here.stop, None)
            np.matmul(onward[row], result[following, below], out=result[here, below])
            np.matmul(result[below, following], back[row], out=result[below, here])
    return result


def _inverse(matrix: Float[np.ndarray, "*N W W"]) -> Float[np.ndarray, "*N W W"]:
    """Return $(I - B)^{-1}$, by way of the transpose, of which LAPACK exchanges no rows."""
    return np.linalg.inv(np.eye(matrix.shape[-1]) - matrix.mT).mT
