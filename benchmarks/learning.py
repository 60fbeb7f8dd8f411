"""How fast does TD learn, for many policies and seeds at once, and from long logs?

The limit of one update is reading two rows and writing one, so rows are compared with a
copy of as many bytes. A log of 10^8 transitions is learned from a memory-mapped file, and
the memory the process takes meanwhile is measured.
"""

import multiprocessing
import resource
import tempfile
from itertools import pairwise
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from measuring import Row, best_times, compared, main, once

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import four_rooms
from first_occupancy.representations import first_occupancy

COLUMNS = ("states", "next_states", "policies")
NOISE = 0.1
SETTINGS = {"discount": 0.95, "step_size": 0.05}


def measure(quick: bool) -> list[Row]:
    """Return the two rows: a stack of walks, and a long log."""
    return [_many_walks(quick), *_long_log(quick)]


def _many_walks(quick: bool) -> Row:
    seeds, policies, steps = (5, 4, 500) if quick else (20, 4, 5_000)
    num_states = four_rooms().mdp.num_states
    random = np.random.default_rng(0)
    walks = jnp.asarray(random.integers(num_states, size=(seeds, policies, steps)))
    begin = jnp.broadcast_to(jnp.eye(num_states), (seeds, policies, num_states, num_states))

    def loop() -> np.ndarray:
        table, walk = np.eye(num_states), np.asarray(walks[0, 0])
        for state, following in pairwise(walk):
            target = SETTINGS["discount"] * table[following]
            target[state] = 1
            table[state] += SETTINGS["step_size"] * (target - table[state])
        return table

    times = best_times(
        {"ours": lambda: first_occupancy.td_learn(begin, walks, **SETTINGS)[0], "loop": loop},
        repeats=3,
    )
    scaled = times["loop"] * seeds * policies
    return compared(
        "TD, many policies and seeds at once",
        f"{seeds} seeds x {policies} policies x {steps:,} steps, S = {num_states}",
        ours=("td_learn on a stack", times["ours"]),
        peer=("NumPy loop (one walk, scaled)", scaled),
        ratio=scaled / times["ours"],
        unit="x faster",
    )


def _long_log(quick: bool) -> list[Row]:
    length = 10**6 if quick else 10**8
    world = four_rooms(NOISE)
    frs = first_occupancy.solve(chain(world.mdp, constant_policies(world.mdp)), discount=0.95)
    num_policies, num_states, _ = frs.shape
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own, whose memory is not counted here.
        writer = multiprocessing.get_context("spawn").Process(
            target=_write_log, args=(Path(folder), length)
        )
        writer.start()
        writer.join()
        columns = [np.load(Path(folder) / f"{name}.npy", mmap_mode="r") for name in COLUMNS]
        begin = jnp.broadcast_to(jnp.eye(num_states), frs.shape)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        learned: list[jax.Array] = []
        seconds = once(
            lambda: learned.append(
                first_occupancy.td_learn_log(begin, *columns, discount=0.95, step_size=0.001)
            )
        )
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    error = float(jnp.abs(learned[0] - frs).max())
    if not quick and error > 0.05:
        raise RuntimeError(f"the log should make the FRs right, but they are off by {error:.3f}")
    row_bytes = 3 * num_states * learned[0].dtype.itemsize
    copied = np.ones(2**27, np.uint8)
    copy_seconds = best_times({"copy": lambda: copied.copy()}, repeats=3)["copy"]
    limit = row_bytes * length * copy_seconds / (2 * copied.nbytes)
    size = f"{length:.0e} transitions, S = {num_states}, N = {num_policies}"
    return [
        compared(
            "TD from a memory-mapped log",
            size,
            ours=("logs.td_learn", seconds),
            peer=("copying as many bytes", limit),
            ratio=100 * limit / seconds,
            unit="% of the bandwidth",
        ),
        compared(
            "memory taken by it, log on disk",
            size,
            ours=("logs.td_learn", seconds),
            peer=("", 0.0),
            ratio=grown,
            unit="MiB more",
            at_most=500,
        ),
    ]


def _write_log(folder: Path, length: int) -> None:
    """Write a log of random states under random policies of a noisy room."""
    random = np.random.default_rng(0)
    outcomes = np.cumsum(np.asarray(four_rooms(NOISE).mdp.transition), axis=-1)
    num_states, num_policies, _ = outcomes.shape
    mapped = [
        np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.uint8, (length,))
        for name in COLUMNS
    ]
    piece = 10**6
    for begin in range(0, length, piece):
        states = random.integers(num_states, size=piece)
        policies = random.integers(num_policies, size=piece)
        drawn = random.random(piece)[:, None] > outcomes[states, policies, :-1]
        for column, values in zip(mapped, (states, drawn.sum(axis=1), policies), strict=True):
            column[begin : begin + piece] = values


if __name__ == "__main__":
    main(measure)
