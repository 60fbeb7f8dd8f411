"""How near are exact FRs to the speed of matrix products; what do sparse chains and updates save?

The chains are those of "always right" with a little noise in mazes of which a fifth is
walls. Everything is in float64 and right in every entry.
"""

from collections.abc import Iterable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from measuring import Row, best_times, compared, main
from scipy.sparse import csr_array
from worlds import random_maze

from first_occupancy.representations import first_occupancy, successor, updates

DISCOUNT, NOISE = 0.95, 0.1


def measure(quick: bool) -> Iterable[Row]:
    """Yield rows for the dense solve, some columns of a sparse chain, and a changed wall."""
    with jax.enable_x64(True):
        yield _dense(400 if quick else 4096)
        yield _columns(30 if quick else 64)
        yield from _changed_wall(20 if quick else 64)


def policy_chain(next_states: np.ndarray, *, wall: int | None = None) -> csr_array:
    """Return the chain of the second move under noise; a wall leads nowhere, and nothing there."""
    here = np.arange(next_states.shape[1])
    if wall is not None:
        next_states = np.where((next_states == wall) | (here == wall), here, next_states)
    chances = np.full(len(next_states), NOISE / len(next_states))
    chances[1] += 1 - NOISE
    where = (np.tile(here, len(next_states)), next_states.ravel())
    return csr_array((np.repeat(chances, len(here)), where), shape=(len(here), len(here)))


def _dense(size: int) -> Row:
    side = int(np.ceil((size / 0.7) ** 0.5))
    chain = policy_chain(random_maze(side).next_states)[:size, :size].toarray()
    # Where the part that was cut off would be entered, one stays instead.
    chain[np.arange(size), np.arange(size)] += 1 - chain.sum(axis=1)
    chain, factor = jnp.asarray(chain), jnp.asarray(np.random.default_rng(0).random((size, size)))
    product = jax.jit(lambda matrix: jnp.matmul(matrix, matrix, precision="highest"))
    best = best_times(
        {
            "ours": lambda: first_occupancy.solve(chain, discount=DISCOUNT),
            "product": lambda: product(factor),
        },
        repeats=3,
    )
    # Elimination does 2 S^3 operations, as many as one product.
    return compared(
        "exact dense FR, float64",
        f"S = {size:,}",
        ours=("first_occupancy.solve", best["ours"]),
        peer=("one matrix product, as many operations", best["product"]),
        ratio=best["product"] / best["ours"],
        unit="of the product's rate",
        at_least=0.5,
    )


def _columns(side: int) -> Row:
    chain = policy_chain(random_maze(side).next_states)
    dense = jnp.asarray(chain.toarray())
    goals = np.random.default_rng(0).integers(chain.shape[0], size=10)
    best = best_times(
        {
            "ours": lambda: first_occupancy.solve_columns(chain, goals, discount=DISCOUNT),
            "all": lambda: first_occupancy.solve(dense, discount=DISCOUNT),
        },
        repeats=3,
    )
    return compared(
        "exact FR, sparse chain, 10 goals",
        f"S = {chain.shape[0]:,}",
        ours=("solve_columns", best["ours"]),
        peer=("solve, dense", best["all"]),
        ratio=best["all"] / best["ours"],
        unit="x faster",
    )


def _changed_wall(side: int) -> Iterator[Row]:
    next_states = random_maze(side).next_states
    wall = next_states.shape[1] // 2
    before, after = policy_chain(next_states), policy_chain(next_states, wall=wall)
    rows = np.unique((before != after).nonzero()[0])
    dense, sr = jnp.asarray(after.toarray()), successor.solve(before, discount=DISCOUNT)
    again = np.asarray(successor.solve(dense, discount=DISCOUNT))
    calls = {
        "change": lambda: updates.change_rows(sr, after, rows, discount=DISCOUNT),
        "again": lambda: successor.solve(dense, discount=DISCOUNT),
    }
    best = best_times(calls, repeats=5)
    ours = np.asarray(calls["change"]())
    off = np.abs(ours[again > 0] / again[again > 0] - 1).max()
    same = off < 1e-10 and not ours[again == 0].any()
    yield compared(
        "one wall changed" if same else f"one wall changed, WRONG by {off:.1g}",
        f"S = {len(ours):,}, {len(rows)} rows",
        ours=("change_rows", best["change"]),
        peer=("solve again", best["again"]),
        ratio=best["again"] / best["change"] if same else 0.0,
        unit=f"x faster (entries equal to {off:.0e})",
        at_least=15,
    )


if __name__ == "__main__":
    main(measure)
