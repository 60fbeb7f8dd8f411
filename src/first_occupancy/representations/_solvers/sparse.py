r"""Columns of the SR of sparse chains, for selected goals.

$(I - \gamma P)\, M_{\cdot g} = e_g$ is solved with one sparse LU factorisation for all goals.
Pivots are taken from the diagonal, in an order that keeps the factors sparse. This is safe because
the matrix is an M-matrix: its off-diagonal entries are at most 0 and remain so in both factors, so
that factorisation and substitution only add terms of one sign (Alfa, Xue & Ye 2002), and entries of
unreachable states are exactly 0. With the usual row exchanges neither would hold.

Only the pivots are differences. They lose digits where a chain is likely to return to a state:
their relative error is up to $\epsilon / e$, with e the smallest probability of ending, and the
entries inherit it, each relative to its own size. Where e is small, entries are therefore refined:
the residual is computed with more digits (`numpy.longdouble`) and solved for again, until nothing
changes. As in the dense
`elimination`, the diagonal of the chain is not read: it is what makes a row and its exit sum to 1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax.dtypes import canonicalize_dtype
from jaxtyping import Array, Float, Int, Integer
from scipy.sparse import csc_array, csr_array, sparray, spmatrix
from scipy.sparse.linalg import splu

from first_occupancy.core.action_worlds import check_sparse_rows
from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import (
    SUM_TOLERANCE,
    InputError,
    as_given,
    check_discount,
    check_probabilities,
    check_shape,
    check_states,
    is_known,
    warn_of_discount,
)
from first_occupancy.core.memory import check_fits_on_host

SparseChain = sparray | spmatrix
"""Any sparse array or matrix of SciPy, of shape [S S]."""

AT_ONCE = 16
"""Right-hand sides per substitution: few enough for the cache and for BLAS on one thread."""

Chains = Float[Array, "*N S S"] | SparseChain | Sequence[SparseChain]
"""A chain, a stack of dense ones or a list of sparse ones."""

Chain = SparseChain | Float[Array, "S S"] | Float[np.ndarray, "S S"]


class Compressed(NamedTuple):
    """Rows or columns of a sparse matrix, under SciPy's names, as compiled loops read them."""

    indptr: Integer[np.ndarray, " R1"]
    indices: Integer[np.ndarray, " E"]
    data: Float[np.ndarray, " E"]


def compressed(matrix: csr_array | csc_array | Compressed) -> Compressed:
    """Return what loops read: indices without a sign take half the time.

    Numba tests others for being negative at each read, since those count from the end.
    """
    starts, ends = matrix.indptr, matrix.indices
    starts, ends = starts.view(f"u{starts.itemsize}"), ends.view(f"u{ends.itemsize}")
    return Compressed(starts, ends, matrix.data)


def are_sparse(chain: object) -> bool:
    """Return whether this is a list of sparse chains; raise unless chains are real numbers."""
    if not isinstance(chain, list | tuple | np.ndarray):
        return False
    if isinstance(chain, list | tuple) and chain and all(isinstance(c, SparseChain) for c in chain):
        return True
    try:
        kind = np.asarray(chain).dtype.kind
    except ValueError:  # ragged
        kind = "O"
    if kind not in "biuf":
        raise InputError(
            "solve: chain must be a matrix of real numbers, a stack of them, or sparse ones, got "
            f"{as_given(chain)}"
        )
    return False


REFINED_BELOW = 0.01
"""Solutions are refined if some state's probability of ending is below this."""

REFINEMENTS = 5
"""How often at most."""

SETTLED = 1e-9
"""Relative changes below which one more refinement would change nothing: each squares them."""


