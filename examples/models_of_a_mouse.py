"""From a tracking file with gaps to maps with intervals and a comparison of models."""

import first_occupancy as fo
from first_occupancy.behaviour import compare, habit_model, planning_model
from first_occupancy.plotting import save

track = fo.read_tracking("mouse.csv", part="nose", frames_per_second=30.0, scale=0.002)
arena = fo.arena(width=0.8, height=0.8, cell=0.1, walls=[((0.3, 0.1), (0.4, 0.7))])
visits, home = track.cells(arena, outside="snap"), arena.cell_at(0.15, 0.55)
save(fo.plot(visits), "occupancy.svg")
for kind in (fo.first_occupancy, fo.successor):
    table = fo.frs_from_log(visits.log(), discount=0.9, interval=0.95, representation=kind)
    save(fo.plot(table, arena=arena, goal=home), f"{kind.name}.svg")
mouse = visits.subjects(goal=home)
models = compare([habit_model(mouse.layouts), planning_model(3)], mouse)
save(fo.plot(models), "models.svg")
print(track, visits, models, sep="\n")
