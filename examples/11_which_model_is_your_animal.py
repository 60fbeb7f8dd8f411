# %% [markdown]
# # Which model is your animal?
#
# From a tracking file to maps with intervals and a table of models: what the animal's own movements
# say about how soon it reaches places, and whether it follows habits, a learned map or a plan. The
# file is made here, from a simulated mouse that plans with at most three switches, so the answer is
# known.

# %%
import warnings
from pathlib import Path

import jax
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.behaviour import (
    compare,
    grid_layouts,
    habit_model,
    held_out,
    planning_model,
    simulation,
    successor_model,
)
from first_occupancy.plotting.arena_figures import arena_map, tracked_path

# %% [markdown]
# ## A mouse to record
#
# An arena of 80 by 80 centimetres with a wall, and a shelter in a corner. The mouse is put down
# forty times, and walks until it is in the shelter. A camera sees it 30 times a second; between two
# trials, and now and then in between, the tracker is not sure where it is.

# %%
arena = fo.arena(width=0.8, height=0.8, cell=0.1, walls=[((0.3, 0.1), (0.4, 0.7))])
goal = arena.cell_at(0.15, 0.55)
layouts = grid_layouts(arena.free[None], goal=goal)
rng = np.random.default_rng(0)
free = np.setdiff1d(np.flatnonzero(arena.free), goal)
starts = simulation.Starts(rng.choice(free, (1, 40)), np.zeros((1, 40), int))
truth = {"discount": 0.85, "inverse_temperature": 15.0}
mouse = simulation.simulate(planning_model(3), truth, layouts, starts, jax.random.key(1))

choices = jax.tree.map(lambda each: np.asarray(each[0]), mouse.choices)
lines, frame = ["scorer,net,net,net", "bodyparts,nose,nose,nose", "coords,x,y,likelihood"], 0
for trial in range(int(choices.trials.max()) + 1):
    own = choices.trials == trial
    for cell in [choices.states[own][0], *choices.next_states[own]]:
        x, y = (arena.centres()[cell] + rng.uniform(-0.04, 0.04, 2)) / 0.002
        lines.append(f"{frame},{x:.1f},{y:.1f},{rng.uniform(0.95, 1):.3f}")
        frame += 1
    lines.append(f"{frame},0,0,0.01")
    frame += 1
Path("mouse.csv").write_text("\n".join(lines) + "\n")

# %% [markdown]
# ## From the file to cells
#
# Positions are in pixels of 2 mm. What the tracker is not sure of becomes a gap, and no move leads
# across a gap. A step is a move into another cell.

# %%
track = fo.read_tracking("mouse.csv", part="nose", frames_per_second=30.0, scale=0.002)
visits = track.cells(arena)
print(track)
print(visits)

# %% [markdown]
# ## Maps with intervals
#
# The FR tells how soon the mouse reaches the shelter, the SR how often it comes by. Both are
# estimated from counts, corrected for their bias, and come with intervals. Estimates that rest on a
# handful of moves are marked: most of them, in so short a recording.

# %%
log = visits.log()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    fr, sr = (
        fo.frs_from_log(log, discount=0.9, interval=0.95, representation=each)
        for each in (fo.first_occupancy, fo.successor)
    )
print(told[0].category.__name__)

figure, axes = plotting.figure(1, 2, size=(6.8, 2.6))
for ax, found, name in zip(axes[0], (fr, sr), ("FR", "SR"), strict=True):
    doubtful = ~np.asarray(found.interval.trusted[0, :, goal])
    column = found.interval.estimate[0, :, goal]
    arena_map(ax, arena, column, label=f"{name} of the shelter", doubtful=doubtful)
    tracked_path(ax, track.positions)
plotting.save(figure, "mouse_maps.svg")
figure

# %% [markdown]
# ## The table
#
# Turning biases that know no goal, an SR learned along the mouse's own path, and plans without or
# with three switches. Each is fitted to half of the trials and tested on the other half, in turn:
# how many parameters it has, and the held-out log-likelihood of a choice.

# %%
recorded = visits.subjects(goal=goal, name="mouse")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # in wrong models some parameters have no effect
    table = compare(
        [habit_model(layouts), successor_model(), planning_model(0), planning_model(3)],
        recorded,
        jax.random.key(2),
        folds=lambda who: held_out.folds_by_time(who, num_folds=2),
        num_starts=2,
    )
for row in table.table():
    print(f"{row['model']:15} {row['parameters']} {row['held_out'] / len(log):8.2f}")
print("best:", table.best)
figure = fo.plot(table)
plotting.save(figure, "models.svg")
figure

# %% [markdown]
# ## Before you trust it
#
# `behaviour.recovery.recover` simulates subjects from each model, fits them all, and tells how
# often the right one wins with as many trials as you have. `recovery.simulated_like` simulates
# subjects with the fitted parameters: do they take the same detours? And no analysis can tell the
# FR from the SR if every trial ends at the goal:
# [when FR and SR cannot be told apart](../../telling_apart.md).

# %%
Path("mouse.csv").unlink()