class Factors:
    """The LU factors of I - discount * chain, with every pivot from the diagonal."""

    def __init__(self, chain: csr_array, discount: float, *, exits: Float[np.ndarray, " S"]):
        """Factorise, with the states in an order that keeps the factors sparse."""
        self.size = chain.shape[0]
        self._system = _system(chain, discount, exits)
        self._is_refined = exits.min(initial=1) < REFINED_BELOW
        self._factors = splu(
            csc_array(self._system.astype(np.float64)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True, "Equil": False},
        )

    def columns(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, "S G"]:
        """Return M(., g) of each goal."""
        columns = np.empty((self.size, len(goals)))
        for begin in range(0, len(goals), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            columns[:, part] = self.solved(self._ones(goals[part]))
        return columns

    def rows(self, starts: Int[np.ndarray, " B"]) -> Float[np.ndarray, "B S"]:
        """Return M(s, .) of each start."""
        rows = np.empty((len(starts), self.size))
        for begin in range(0, len(starts), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            rows[part] = self.weighted_rows(self._ones(starts[part]).T)
        return rows

    def weighted_rows(self, weights: Float[np.ndarray, "B S"]) -> Float[np.ndarray, "B S"]:
        """Return weighted sums of the rows of M, `weights @ M`."""
        return self.solved(weights.T, trans="T").T

    def solved(self, right: Float[np.ndarray, "S B"], trans: str = "N") -> Float[np.ndarray, "S B"]:
        """Return the solution for right-hand sides that are not negative, nor is the solution."""
        first = found = self._factors.solve(right, trans=trans)
        if not self._is_refined:
            return found
        system = self._system.T if trans == "T" else self._system
        for _ in range(REFINEMENTS):
            missing = right - system @ found.astype(np.longdouble)
            change = self._factors.solve(missing.astype(np.float64), trans=trans)
            # What is not reached stays exactly 0, and rounding must not make visits negative.
            found = np.where(first == 0, 0, np.maximum(found + change, 0))
            if not (np.abs(change) > SETTLED * found).any():
                break
        return found

    def left_over(
        self, right: Float[np.ndarray, " S"], found: Float[np.ndarray, " S"]
    ) -> Float[np.ndarray, " S"]:
        """Return by how much a solution misses a right-hand side, computed with more digits."""
        return np.abs(right - self._system @ found.astype(np.longdouble)).astype(np.float64)

    def _ones(self, states: Int[np.ndarray, " B"]) -> Float[np.ndarray, "S B"]:
        ones = np.zeros((self.size, len(states)))
        ones[states, np.arange(len(states))] = 1
        return ones


def _system(chain: csr_array, discount: float, exits: Float[np.ndarray, " S"]) -> csr_array:
    """Return I - discount * chain with more digits, its diagonal as what leaves each state."""
    states = np.arange(chain.shape[0])
    starts = np.repeat(states, np.diff(chain.indptr))
    moves = chain.data.astype(np.longdouble) * np.longdouble(discount)
    moves[chain.indices == starts] = 0
    leaving = exits.astype(np.longdouble)
    np.add.at(leaving, starts, moves)
    diagonal = csr_array((leaving, states, np.arange(len(states) + 1)), chain.shape)
    return csr_array(diagonal - csr_array((moves, chain.indices, chain.indptr), chain.shape))


def visits_to(
    chain: Chain, goals: Int[np.ndarray, " G"], discount: float
) -> Float[np.ndarray, "S G"]:
    """Return M(s, g): the expected discounted visits to each goal g from every state s."""
    check_discount("solve_columns", discount)
    rows = checked_columns("solve_columns", chain, goals, discount)
    exits = np.full(rows.shape[0], 1 - discount)
    return Factors(rows, discount, exits=exits).columns(np.asarray(goals))


def checked_columns(
    caller: str, chain: Chain, goals: Int[np.ndarray, " G"], discount: float
) -> csr_array:
    """Return the chain as rows of float64, after checking what is asked for."""
    rows = sparse_chain(caller, chain, discount) if discount < 1 else checked_rows(caller, chain)
    check_states(caller, "goals", goals, rows.shape[0], least=1)
    if discount < 1:
        warn_of_discount(caller, discount, np.float64)
    needed = 3 * 8 * rows.shape[0] * len(goals)
    check_fits_on_host(caller, needed, instead="fewer goals at a time")
    return rows


def sparse_chain(caller: str, chain: Chain, discount: float) -> csr_array:
    """Return the chain as sparse float64 rows of probabilities, checked also by `check_shrinks`."""
    rows = checked_rows(caller, chain)
    check_shrinks(caller, rows, discount)
    return rows


def check_shrinks(
    caller: str, chain: Float[Array, "*N S S"] | SparseChain, discount: Scalar
) -> None:
    r"""Raise unless $\gamma \sum_{s'} P(s, s') < 1$ in every state s.

    Rows that sum to slightly more than 1 pass for distributions. If the discount is as close to 1,
    the sum of visits diverges, and solving for it would return negative numbers.
    """
    if not is_known(chain, discount):
        return
    # Round the discount as JAX will: to float32 with a float32 chain, even if x64 is enabled.
    dense = not isinstance(chain, SparseChain)
    given = canonicalize_dtype(getattr(chain, "dtype", float))
    precision = jnp.result_type(discount, given) if dense else np.float64
    factor = float(np.asarray(discount, precision))
    if factor * (1 + SUM_TOLERANCE) < 1:
        return  # Holds for any sum within the tolerance.
    rows = np.asarray(chain, dtype=np.float64) if dense else chain
    sums = np.asarray(rows.sum(axis=-1))
    too_large = np.argwhere(factor * sums >= 1)
    if len(too_large):
        where = tuple(too_large[0])
        *policies, state = where
        place = "".join(f"policy {policy}, " for policy in policies) + f"state {state}"
        raise InputError(
            f"{caller}: discount times the sum of each row of chain must be below 1, "
            f"got {factor} times {sums[where]:.12g} at {place}"
        )


def checked_rows(caller: str, chain: Chain) -> csr_array:
    """Return a chain as rows of float64, or raise unless they are distributions."""
    if not isinstance(chain, SparseChain):
        check_shape(caller, "chain", chain, "S S")
        check_probabilities(caller, "chain", chain, ("state",))
        return csr_array(np.asarray(chain, dtype=np.float64))
    rows = csr_array(chain, dtype=np.float64)
    if not rows.has_canonical_format:
        # SciPy would sort and sum the entries in place, in the caller's arrays.
        rows = rows.copy()
        rows.sum_duplicates()
    # The check only needs the shape, so a broadcast scalar saves memory.
    check_shape(caller, "chain", np.broadcast_to(0.0, rows.shape), "S S")
    check_sparse_rows(caller, "chain", rows)
    return rows
