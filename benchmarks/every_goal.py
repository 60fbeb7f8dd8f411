"""When is it worth planning to every goal at once, and what is a goal worth afterwards?"""

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
from first_occupancy.interop.files import save
from first_occupancy.planning.frp import fold, plan_paths, plan_to_every_goal, plan_to_goal
from first_occupancy.planning.plan_files import load_plans

MANY = 100


def measure(quick: bool) -> Iterator[Row]:
    """Yield what a look-up and the closure cost, in goals of QuantEcon's value iteration."""
    world = random_maze(20, walls=0.33) if quick else maze_of_the_issue()
    table = fold(jnp.asarray(frs_of(world)))
    plans = plan_to_every_goal(table)
    _check(world, plans.to(3).log_discount)
    peer = quantecon_vi(world, DISCOUNT)
    goals = iter(np.random.default_rng(0).integers(world.num_states, size=10**6).tolist())
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / "plans.npz", plans)
        saved = load_plans(Path(folder) / "plans.npz")
        times = best_times(
            {
                # Many at once: alone, one is too short to be timed.
                "look-up": lambda: [plans.to(next(goals)) for _ in range(MANY)],
                "look-up on disk": lambda: [saved.to(next(goals)) for _ in range(MANY)],
                "one goal by sweeps": lambda: plan_to_goal(table, next(goals)),
                "QuantEcon VI": lambda: peer(next(goals)),
            },
            repeats=20,
        )
        times |= {name: times[name] / MANY for name in ("look-up", "look-up on disk")}
        times |= best_times({"closure": lambda: plan_to_every_goal(table)}, repeats=2)
    size = f"S = {world.num_states}, N = 4"
    other = ("QuantEcon VI", times["QuantEcon VI"])
    for name, least in (("look-up", None), ("look-up on disk", 1000), ("one goal by sweeps", None)):
        yield compared(
            "a new goal, after the closure" if "look" in name else "a new goal, without it",
            size,
            ours=(name, times[name]),
            peer=other,
            ratio=other[1] / times[name],
            unit="times as fast",
            at_least=least,
        )
    yield compared(
        "plans to every goal at once",
        size,
        ours=("closure", times["closure"]),
        peer=other,
        ratio=times["closure"] / (other[1] - times["look-up"]),
        unit="goals repay it",
        at_most=2000,
    )


def _check(world: Maze, log_discount: jnp.ndarray) -> None:
    exact = plan_paths(world.next_states, 3, discount=DISCOUNT).log_discount
    np.testing.assert_allclose(log_discount, exact, rtol=1e-5)


if __name__ == "__main__":
    main(measure)
