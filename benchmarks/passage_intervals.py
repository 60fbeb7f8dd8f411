"""How often do 95% intervals of first passage from logs hold the truth?

Three chains (a journey with two ends, a corridor that drifts to one of two ends, a random chain of
20 states), of which the passage is known; 2,000 logs of 300 to 1,500 recorded moves in all.
Coverage is the share of intervals that hold the truth, over the states and logs in which the
truth is strictly inside its range (for means, above 0 and finite), pooled: of all of them, whether
trusted or not, and of the trusted ones.
"""

from collections.abc import Iterable, Iterator

import jax
import numpy as np
from measuring import Row, compared, main, once

import first_occupancy as fo

AT_LEAST, NUM_LOGS, NUM_RESAMPLES = 0.93, 2000, 200


def chains() -> Iterator[tuple[str, np.ndarray, list[int], int]]:
    """Yield the name, the chain, the targets, and how many moves are recorded from each state."""
    journey = np.array([
        [0.30, 0.40, 0.10, 0.00, 0.20], [0.25, 0.25, 0.30, 0.00, 0.20],
        [0.10, 0.20, 0.20, 0.30, 0.20], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1],
    ])  # fmt: skip
    yield "journey", journey, [3], 100
    corridor = np.eye(9, k=1) * 0.55 + np.eye(9, k=-1) * 0.45
    corridor[[0, -1]] = np.eye(9)[[0, -1]]
    yield "corridor", corridor, [8], 80
    rng, rows = np.random.default_rng(7), np.zeros((20, 20))
    for row in rows:
        row[rng.choice(20, 4, replace=False)] = rng.dirichlet(np.ones(4) * 2)
    rows[19] = np.eye(20)[19]
    yield "random", rows, [0], 75


def measure(quick: bool) -> Iterable[Row]:
    """Yield two rows for probabilities and two for means: all intervals, and the trusted ones."""
    jax.config.update("jax_enable_x64", True)
    number, known = 60 if quick else NUM_LOGS, list(chains())
    found: dict[str, list[np.ndarray]] = {"probability": [], "mean": []}

    def run() -> None:
        for log in range(number):
            _, chain, targets, moves = known[log % len(known)]
            for name, rows in _judged(chain, targets, moves, log):
                found[name].append(rows)

    seconds = once(run)
    for name, parts in found.items():
        each = np.concatenate(parts)
        for which, rows in (("all", each), ("trusted", each[each[:, 1] > 0])):
            yield compared(
                f"coverage of {which} 95% intervals of the {name}, {len(rows):,} intervals",
                f"{number:,} logs of three chains",
                ours=(f"median width relative to the truth {np.median(rows[:, 2]):.3f}", seconds),
                peer=("nominal", seconds),
                ratio=float(rows[:, 0].mean()),
                unit="share",
                at_least=AT_LEAST,
            )


def _judged(
    chain: np.ndarray, targets: list[int], moves: int, seed: int
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield whether intervals of one log hold the truth, are trusted, and their width."""
    rng, size = np.random.default_rng(seed), len(chain)
    left = np.setdiff1d(np.arange(size), targets)
    left = left[chain[left, left] < 1]
    states = np.repeat(left, moves)
    sums = chain.cumsum(axis=1)
    ends = (sums[states] < rng.random((len(states), 1))).sum(axis=1).clip(max=size - 1)
    log, truth = fo.transition_log(states, ends, num_states=size), fo.hitting(chain, targets)
    found = fo.hitting(log, targets).intervals(num_resamples=NUM_RESAMPLES, seed=seed)
    for name, highest in (("probability", 1 - 1e-12), ("mean", 1e300)):
        each, exact = getattr(found, name), getattr(truth, name)
        inside = (exact > 0) & (exact < highest)
        low, high, trusted = (
            np.asarray(getattr(each, part))[inside] for part in ("low", "high", "trusted")
        )
        held = (low <= exact[inside]) & (exact[inside] <= high)
        yield name, np.column_stack([held, trusted, (high - low) / exact[inside]])


if __name__ == "__main__":
    main(measure)
