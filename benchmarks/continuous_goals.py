"""How long does it take from a million transitions to an agent, and to an agent for another goal?

The log is that of OGBench's giant point maze. Beside it: one epoch of the cloning peer of the
experiment `offline_goals`, goal-conditioned behaviour cloning by a network with two layers of 256,
on batches of 1,024 as in OGBench, timed on some batches and scaled. All times are CPU times.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from measuring import Row, compared, main

from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.episodes import Episodes
from first_occupancy_paper.experiments.offline_goals.cloning import TRAINING, cloned
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log
from first_occupancy_paper.worlds.point_mazes import GIANT

BATCH, NUM_BATCHES = 1024, (20, 120)
MINUTES = 10


def measure(quick: bool) -> Iterable[Row]:
    """Yield a row for a new world, and one for a new goal in it."""
    log = point_maze_log(GIANT, "stitch", seed=0, num_episodes=500 if quick else None)
    size = f"{len(log):,} transitions"
    goal, start = GIANT.centres([(10, 14), (1, 1)])
    worlds = []
    making = _cpu_time(lambda: worlds.append(landmark_world(log)))
    planning = _cpu_time(lambda: plan_to_observation(worlds[0], goal).agent().predict(start))
    again = _cpu_time(lambda: plan_to_observation(worlds[0], start).agent().predict(goal))
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
    """Return the CPU time of one epoch of the cloning peer, from that of some batches."""
    few, many = (replace(TRAINING, batch_size=BATCH, num_updates=each) for each in NUM_BATCHES)
    for training in (few, many):
        cloned(log, 0, training=training)  # compiles
    more = _cpu_time(lambda: cloned(log, 1, training=many))
    less = _cpu_time(lambda: cloned(log, 1, training=few))
    return (more - less) / (NUM_BATCHES[1] - NUM_BATCHES[0]) * len(log) / BATCH


if __name__ == "__main__":
    main(measure)
