"""How many updates a second do APS, APF and fine-tuning make, for many runs in lockstep?

An update of R runs counts once. The replay holds random rows, on the device, as many as asked
for; what is timed is `lockstep.learn`, drawing included. The defaults are the paper's size:

    python benchmarks/jaco_updates.py --runs 1 5 10 20 --json updates.json

`--profile 20` says as well which 20 kernels take most of the time (on a GPU).

The floor for 20 runs at width and batch 1,024, counted by hand: 20 products of width by width and
batch make .86 TFLOP an update, first and last layers less than .1; parameters, moments and
gradients of .36 GB each make 3 GB of traffic; about 40 passes over activations of 84 MB (42 in
bfloat16) another 2 to 4 GB. On an H200 (700 TFLOP/s in bfloat16, 4.3 TB/s) 1.3 + .7 + .7 ms.

What was done, in milliseconds an update of 20 runs of APS on one H200 (JAX 0.11; a second column
for fine-tuning), replays of a million rows each:

| | APS | fine-tuning |
| --- | --- | --- |
| plain layers, products in TF32, `top_k` over rows of one matrix | 8.87 | 5.63 |
| products and what lies between layers in bfloat16 | 6.88 | 3.98 |
| the list below | 4.90 | 3.77 |

- nearest by 11 passes over the distances instead of `top_k`: 1.9 to .3 ms
- layers with derivatives of their own, which keep no masks and no copies in full precision
- observations as two short numbers each, so that first layers are in bfloat16 as well
- noise for all updates of a call drawn beforehand

So 204 updates a second for APS, 204 for APF, 265 fine-tuning. Of the 4.9 ms products of width by
width take 1.2, Adam with the target critic .67 (at the memory's limit), rounding weights .3, the
nearest .3; the rest are passes over activations and some 110 kernels of 4 microseconds.
"""

import argparse
import collections
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import jax.numpy as jnp

from first_occupancy_paper.arm.learner import ddpg, pretraining
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.learner.replay import Replay
from first_occupancy_paper.arm.training import lockstep

EPISODE = 250
PHASES = {
    "aps": ("aps", pretraining.update),
    "apf": ("apf", pretraining.update),
    "apf_exact": ("apf_exact", pretraining.update),
    "apf_printed": ("apf_printed", pretraining.update),
    "finetuning": ("apf", ddpg.update),
    "ddpg": ("ddpg", ddpg.update),
}


def filled_replay(config: AgentConfig, num_runs: int, capacity: int) -> Replay:
    """Return replays full of random rows in episodes of the arm's length."""
    empty = lockstep.init_replay(config, num_runs, capacity=capacity)

    @jax.jit
    def fill(key: jax.Array) -> Replay:
        rows = jax.random.normal(key, empty.rows.shape)
        first = jnp.arange(capacity) % EPISODE == 0
        ends = jnp.stack([jnp.ones(capacity), first.astype(rows.dtype)], axis=1)
        rows = rows.at[..., -2:].set(jnp.broadcast_to(ends, (*rows.shape[:3], 2)))
        starts = jnp.flatnonzero(~jnp.roll(first, -1), size=capacity, fill_value=0)
        starts = jnp.broadcast_to(starts.astype(jnp.int32), empty.starts.shape)
        number = (~jnp.roll(first, -1)).sum().astype(jnp.int32)
        newest = jnp.broadcast_to(number, empty.newest.shape)
        count = jnp.full_like(empty.count, capacity)
        return Replay(rows, starts, empty.oldest, newest, count, empty.sizes)

    return fill(jax.random.key(0))


def measure(
    phase: str, config: AgentConfig, num_runs: int, options: argparse.Namespace
) -> Iterator[dict[str, object]]:
    """Yield a row with the best rate of several calls, then the kernels' times if asked for."""
    keys = jax.random.split(jax.random.key(1), num_runs)
    learner = lockstep.init(config, keys)
    replay = jax.block_until_ready(filled_replay(config, num_runs, options.capacity))

    losses = []

    def call() -> float:
        nonlocal learner
        begin = time.perf_counter()
        learner, metrics = lockstep.learn(
            PHASES[phase][1], config, learner, replay, keys, num_updates=options.updates
        )
        losses.append(jax.block_until_ready((learner, metrics))[1].critic_loss)
        return time.perf_counter() - begin

    first, *seconds = (call() for _ in range(options.repeats + 1))
    name = {"phase": phase, "runs": num_runs, "precision": config.precision}
    yield name | {
        "width": config.width,
        "batch": config.batch,
        "updates_per_second": round(options.updates / min(seconds), 2),
        "milliseconds": round(1000 * min(seconds) / options.updates, 4),
        "all_milliseconds": [round(1000 * x / options.updates, 4) for x in seconds],
        "first_call_seconds": round(first, 2),
        "finite": bool(jnp.isfinite(losses[-1]).all()),
        "replay_gb": round(replay.rows.nbytes / 1e9, 3),
    }
    if options.profile:
        yield from (name | row for row in kernel_times(call, options.updates, options.profile))


def kernel_times(call: Callable[[], float], num_updates: int, number: int) -> list[dict]:
    """Return what the device did in a call, most time first, in milliseconds an update."""
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            call()
        (path,) = Path(folder).rglob("*.xplane.pb")
        profile = jax.profiler.ProfileData.from_file(str(path))
        times, calls = collections.Counter(), collections.Counter()
        for plane in profile.planes:
            for line in plane.lines if "/device" in plane.name else ():
                for event in line.events if "Stream" in line.name else ():
                    times[event.name] += event.duration_ns
                    calls[event.name] += 1
    found = [("all", sum(times.values()), sum(calls.values()))]
    found += [(name, spent, calls[name]) for name, spent in times.most_common(number)]
    return [
        {
            "kernel": name[:80],
            "milliseconds": round(spent / 1e6 / num_updates, 4),
            "calls": round(count / num_updates, 2),
        }
        for name, spent, count in found
    ]


def show(row: dict) -> None:
    """Print a row as a line of JSON, at once."""
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure what the command line asks for and print it, a line of JSON for each row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--phases", nargs="+", choices=PHASES, default=["aps", "apf", "finetuning"])
    parser.add_argument("--runs", nargs="+", type=int, default=[20])
    parser.add_argument("--precisions", nargs="+", default=["tensorfloat32"])
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--capacity", type=int, default=1_000_000, help="rows for each run")
    parser.add_argument("--updates", type=int, default=100, help="in one call")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--profile", type=int, default=0, help="show so many kernels' times")
    parser.add_argument("--json", type=Path, help="write all rows here as well")
    options = parser.parse_args()
    rows: list[dict] = [{"device": jax.devices()[0].device_kind, "jax": jax.__version__}]
    show(rows[0])
    for phase, precision, num_runs in itertools.product(
        options.phases, options.precisions, options.runs
    ):
        config = AgentConfig(
            PHASES[phase][0], width=options.width, batch=options.batch, precision=precision
        )
        for row in measure(phase, config, num_runs, options):
            rows.append(row)
            show(row)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
