"""From a tracking file with gaps to maps with intervals and a comparison of models."""

import jax

from first_occupancy import plotting
from first_occupancy.behaviour import comparison, held_out, models, subjects
from first_occupancy.behaviour import arenas, tracking
from first_occupancy.interop.data import logs
from first_occupancy.interop.data.corrected_intervals import estimate_with_interval
from first_occupancy.plotting.arena_figures import arena_map
from first_occupancy.representations import first_occupancy, successor

arena = arenas.rectangular_arena(width=0.8, height=0.8, cell=0.1, obstacles=[(0.3, 0.1, 0.4, 0.7)])
file = tracking.read_deeplabcut("mouse.csv", body_part="nose", frames_per_second=30.0, scale=0.002)
tracked, goal, key = file.filtered(likelihood=0.9), arena.cell_at(0.15, 0.55), jax.random.key(0)
counts = logs.count_transitions(tracked.log(arena))
figure, axes = plotting.figure(2, 3, size=(6.8, 4.6))
for row, kind in zip(axes, (first_occupancy, successor), strict=True):
    found = estimate_with_interval(counts, key, discount=0.9, representation=kind)
    for ax, values in zip(row, (found.low, found.estimate, found.high), strict=True):
        arena_map(ax, arena, values[0, :, goal])
plotting.save(figure, "maps.svg")
layouts = subjects.grid_layouts(arena.free[None], goal=goal)
trials = [subjects.Trial(0, path) for path in tracked.cells(arena)]
mouse = subjects.subjects_from_paths(layouts, {"mouse": trials})
candidates = [models.habit_model(layouts), models.planning_model(3)]
print(comparison.compare(candidates, mouse, key, folds=held_out.folds_by_time))
