"""Which of MiniGrid's environments become exact worlds, and are plans in them shortest?

Every id `MiniGrid-*` with seed 0 is enumerated in a process of its own, within a number of states
and of seconds. Rows give the states, or the reason why there is no world. Where there are few
states, the number of steps to the nearest end is compared with that of a breadth-first search over
deep copies of the environment itself, which knows nothing of our way to save its state.

    python benchmarks/minigrid_worlds.py            # all ids, up to two minutes each
"""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from measuring import Row, compared, main

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

LIMIT, SECONDS, FEW = 100_000, 120, 1_500
"""States and seconds of an enumeration, and states up to which the environment is searched."""

QUICK = ("MiniGrid-Unlock-v0", "MiniGrid-DoorKey-5x5-v0")


def measure(quick: bool) -> Iterator[Row]:
    """Yield a row for each environment."""
    import gymnasium
    import minigrid  # noqa: F401  registers its environments

    names = [name for name in gymnasium.registry if name.startswith("MiniGrid-")]
    for name in QUICK if quick else sorted(names):
        begin = time.perf_counter()
        found = _within(SECONDS, name)
        ours = (found["said"], time.perf_counter() - begin)
        peer = ("", 0.0)
        if found.get("searched"):
            peer = (f"search in the environment: {found['searched']} states and steps", 0.0)
        same = found.get("searched") in (None, found.get("ours"))
        yield compared(name, "seed 0", ours=ours, peer=peer, ratio=float(same), unit="agree")


def _within(seconds: float, name: str) -> dict[str, Any]:
    """Return what a process says of an environment, or that its time was over."""
    pool = ProcessPoolExecutor(1, get_context("spawn"))
    try:
        return pool.submit(_enumerated, name).result(timeout=seconds)
    except TimeoutError:
        return {"said": f"not within {seconds:g} seconds"}
    except BrokenProcessPool:
        return {"said": "the process ended"}
    finally:
        for process in pool._processes.values():
            process.kill()
        pool.shutdown(wait=False)


def _enumerated(name: str) -> dict[str, Any]:
    import gymnasium
    import minigrid  # noqa: F401

    import first_occupancy as fo
    from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
    from grid_search import searched

    try:
        environment = gymnasium.make(name)
        world = enumerate_copies(environment, limit=LIMIT, progress=False)
    except Exception as error:
        return {"said": f"{type(error).__name__}: {error}"}
    plan = fo.plan(world, world.ends, discount=0.99) if len(world.ends) else None
    steps = None if plan is None else float(plan.expected_time[world.start])
    found: dict[str, Any] = {"said": repr(world), "ours": (world.num_states, steps)}
    if world.samples == 1 and world.num_states <= FEW:
        found["searched"] = searched(gymnasium.make(name))
    return found


if __name__ == "__main__":
    main(measure)
