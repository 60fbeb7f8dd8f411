"""How long does it take from a million transitions to an agent, and to an agent for another goal?

The log is that of OGBench's giant point maze. Beside it: one epoch of goal-conditioned behaviour
cloning, a network with two layers of 256 on batches of 1,024, timed on some batches and scaled. All
times are CPU times.
"""

import time
from collections.abc import Callable, Iterable
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import optax
from measuring import Row, compared, main

from first_occupancy.continuous.goal_plans import GoalAgent, plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.episodes import Episodes
from first_occupancy.environments.point_maze_logs import point_maze_log
from first_occupancy.environments.point_mazes import GIANT

WIDTH, BATCH, NUM_BATCHES = 256, 1024, 20
MINUTES = 10


def measure(quick: bool) -> Iterable[Row]:
    """Yield a row for a new world, and one for a new goal in it."""
    log = point_maze_log(GIANT, "stitch", seed=0, num_episodes=500 if quick else None)
    size = f"{len(log):,} transitions"
    goal, start = GIANT.centres([(10, 14), (1, 1)])
    worlds = []
    making = _cpu_time(lambda: worlds.append(landmark_world(log)))
    planning = _cpu_time(lambda: GoalAgent(plan_to_observation(worlds[0], goal)).predict(start))
    again = _cpu_time(lambda: GoalAgent(plan_to_observation(worlds[0], start)).predict(goal))
    yield compared(
        "from a log to an agent",
        size,
        ours=("landmarks, world, plan, first action", making + planning),
        peer=("one epoch of cloning, scaled", _epoch(log)),
        ratio=(making + planning) / (60 * MINUTES),
        unit="of ten minutes",
        at_most=1,
    )
    yield compared(
        "another goal in the same world",
        f"{worlds[0].num_states:,} landmarks",
        ours=("plan, first action", again),
        peer=("a new world and agent", making + planning),
        ratio=again / (0.6 * MINUTES),
        unit="of a hundredth of ten minutes",
        at_most=1,
    )


def _cpu_time(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def _epoch(log: Episodes) -> float:
    """Return the CPU time of one epoch of cloning, from that of some batches."""
    rng = np.random.default_rng(0)
    sizes = (4, WIDTH, WIDTH, 2)
    weights = [
        jnp.asarray(rng.normal(0, each**-0.5, (each, after))) for each, after in pairwise(sizes)
    ]
    learner = optax.adam(3e-4)

    def loss(weights: list[jax.Array], inputs: jax.Array, actions: jax.Array) -> jax.Array:
        for layer in weights[:-1]:
            inputs = jax.nn.gelu(inputs @ layer)
        return ((inputs @ weights[-1] - actions) ** 2).mean()

    @jax.jit
    def learn(weights, state, inputs, actions):
        change, state = learner.update(jax.grad(loss)(weights, inputs, actions), state)
        return optax.apply_updates(weights, change), state

    state = learner.init(weights)
    spent = 0.0
    for number in range(NUM_BATCHES + 1):
        rows = rng.choice(log.steps, BATCH)
        ahead = np.minimum(rows + rng.geometric(0.01, BATCH), len(log.last) - 1)
        inputs = jnp.asarray(np.hstack([log.observations[rows], log.observations[ahead]]))
        begin = time.process_time()
        weights, state = learn(weights, state, inputs, jnp.asarray(log.actions[rows]))
        jax.block_until_ready(weights)
        spent += (time.process_time() - begin) if number else 0  # the first compiles
    return spent / NUM_BATCHES * len(log) / BATCH


if __name__ == "__main__":
    main(measure)
