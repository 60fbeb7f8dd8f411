"""How close does dense FR-planning come to the speed of memory, and how does one goal compare?

A sweep must read the folded table once, so the best it can do is the time in which the
machine reads that table at all: the fastest of plain reductions in the same run. Two sweeps
are timed: one that improves every state, which is the most work it can have because every
subgoal has to be looked up, and one that improves none, as the last sweep of every plan.

In float32 the first lies at the 70% it should reach, above or below with what else the machine
does: .735 of the bandwidth in the best of 1,500 turns, .716 in the best hundredth, .685 in the
best twentieth. The pass over the table alone has .92; the rest are mostly 2 x 16 reads per state on
the way down, each from a page of its own (.2 ms of 1.7). Groups of 8, 32 and 64, towers in steps of
4, 8, 32 and more, and halves of the states side by side were no better.

A plan in the maze below takes 32 to 41 sweeps, but they read the table 1.4 to 2.1 times in all,
since a sweep looks at those subgoals only which the one before raised: 5 to 8 ms in float32, 8 to
12 in float64, where sweeps over everything took 61 to 68. Of a sweep some .15 ms do not depend on
what is read: the list of who was raised (.05), leaders looked up for all states, XLA's steps.

Label-setting would read the table once: states are settled nearest the goal first, and in one round
all that lie within the shortest leg of the nearest. It was tried, compiled, with the same plans to
the bit, and left out: 45 ms, reading being 4 of them; the rest is XLA's price for 3,266 small steps
(the rule for ties, about 8 us a row) and 270 lists of who is next (16 ms).
"""

from collections.abc import Callable, Iterator

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from measuring import Row, best_times, compared, main
from peers import quantecon_vi
from worlds import random_maze

from first_occupancy.environments import Maze
from first_occupancy.planning._dense.folding import BestLegs, best_legs
from first_occupancy.planning._dense.frp_sweeps import Chained, direct, sweep
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.paths import plan_paths, prepare

DISCOUNT = 0.95


def measure(quick: bool) -> Iterator[Row]:
    """Yield a row per precision, and one per way to plan to a goal."""
    for bits in (64, 32):
        yield from _bandwidth(512 if quick else 4096, bits)
    yield from _one_goal(random_maze(20, walls=0.33) if quick else maze_of_the_issue())


def maze_of_the_issue() -> Maze:
    """Return a maze of 72 x 72 cells, a third of them walls, with 3,266 free ones joined up."""
    return random_maze(72, walls=0.33, seed=4)


def _bandwidth(size: int, bits: int) -> Iterator[Row]:
    with jax.enable_x64(bits == 64):
        frs = jax.random.uniform(jax.random.key(0), (4, size, size), minval=1e-3)
        table = best_legs(frs)
        behind, rested = _far_behind(table), plan_to_goal(table, 0)
        one, everywhere = jax.jit(sweep), jnp.full(size, True)
        reads = {
            "XLA sum": jax.jit(jnp.sum),
            "XLA max": jax.jit(jnp.max),
            "XLA max of rows": jax.jit(lambda legs: legs.max(axis=1)),
            "XLA matrix times vector": jax.jit(lambda legs: legs @ legs[0]),
        }
        calls = {name: lambda read=read: read(table.legs) for name, read in reads.items()}
        on_host = np.asarray(table.legs)
        ours = {
            "all improve": lambda: one(table, behind, everywhere),
            "none improves": lambda: one(table, rested, everywhere),
        }
        times = best_times(calls | {"NumPy max": on_host.max} | ours, repeats=40)
    sweeps = {name: times.pop(name) for name in ours}
    fastest = min(times, key=times.__getitem__)
    limit = table.legs.nbytes / times[fastest] / 1e9
    for name, seconds in sweeps.items():
        yield compared(
            "one dense sweep with argmax",
            f"S = {size}, N = 4, float{bits}",
            ours=(name, seconds),
            peer=(f"{fastest}, {limit:.0f} GB/s", times[fastest]),
            ratio=times[fastest] / seconds,
            unit="of the read bandwidth",
            at_least=0.7,
        )


def _far_behind(table: BestLegs) -> Chained:
    """Return a plan that every state can improve on."""
    plan = jax.jit(direct)(table, jnp.array(0))
    low = jnp.where(jnp.arange(table.num_states) == 0, 0.0, plan.log_promised - 100)
    return eqx.tree_at(lambda plan: plan.log_promised, plan, low)


def _one_goal(world: Maze) -> Iterator[Row]:
    frs = frs_of(world)
    table, graph, goal = (
        best_legs(jnp.asarray(frs)),
        prepare(world.next_states),
        world.num_states // 2,
    )
    peer = quantecon_vi(world, DISCOUNT)
    calls: dict[str, Callable[[], object]] = {
        "dense FRP, folded before": lambda: plan_to_goal(table, goal),
        "dense FRP, folding included": lambda: plan_to_goal(frs, goal),
        "FRP on paths": lambda: plan_paths(graph, goal, discount=DISCOUNT),
        "QuantEcon VI": lambda: peer(goal),
    }
    times = best_times(calls, repeats=5)
    times |= best_times({"plain Python loop": lambda: _loop(frs, goal)}, repeats=1)
    size = f"S = {world.num_states}, N = {len(frs)}"
    for ours in list(calls)[:3]:
        for name in ("QuantEcon VI", "plain Python loop"):
            yield compared(
                "a plan to one new goal",
                size,
                ours=(ours, times[ours]),
                peer=(name, times[name]),
                ratio=times[name] / times[ours],
                unit="times as fast",
            )


def frs_of(world: Maze) -> np.ndarray:
    """Return the exact FRs [N S S] of taking one move over and over, in float32."""
    frs = np.zeros((world.num_actions, world.num_states, world.num_states), np.float32)
    for fr, ahead in zip(frs, world.next_states, strict=True):
        starts = here = np.arange(world.num_states)
        discount = 1.0
        while len(starts):
            fr[starts, here] = discount
            moving = ahead[here] != here
            starts, here = starts[moving], ahead[here[moving]]
            discount *= DISCOUNT
    return frs


def _loop(frs: np.ndarray, goal: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Alg. 1's table as its authors would write it: a loop over states in each sweep."""
    size = frs.shape[1]
    best, policy = frs[:, :, goal].max(axis=0), frs[:, :, goal].argmax(axis=0)
    while True:
        before = best.copy()
        for state in range(size):
            through = frs[:, state] * before[None]
            if through.max() > best[state]:
                best[state] = through.max()
                policy[state] = through.max(axis=1).argmax()
        if np.allclose(best, before, rtol=1e-6, atol=0):
            return best, policy


if __name__ == "__main__":
    main(measure)
