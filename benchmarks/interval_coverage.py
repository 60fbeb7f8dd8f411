"""How often do 95% intervals of FRs and SRs hold the truth, and how often do percentile ones?

Random walks of 20,000 steps on grids, of which the FRs and SRs are known; 200 logs of each size.
Coverage is the share of pairs of different states whose interval holds the truth, averaged over
logs. It should be within two points of 95, and every estimate within its own interval. The times
are those of resampling and solving, which both kinds of intervals share.
"""

import time
from collections.abc import Iterable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from measuring import Row, compared, main

from first_occupancy.interop.data.corrected_intervals import corrected_interval
from first_occupancy.interop.data.logs import EmpiricalChains, count_transitions, transition_log
from first_occupancy.interop.data.resampled_logs import resample_transitions
from first_occupancy.representations import Representation, first_occupancy, successor

LEVEL, POINTS, DISCOUNT, NUM_STEPS, NUM_RESAMPLES = 0.95, 2, 0.9, 20_000, 100
SIDES, NUM_LOGS = (5, 10, 20), 200


def measure(quick: bool) -> Iterable[Row]:
    """Yield a row for each size and each of FR and SR."""
    jax.config.update("jax_enable_x64", True)
    for side in SIDES[:1] if quick else SIDES:
        number = 10 if quick else NUM_LOGS
        logs = list(walks(side, number, NUM_STEPS, seed=side))
        for name, representation in (("FR", first_occupancy), ("SR", successor)):
            begin = time.perf_counter()
            held, plain, inside = coverage(side, logs, representation)
            seconds = time.perf_counter() - begin
            error = 100 * held.std(ddof=1) / np.sqrt(number)
            yield compared(
                f"coverage of 95% intervals of the {name}; every estimate in its own: "
                f"{'yes' if inside else 'NO'}",
                f"{side} x {side}, {number} logs of {NUM_STEPS:,} steps",
                ours=("corrected", seconds),
                peer=(f"percentile, {100 * plain.mean():.1f}%", seconds),
                ratio=100 * float(held.mean()),
                unit=f"% (standard error over logs {error:.2f})",
                at_least=100 * LEVEL - POINTS if inside else 101,
                at_most=100 * LEVEL + POINTS,
            )


def grid_walk(side: int) -> np.ndarray:
    """Return the chain of a random walk on a grid of side x side cells."""
    row, column = np.divmod(np.arange(side**2), side)
    apart = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
    return (apart == 1) / (apart == 1).sum(axis=1, keepdims=True)


def walks(side: int, number: int, num_steps: int, *, seed: int) -> Iterator[EmpiricalChains]:
    """Yield the counts of random walks from random cells."""
    sums, rng = grid_walk(side).cumsum(axis=1), np.random.default_rng(seed)
    states = np.empty((num_steps + 1, number), int)
    states[0] = rng.integers(side**2, size=number)
    for step in range(num_steps):
        drawn = rng.random((number, 1))
        states[step + 1] = (sums[states[step]] < drawn).sum(axis=1).clip(max=side**2 - 1)
    for path in states.T:
        yield count_transitions(transition_log(path[:-1], path[1:], num_states=side**2))


def coverage(
    side: int, logs: Iterable[EmpiricalChains], representation: Representation
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the coverage of corrected and percentile intervals, log by log.

    The last result says whether every estimate lies in its own interval.
    """
    truth = representation.solve(jnp.asarray(grid_walk(side)), discount=DISCOUNT)
    apart, inside, held, plain = ~np.eye(side**2, dtype=bool), True, [], []
    highest = 1.0 if representation is first_occupancy else np.inf
    for number, empirical in enumerate(logs):
        resampled = resample_transitions(
            empirical,
            jax.random.key(number),
            discount=DISCOUNT,
            num_resamples=NUM_RESAMPLES,
            representation=representation,
        )
        estimate = representation.solve(empirical.chains, discount=DISCOUNT)
        found = corrected_interval(estimate, resampled, level=LEVEL, highest=highest)
        inside &= bool(((found.low <= found.estimate) & (found.estimate <= found.high)).all())
        percentiles = np.quantile(resampled[:, 0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        for ends, shares in (((found.low[0], found.high[0]), held), (percentiles, plain)):
            within = np.asarray((ends[0] <= truth) & (truth <= ends[1]))
            shares.append(within[apart].mean())
    return np.array(held), np.array(plain), inside


if __name__ == "__main__":
    main(measure)
