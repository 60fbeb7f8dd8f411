r"""SRs and FRs of chains on grids: states in rows, steps to the same or a neighbouring row only.

With the states of a maze numbered row by row, $A = \gamma P$ has the blocks
$A_{i,i-1}, A_{ii}, A_{i,i+1}$ and nothing else. What happens above row i, or below it, is summed up
once,

$$U_i = (I - A_{ii} - A_{i,i-1} U_{i-1} A_{i-1,i})^{-1}, \qquad
  D_i = (I - A_{ii} - A_{i,i+1} D_{i+1} A_{i+1,i})^{-1},$$

and every path from row i to a row j below it has a last step from row j - 1 to row j, so

$$M_{ij} = M_{i,j-1}\, A_{j-1,j}\, D_j \quad (j > i), \qquad
  M_{ij} = M_{i,j+1}\, A_{j+1,j}\, U_j \quad (j < i).$$

That takes $2 S^2 W$ operations for rows of W states, where `successor.solve` takes $2 S^3$. Only
non-negative terms are added, as there: the blocks that are inverted have rows that sum to less
than 1, so their transposes are dominated by their diagonals, LAPACK exchanges no rows of those, and
each entry comes out accurate relative to its own size (see `sparse`).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.sparse import coo_array

from first_occupancy.core.errors import InputError, check_discount
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.representations.sparse import Chain, sparse_chain


class Blocks(NamedTuple):
    """Discounted chances to step from each row to the one above it, within it, and to the next."""

    up: Float[np.ndarray, "H W W"]
    along: Float[np.ndarray, "H W W"]
    down: Float[np.ndarray, "H W W"]


class Detours(NamedTuple):
    """Visits within each row by way of itself and the rows above it, or below it."""

    above: Float[np.ndarray, "H W W"]
    below: Float[np.ndarray, "H W W"]


def solve_successor(chain: Chain, discount: float, *, width: int) -> Float[np.ndarray, "S S"]:
    """Return the exact SR of a chain whose states stand in rows of `width`.

    >>> corridor = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    >>> solve_successor(corridor, 0.5, width=1).tolist()
    [[1.0, 0.5, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]
    """
    check_discount("solve_successor", discount)
    blocks = _blocks(chain, discount, width)
    height = len(blocks.along)
    check_fits_on_host("solve_successor", 8 * (height * width) ** 2, instead="solve_columns")
    return _spread(blocks, _detours(blocks)).T


def solve(chain: Chain, discount: float, *, width: int) -> Float[np.ndarray, "S S"]:
    """Return the exact FR of a chain whose states stand in rows of `width`, M(s, g) / M(g, g)."""
    check_discount("solve", discount)
    return solve_blocks(_blocks(chain, discount, width))


def solve_blocks(blocks: Blocks) -> Float[np.ndarray, "S S"]:
    """Return the exact FR of a chain given by its blocks, as who knows its world can make them.

    Nothing is checked: entries must not be negative, and rows must sum to less than 1.
    """
    visits = _spread(blocks, _detours(blocks))
    visits /= visits.diagonal()[:, None].copy()
    return visits.T


def own_visits(chain: Chain, discount: float, *, width: int) -> Float[np.ndarray, " S"]:
    """Return M(g, g) of every state g, in $S W^2$ operations and without any S x S array.

    A row of the SR (`sparse.Factors.rows`) divided by it is a row of the FR.

    >>> own_visits(np.array([[0.0, 1.0], [0.0, 1.0]]), 0.5, width=1).tolist()
    [1.0, 2.0]
    """
    check_discount("own_visits", discount)
    blocks = _blocks(chain, discount, width)
    return _own(blocks, _detours(blocks)).diagonal(axis1=1, axis2=2).ravel()


def _blocks(chain: Chain, discount: float, width: int) -> Blocks:
    chain = sparse_chain("solve_successor", chain)
    chain.sum_duplicates()
    rows = coo_array(chain)
    size = rows.shape[0]
    if width < 1 or size % width:
        raise InputError(
            f"solve_successor: width must divide the number of states, {size}, got {width}"
        )
    (row, here), (next_row, there) = (divmod(state, width) for state in rows.coords)
    if (np.abs(next_row - row) > 1).any():
        raise InputError(
            "solve_successor: steps must lead to the same or a neighbouring row, "
            f"got one over {np.abs(next_row - row).max()} rows"
        )
    blocks = np.zeros((3, size // width, width, width))
    blocks[next_row - row + 1, row, here, there] = discount * rows.data
    return Blocks(*blocks)


def _detours(blocks: Blocks) -> Detours:
    """Return what happens above each row and below it, both at once, from either end."""
    turned = Blocks(blocks.down[::-1], blocks.along[::-1], blocks.up[::-1])
    up, along, down = (np.stack(pair) for pair in zip(blocks, turned, strict=True))
    visits = np.zeros_like(along)
    detour = np.zeros_like(along[:, 0])
    for row in range(along.shape[1]):
        if row:
            detour = up[:, row] @ visits[:, row - 1] @ down[:, row - 1]
        visits[:, row] = _inverse(along[:, row] + detour)
    return Detours(visits[0], visits[1, ::-1])


def _own(blocks: Blocks, detours: Detours) -> Float[np.ndarray, "H W W"]:
    """Return the visits of every row's states to each other, by way of anywhere."""
    above, below = detours
    within = blocks.along.copy()
    within[1:] += blocks.up[1:] @ above[:-1] @ blocks.down[:-1]
    within[:-1] += blocks.down[:-1] @ below[1:] @ blocks.up[1:]
    return _inverse(within)


def _spread(blocks: Blocks, detours: Detours) -> Float[np.ndarray, "S S"]:
    """Return the transposed SR, one row of cells as targets after the other."""
    height, width, _ = blocks.along.shape
    own, (above, below) = _own(blocks, detours), detours
    onward, back = blocks.down[:-1] @ below[1:], blocks.up[1:] @ above[:-1]
    result = np.empty((height * width, height * width))
    cells = [slice(row * width, (row + 1) * width) for row in range(height)]
    for row, here in enumerate(cells):
        result[here, here] = own[row].T
        if row:
            before = slice(0, here.start)
            result[here, before] = onward[row - 1].T @ result[cells[row - 1], before]
    for row in range(height - 2, -1, -1):
        after = slice(cells[row].stop, None)
        result[cells[row], after] = back[row].T @ result[cells[row + 1], after]
    return result


def _inverse(matrix: Float[np.ndarray, "*H W W"]) -> Float[np.ndarray, "*H W W"]:
    """Return the sum of a matrix' powers; transposed, so that LAPACK exchanges no rows."""
    return np.linalg.inv(np.eye(matrix.shape[-1]) - matrix.mT).mT
