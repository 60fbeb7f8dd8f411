"""When is it worth planning to every goal at once, and what is a goal worth afterwards?

Looked up where NumPy has views of the plans, in memory or on disk, a plan costs the making of
four Python objects. `Plan.to` copies rows into new arrays of JAX, and JAX takes longer than
that to start a program: in one run 9 us for one that does nothing, 13 with one row out, and 21 with
the goal and three rows; a record flattened, checked and made again brings it to 30. Another 35 are
equinox's for a bound method, so `plans.to` is taken once.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from dense_planning import DISCOUNT, frs_of, maze_of_the_issue
from measuring import Row, best_times, compared, main
from peers import quantecon_vi
from worlds import random_maze

from first_occupancy.environments import Maze
from first_occupancy.planning.frp import best_legs, plan_to_every_goal, plan_to_goal
from first_occupancy.planning.paths import plan_paths
from first_occupancy.planning.plan_files import load_plans
from first_occupancy.storage.saving import save

MANY = 100


def measure(quick: bool) -> Iterator[Row]:
    """Yield what a look-up and all plans cost, in goals of QuantEcon's value iteration."""
    world = random_maze(20, walls=0.33) if quick else maze_of_the_issue()
    table = best_legs(jnp.asarray(frs_of(world)))
    plans = plan_to_every_goal(table)
    _check(world, plans.to(3).log_promised)
    by_jax, on_host = plans.to, plans.on_host()
    peer = quantecon_vi(world, DISCOUNT)
    goals = iter(np.random.default_rng(0).integers(world.num_states, size=10**6).tolist())
    with tempfile.TemporaryDirectory() as folder:
        save(plans, Path(folder) / "plans.npz")
        saved = load_plans(Path(folder) / "plans.npz")
        times = best_times(
            {
                # Many at once: alone, one is too short to be timed.
                "look-up by JAX": lambda: [by_jax(next(goals)) for _ in range(MANY)],
                "look-up on the host": lambda: [on_host.to(next(goals)) for _ in range(MANY)],
                "look-up on disk": lambda: [saved.to(next(goals)) for _ in range(MANY)],
                "one goal by sweeps": lambda: plan_to_goal(table, next(goals)),
                "QuantEcon VI": lambda: peer(next(goals)),
            },
            repeats=20,
        )
        times |= {name: times[name] / MANY for name in times if "look-up" in name}
        times |= best_times({"all plans": lambda: plan_to_every_goal(table)}, repeats=2)
    size = f"S = {world.num_states}, N = 4"
    other = ("QuantEcon VI", times["QuantEcon VI"])
    targets = {"look-up on the host": 1000, "look-up on disk": 1000}
    for name in ("look-up by JAX", *targets, "one goal by sweeps"):
        yield compared(
            "a new goal, after all were planned to" if "look" in name else "a new goal, without it",
            size,
            ours=(name, times[name]),
            peer=other,
            ratio=other[1] / times[name],
            unit="times as fast",
            at_least=targets.get(name),
        )
    yield compared(
        "plans to every goal at once",
        size,
        ours=("all plans", times["all plans"]),
        peer=other,
        ratio=times["all plans"] / (other[1] - times["look-up by JAX"]),
        unit="goals repay it",
        at_most=2000,
    )


def _check(world: Maze, log_promised: jnp.ndarray) -> None:
    exact = plan_paths(world.next_states, 3, discount=DISCOUNT).log_promised
    np.testing.assert_allclose(log_promised, exact, rtol=1e-5)


if __name__ == "__main__":
    main(measure)
