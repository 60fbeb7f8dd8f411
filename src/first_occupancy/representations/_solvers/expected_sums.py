r"""Expected sums along a chain until it ends, $x = \sum_k J^k b$, with an error that is proved.

J is a jump chain without diagonal that ends from some states, b is not negative. Probabilities,
times and variances of first arrivals are such sums, with different b (`passage_equations`). Small
chains are eliminated without subtraction (`first_passage`); larger ones are solved by a Krylov
method (BiCGSTAB; van der Vorst 1992), which may stagnate, and then by sparse LU factors.

**The bound.** Whatever the method, let $r = b - (I - J)\, x$ be what its solution x leaves over.
The error is $\sum_k J^k r$, and J is not negative, so for every $w > 0$

$$|x^* - x| \le \max_i \frac{|r_i|}{w_i} \, \sum_k J^k w .$$

Three weights are tried, and the best bound counts: $w = b$, if it is positive, which bounds the
error of each entry relative to its own size by $\max_i |r_i| / b_i$; $w = 1$, where the sum is the
expected number of jumps; and $w = x$, where it is x times the expected number of jumps on the way.
These sums are solved for, and bounded by the first weight. Rounding in r is counted.
"""

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import bicgstab

from first_occupancy.core.errors import warn_of_precision
from first_occupancy.representations._solvers.first_passage import Rows, onward
from first_occupancy.representations._solvers.sparse import Factors

ELIMINATED_UP_TO = 200
"""States up to which elimination takes no longer than anything else."""

NEARLY_UNCOUPLED_UP_TO = 2000
"""States up to which chains that nothing else solves accurately are eliminated."""

FACTORISED_UP_TO = 300_000
"""States up to which LU factors are tried: mazes need little memory for them."""

ACCURATE = 1e-10
"""Proved relative error that is good enough."""

PRODUCTS = 1000
"""Steps of the Krylov method after which it is taken to stagnate."""

ROUNDS = 4
"""How often what is left over is solved for again."""

TINY = 1e-300
"""Smallest value whose relative error is counted."""

EPSILON = float(np.finfo(np.float64).eps)

Solver = Callable[[Float[np.ndarray, " R"]], Float[np.ndarray, " R"]]


class ExpectedSums:
    """The equations $(I - J) x = b$ of one chain, for many b.

    Args:
        jumps: J, without diagonal; all its states can end.
        exits: probability of ending at the next jump, what rows of J lack of 1.

    Attributes:
        error: largest relative error of the entries of any solution so far, as proved.
    """

    def __init__(self, jumps: csr_array, exits: Float[np.ndarray, " R"]) -> None:
        self.jumps, self.exits, self.error = jumps, exits, 0.0
        self._solvers = self._to_try()
        self._solver = next(self._solvers)
        self._width = float(np.diff(jumps.indptr).max(initial=0)) + 4

    def solved(self, right: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """Return x for one b, which is not negative."""
        found, error = self._solver(right), np.inf
        while not self._is_exact:
            error = self._error(right, found)
            other = None if error <= ACCURATE else next(self._solvers, None)
            if other is None:
                break
            self._solver = other
            vars(self).pop("_ahead", None)
            found = other(right)
        if self._is_exact:
            error = 2 * len(right) * EPSILON
        elif error > ACCURATE:
            warn_of_precision(
                f"hitting: relative errors are proved to be below {error:.2g} only, since parts of "
                f"these {len(right):,} states are hardly ever left"
            )
        self.error = max(self.error, error)
        return found

    @property
    def _is_exact(self) -> bool:
        return self._solver == self._by_elimination

    def _to_try(self) -> Iterator[Solver]:
        size = len(self.exits)
        if size > ELIMINATED_UP_TO:
            yield self._by_products
            if size <= FACTORISED_UP_TO:
                yield self._by_factors()
        if size <= NEARLY_UNCOUPLED_UP_TO:
            yield self._by_elimination

    def _by_elimination(self, right: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """Solve without subtraction: b is carried along like the times of the last jumps."""
        moves = np.column_stack([self.jumps.toarray(), self.exits])
        last = np.zeros_like(moves)
        last[:, -1] = right
        times = onward(Rows(moves, np.zeros(len(right)), last)).times
        return right if times is None else times[:, 0]

    def _by_products(self, right: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """Solve by products with the chain only, in several rounds that refine each other."""
        system = csr_array(eye_array(len(right), format="csr") - self.jumps)
        found, left = np.zeros(len(right)), right
        for _ in range(ROUNDS):
            with np.errstate(all="ignore"):
                change, _ = bicgstab(system, left, rtol=1e-9, atol=0.0, maxiter=PRODUCTS)
            if not np.isfinite(change).all():
                break
            found = np.maximum(found + change, 0)
            before, left = np.abs(left).max(), right - (found - self.jumps @ found)
            if not EPSILON * np.abs(found).max() < np.abs(left).max() < before / 2:
                break
        return found

    def _by_factors(self) -> Solver:
        try:
            factors = Factors(self.jumps, 1.0, exits=self.exits)
        except RuntimeError:  # the factor is exactly singular
            return self._by_products
        return lambda right: factors.solved(right[:, None])[:, 0]

    def _error(self, right: Float[np.ndarray, " R"], found: Float[np.ndarray, " R"]) -> float:
        """Return a bound on the relative error of every entry of a solution."""
        if not np.isfinite(found).all():
            return np.inf
        own = _relative(self._left(right, found, right)) if right.min() > 0 else np.inf
        if own <= ACCURATE:
            return own
        values = np.maximum(found, TINY)
        bounds = [own]
        for weights in (np.ones(len(right)), values):
            ahead = self._ahead if weights is not values else self._bounded(values)
            share = self._left(right, found, weights) * float((ahead / values).max())
            bounds.append(share)
            if share <= ACCURATE:
                break
        return min(bounds)

    @cached_property
    def _ahead(self) -> Float[np.ndarray, " R"]:
        """An upper bound on the expected number of jumps from each state."""
        return self._bounded(np.ones(len(self.exits)))

    def _bounded(self, right: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """Return an upper bound on the solution for a positive b."""
        found = self._solver(right)
        if not np.isfinite(found).all():
            return np.full(len(right), np.inf)
        return found * (1 + _relative(self._left(right, found, right)))

    def _left(
        self,
        right: Float[np.ndarray, " R"],
        found: Float[np.ndarray, " R"],
        weights: Float[np.ndarray, " R"],
    ) -> float:
        """Return the largest share of the weights that a solution leaves over, or rounding may."""
        onward = self.jumps @ found
        left = np.abs(right - (found - onward))
        rounding = self._width * EPSILON * (right + found + onward)
        return float(((left + rounding) / weights).max())


def _relative(share: float) -> float:
    """Return the relative error of a solution that leaves over a share of its positive b."""
    return share / (1 - share) if share < 1 else np.inf
