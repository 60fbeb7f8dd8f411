# %% [markdown]
# # Sweep over settings, on one machine or a cluster
#
# How many legs does a plan have, the more walls there are? To answer that, we plan in many random
# mazes for each share of walls and each size. A *sweep* runs an experiment for every combination of
# settings and every seed, stores each result as it is computed, and resumes after an interruption.
# The same sweep runs on one machine or on a Ray cluster, with byte-identical results. Sweeps are
# part of the reproduction: `pip install -e . -e ./reproduction`, in a checkout.

# %%
import inspect
import tempfile

import numpy as np
import random_mazes

from first_occupancy import plotting
from first_occupancy_paper.sweeps import Here, grid, summarise, sweep

# %% [markdown]
# ## An experiment
#
# An experiment is a dataclass of settings and a function that yields rows. The rows must depend
# only on the settings and the seed. It is in a module of its own, `random_mazes.py` beside this
# page: a sweep computes stored rows again if that code has changed, and other processes and
# machines import it.

# %%
print(inspect.getsource(random_mazes))

# %% [markdown]
# ## Sweep
#
# `grid` makes a config for every combination of values; settings that you do not name keep their
# defaults. `sweep` runs each config with every seed and returns the rows. Results already stored in
# `out` are not computed again. `Here` runs everything in this process; by default there is one
# process per core.

# %%
configs = grid(random_mazes.MAZES, size=[10, 30], walls=[0.0, 0.1, 0.2, 0.3])
with tempfile.TemporaryDirectory() as folder:
    rows = sweep(random_mazes.MAZES, configs, seeds=range(40), out=folder, workers=Here())
print(len(configs), "configs,", len(rows), "rows; the first:", rows[0]["config"], rows[0]["row"])

# %% [markdown]
# ## The table
#
# `summarise` takes means by setting, with 95% intervals over the seeds. `write_csv` and
# `write_parquet` save the table, `figure` draws it. From the shell a sweep ends in these files.

# %%
print(summarise(rows))

# %% [markdown]
# ## Look at the rows
#
# Each row comes with its config and its seed, for figures of your own.

# %%
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
figure

# %% [markdown]
# In an empty room two legs are enough, one along each axis. Bands are standard errors over 40
# mazes.
#
# ## On a cluster
#
# Since the experiment is in a module, the same sweep runs from the shell, with one more option on a
# cluster, or from Python with `workers=RayWorkers("HEAD:6379")`:
#
# ```sh
# first-occupancy sweep --from random_mazes --set size=10,30 walls=0,0.1,0.2,0.3 --seeds 40
# first-occupancy sweep --from random_mazes --set ... --on ray --address HEAD:6379
# ```
#
# Workers that die are replaced, and finished jobs are never lost or run twice. Only the process
# that you started writes results, so the machines need not share a disk. [Sweeps](../../sweeps.md)
# explains how to start Ray, also under Slurm.
