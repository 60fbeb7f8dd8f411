"""How close does planning come to the limits of a GPU?

Needs a GPU with 80 GB, and no peer but XLA and what it measures of itself. Rows are those of
`measuring.py`; they are printed as JSON together with where they come from:

    export PYTHONPATH=src:reproduction/src
    python benchmarks/gpu_planning.py reproduction/results/gpu_planning.json
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
from measuring import Row, best_times, compared

from first_occupancy.planning._dense.folding import BestLegs
from first_occupancy.planning._dense.frp_sweeps import Chained, direct, sweep
from first_occupancy.representations import first_occupancy
from first_occupancy_paper.rows import provenance


def measure(quick: bool) -> Iterator[Row]:
    """Yield a row for each limit."""
    yield from _sweeps(256 if quick else 32768)
    yield from _exact(128 if quick else 16384)


def _sweeps(size: int) -> Iterator[Row]:
    table = _random_table(size)
    behind = jax.jit(direct)(table, jnp.array(0))
    # So far behind that every state improves, and has to look its subgoal up.
    low = jnp.where(jnp.arange(size) == 0, 0.0, behind.log_promised - 100)
    behind = eqx.tree_at(lambda plan: plan.log_promised, behind, low)
    one, everywhere = jax.jit(sweep), jnp.full(size, True)

    @jax.jit
    def ten(table: BestLegs, plan: Chained) -> Chained:
        def again(_: int, reached: Chained) -> Chained:
            # What was reached is forgotten, but not in a way the compiler could see.
            forgotten = jnp.minimum(reached.log_promised, plan.log_promised)
            onward = eqx.tree_at(lambda plan: plan.log_promised, reached, forgotten)
            return sweep(table, onward, everywhere)[0]

        return jax.lax.fori_loop(0, 10, again, plan)

    times = best_times(
        {
            "sum": lambda: jnp.sum(table.legs),
            "max": lambda: jnp.max(table.legs),
            "sweep": lambda: one(table, behind, everywhere),
            "ten sweeps": lambda: ten(table, behind),
        },
        repeats=10,
    )
    limit = min(("sum", "max"), key=times.__getitem__)
    for name, seconds in (("sweep", times["sweep"]), ("sweep of ten", times["ten sweeps"] / 10)):
        yield compared(
            "one dense sweep with argmax",
            f"S = {size}, float32",
            ours=(name, seconds),
            peer=(f"XLA {limit}, {table.legs.nbytes / times[limit] / 1e12:.2f} TB/s", times[limit]),
            ratio=times[limit] / seconds,
            unit="of the read bandwidth",
            at_least=0.85,
        )


def _exact(size: int) -> Iterator[Row]:
    with jax.enable_x64(True):
        weights = jax.random.uniform(jax.random.key(0), (size, size), jnp.float64)
        chain = weights / weights.sum(axis=1, keepdims=True)
        exact = jax.jit(lambda chain: first_occupancy.solve(chain, discount=0.95))

        @jax.jit
        def plain(chain: jax.Array) -> jax.Array:
            identity = jnp.eye(size)
            visits = jnp.linalg.solve(identity - 0.95 * chain, identity)
            return visits / jnp.diagonal(visits)[None, :]

        calls = {"exact": lambda: exact(chain), "plain": lambda: plain(chain)}
        times = best_times(calls, repeats=2)
        apart = float(jnp.abs(exact(chain) / plain(chain) - 1).max())
        corridor = jnp.eye(size, k=1).at[-1, -1].set(1)
        steps = jnp.arange(size)[None] - jnp.arange(size)[:, None]
        truth = jnp.where(steps >= 0, 0.95 ** jnp.maximum(steps, 0), 0)
        shown = truth > 1e-300
        error = float(jnp.where(shown, jnp.abs(exact(corridor) / truth - 1), 0).max())
    for name, seconds, most in (
        (f"right in every entry: 1e{_digits(error)} on a corridor", times["exact"], 5.0),
        (f"plain LU, within 1e{_digits(apart)} of it on a dense chain", times["plain"], 1.0),
    ):
        yield compared(
            "exact FR",
            f"S = {size}, float64",
            ours=(name, seconds),
            peer=("clock", 1),
            ratio=seconds,
            unit="s",
            at_most=most,
        )


def _random_table(size: int) -> BestLegs:
    uniform = jax.random.uniform(jax.random.key(size), (size, size), minval=1e-6)
    legs = jnp.where(jnp.eye(size, dtype=bool), -jnp.inf, jnp.log(0.95 * uniform))
    return BestLegs(legs, jnp.zeros((size, size), jnp.int8))


def _digits(error: float) -> int:
    return len(f"{1 / max(error, 1e-16):.0f}") * -1


def main() -> None:
    """Measure, print, and write to the file named on the command line."""
    quick = "--quick" in sys.argv
    rows = []
    for row in measure(quick):
        rows.append(row)
        print(json.dumps(row), flush=True)
    result = {
        "benchmark": "gpu_planning",
        "config": {"quick": quick},
        "commit": provenance.commit(),
        "versions": provenance.versions("jax", "jaxlib", "equinox", "numpy"),
        "hardware": provenance.hardware(),
        "rows": rows,
    }
    for name in sys.argv[1:]:
        if not name.startswith("-"):
            Path(name).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
