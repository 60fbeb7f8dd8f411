"""Measures the memory that functions take, beside what they say they need; a script.

Prints one line per function: its name, the bytes at its peak, and the bytes it asked for. Each is
called once before, so that compiling does not count, and then up to ten times, until the peak is
within what was asked for; the smallest counts. On a busy machine other threads may free memory
late, and what they hold adds to a peak. Run it with MALLOC_MMAP_THRESHOLD_ set, so that freed
memory goes back to the system.
"""

import gc
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core import memory

SIZE = 1024
asked = []


def main():
    jax.config.update("jax_enable_x64", sys.argv[1] == "float64")
    memory._refuse_beyond = lambda there, caller, needed, instead: asked.append(needed)
    chain = np.random.default_rng(0).random((SIZE, SIZE))
    chain = (chain / chain.sum(axis=1, keepdims=True)).astype(sys.argv[1])
    device_chain = jnp.asarray(chain)
    transition = np.repeat(chain[:, None], 2, axis=1)
    frs = jnp.stack([fo.first_occupancy.solve(device_chain, discount=0.9)] * 2)
    corridor = csr_array(np.eye(SIZE)[np.minimum(np.arange(SIZE) + 1, SIZE - 1)])
    goals = np.arange(SIZE)
    measure("solve", lambda: fo.first_occupancy.solve(device_chain, discount=0.9))
    measure("solve of NumPy", lambda: fo.successor.solve(chain, discount=0.9))
    measure("sparse solve", lambda: fo.first_occupancy.solve(corridor, discount=0.9))
    measure("columns", lambda: fo.first_occupancy.solve_columns(corridor, goals, discount=0.999))
    measure("MDP", lambda: fo.MDP(transition, transition))
    measure("fold", lambda: planning.best_legs(frs))
    measure("every goal", lambda: planning.plan_to_every_goal(frs))


def measure(name, call):
    jax.block_until_ready(jax.tree_util.tree_leaves(call()))
    asked.clear()
    peak = peak_of(call)
    for _ in range(9):
        if peak <= max(asked):
            break
        peak = min(peak, peak_of(call))
    sys.stdout.write(f"{name}:{peak}:{max(asked)}\n")


def peak_of(call):
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = status("VmRSS")
    kept = call()
    jax.block_until_ready(jax.tree_util.tree_leaves(kept))
    return status("VmHWM") - before


def status(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    main()
