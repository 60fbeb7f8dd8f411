"""How long do hitting times of sparse chains take, next to other libraries and to plain products?

- The mean time to one state of a chain of 6,000 states with 5 random successors each: PyDTMC and
  deeptime, if they are installed, and SciPy's `spsolve` on the same equations.
- A million states with two absorbing classes: the expected discount at 0.99 and the probability of
  ending in the first class, next to 100 products with the same matrix.
"""

import resource
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from measuring import Row, best_times, compared, main
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import spsolve

import first_occupancy as fo

AT_LEAST, PRODUCTS, AT_MOST, MOST_GIB = 20, 100, 20, 2


def measure(quick: bool) -> Iterable[Row]:
    """Yield a row for each peer, and one for each question about the large chain."""
    size = 1000 if quick else 6000
    chain = random_chain(size)

    def ours() -> np.ndarray:
        return fo.hitting(chain, 7).mean

    for name, peer in peers(chain, 7).items():
        best = best_times({"ours": ours, "peer": peer}, repeats=1 if quick else 3)
        others = np.arange(size) != 7
        gap = float(np.abs(np.asarray(peer())[others] / ours()[others] - 1).max())
        yield compared(
            f"mean time to one state (largest relative difference {gap:.1e})",
            f"{size:,} states, 5 random successors",
            ours=("fo.hitting", best["ours"]),
            peer=(name, best["peer"]),
            ratio=best["peer"] / best["ours"],
            unit="times faster",
            at_least=AT_LEAST,
        )
    yield from with_two_classes(10_000 if quick else 1_000_000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield compared(
        "memory of all of these", "the whole process", ours=("peak", 0.0), peer=("limit", 0.0),
        ratio=peak, unit="GiB", at_most=MOST_GIB,
    )  # fmt: skip


def random_chain(size: int, ends: int = 0) -> csr_array:
    """Return a chain of 5 random successors; the last states, `ends`, are absorbing."""
    rng = np.random.default_rng(0)
    successors = rng.integers(0, size, (size, 5))
    shares = rng.dirichlet(np.ones(5), size)
    absorbing = np.arange(size) >= size - ends
    successors[absorbing] = np.arange(size)[absorbing, None]
    starts = np.arange(0, 5 * size + 1, 5)
    chain = csr_array((shares.ravel(), successors.ravel(), starts), (size, size))
    chain.sum_duplicates()
    return chain


def peers(chain: csr_array, target: int) -> dict[str, Callable[[], Any]]:
    """Return the functions of other libraries that compute the same numbers."""
    others = np.flatnonzero(np.arange(chain.shape[0]) != target)

    def scipy() -> np.ndarray:
        inner = chain[others][:, others]
        times = np.zeros(chain.shape[0])
        times[others] = spsolve((eye_array(len(others)) - inner).tocsc(), np.ones(len(others)))
        return times

    found: dict[str, Callable[[], Any]] = {"SciPy spsolve": scipy}
    dense = chain.toarray()
    dense /= dense.sum(axis=1, keepdims=True)
    if find_spec("deeptime"):
        from deeptime.markov.tools.analysis import mfpt

        found["deeptime, dense"] = lambda: mfpt(dense, target)
    if find_spec("pydtmc"):
        from pydtmc import MarkovChain

        states = [str(number) for number in range(len(dense))]
        # Its constructor looks for properties that take far longer than the times themselves.
        known = MarkovChain(dense, states)
        found["PyDTMC"] = lambda: known.hitting_times([target])
    return found


def with_two_classes(size: int) -> Iterable[Row]:
    """Yield a row for the expected discount and one for the probability of the first class."""
    ends = size // 50
    chain = random_chain(size, ends)
    first, second = np.arange(size - ends, size - ends // 2), np.arange(size - ends // 2, size)
    values = np.ones(size)

    def products() -> np.ndarray:
        found = values
        for _ in range(PRODUCTS):
            found = chain @ found
        return found

    def discounted() -> np.ndarray:
        return fo.hitting(chain, first, avoid=second, discount=0.99).expected_discount

    def probability() -> np.ndarray:
        return fo.hitting(chain, first, avoid=second).probability

    for name, ours in (("expected discount at 0.99", discounted), ("probability", probability)):
        best = best_times({"ours": ours, "products": products}, repeats=1)
        yield compared(
            f"{name} of the first of two absorbing classes",
            f"{size:,} states",
            ours=("fo.hitting", best["ours"]),
            peer=(f"{PRODUCTS} products", best["products"]),
            ratio=best["ours"] / best["products"],
            unit="times as long",
            at_most=AT_MOST,
        )


if __name__ == "__main__":
    main(measure)
