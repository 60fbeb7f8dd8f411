"""Sweep over settings, here or on a cluster.

How many legs do plans have, the more walls there are? That takes many random mazes for each
share of walls and each size. A *sweep* runs an experiment for every combination of settings and
every seed, stores each result as it comes, and goes on where it was when it is stopped. The
same sweep runs on one machine or on a Ray cluster, with the same bytes out.
"""

import tempfile
from dataclasses import dataclass

import numpy as np

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.experiments import Experiment
from first_occupancy.sweeps import Here, grid, sweep

# ## An experiment
#
# It is a dataclass of settings and a function that yields rows. The rows must depend on nothing
# but the settings and the seed.


@dataclass(frozen=True)
class Config:
    """The mazes: their side, and which share of the cells is wall."""

    size: int = 20
    walls: float = 0.2


def run(config, seed):
    """Yield one row: the legs and steps of a plan between random cells of a random maze."""
    rng = np.random.default_rng(seed)
    letters = np.where(rng.random((config.size, config.size)) < config.walls, "#", ".")
    letters[0, 0] = "."  # a maze needs a free cell
    world = fo.maze(["".join(line) for line in letters])
    plan = fo.plan_paths(world.next_states, rng.integers(world.num_states), discount=0.95)
    # NumPy here, since JAX would compile for every number of states.
    steps = np.asarray(plan.log_discount) / np.log(0.95)
    start = int(rng.choice(np.flatnonzero(np.isfinite(steps))))
    yield {"legs": len(fo.unroll(plan, start)), "steps": round(steps[start])}


MAZES = Experiment(
    name="random_mazes",
    question="How many legs do plans have, the more walls there are?",
    paper="none",
    settings=lambda quick: [(Config(), 1)],
    run=run,
    plot=lambda rows: {},
    find=lambda rows: [],
)

# ## Sweep
#
# `grid` makes a config for every combination of values; settings that are not named keep their
# default. `sweep` runs each with every seed and returns the rows. What is stored below `out` is
# not run again. `Here` stays in this process; without it there is one process per core.

configs = grid(MAZES, size=[10, 30], walls=[0.0, 0.1, 0.2, 0.3])
with tempfile.TemporaryDirectory() as folder:
    rows = sweep(MAZES, configs, seeds=range(40), out=folder, workers=Here())
print(len(configs), "configs,", len(rows), "rows; the first:", rows[0]["config"], rows[0]["row"])
# > 8 configs, 320 rows; the first: {'size': 10, 'walls': 0.0} {'legs': 2, 'steps': 7}

# ## Look
#
# Each row comes with the config and the seed it belongs to.

legs = {}
for row in rows:
    size, walls = row["config"]["size"], row["config"]["walls"]
    legs.setdefault(size, {}).setdefault(walls, []).append(row["row"]["legs"])
figure, axes = plotting.figure()
for number, (size, by_walls) in enumerate(legs.items()):
    means = ", ".join(f"{np.mean(found):.1f}" for found in by_walls.values())
    print(f"{size} x {size}: {means} legs")
    samples, colour = np.array(list(by_walls.values())).T, plotting.style.colour(number)
    label = f"{size} x {size}"
    plotting.mean_curve(axes[0, 0], list(by_walls), samples, label=label, colour=colour)
plotting.label_axes(axes[0, 0], "share of walls", "legs of a plan", legend="upper left")
plotting.save(figure, "legs_by_walls.svg")
# > 10 x 10: 1.8, 2.4, 2.5, 3.1 legs
# > 30 x 30: 1.9, 2.9, 5.4, 7.0 legs

# In an empty room two legs will do, one along each axis. Bands are standard errors over 40 mazes.
#
# ## On a cluster
#
# Put the experiment in a module of its own, say `my_project/mazes.py`, so that other machines can
# import it. Then the same sweep runs with one option more, or from Python with
# `workers=RayWorkers("HEAD:6379")`:
#
# ```sh
# first-occupancy sweep --from my_project.mazes --set size=10,30 walls=0,0.1,0.2,0.3 --seeds 40
# first-occupancy sweep --from my_project.mazes --set ... --on ray --address HEAD:6379
# ```
#
# Workers that die are replaced, finished jobs are never lost or doubled, and only the process
# that you started writes, so machines need not share a disk. [Sweeps](../../sweeps.md) tells how
# to start Ray, also under Slurm.
