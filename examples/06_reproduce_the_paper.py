"""Reproduce the paper.

`make reproduce` runs every tabular experiment of the paper and MountainCar at full size, in
some ten minutes on two cores, and writes `output/ledger.html`: each claim, the paper's number,
ours with its interval, and a verdict. This page shows what lies behind it, so that you can run
a part, look at the rows, or add a question of your own.

```sh
make reproduce                                # everything
make reproduce ARGS=--quick                   # small runs that show the shape, a minute or two
first-occupancy list                          # what there is, and what is stored already
first-occupancy reproduce shorter_paths       # one of them
```

A run that is stopped goes on where it was: finished jobs are stored, one file each.
"""

from first_occupancy import plotting
from first_occupancy.experiments.registry import EXPERIMENTS, experiment

# ## The experiments
#
# Each is named by its question.

for each in EXPERIMENTS:
    print(f"{each.name}: {each.paper}")
# > shorter_paths: Fig. "FR_vs_sr"
# > exploration: Tables 1 and 2, Fig. "explore_envs"
# > mountain_car: Fig. "ff_mountaincar" a, b, c, Fig. "mtn_car_curves", Fig. "ff_feature_dim"
# > jaco_reaching: Fig. "apf"
# > planning_in_a_room: Figs. "simple_planning", "simple_planning_output", "fr_sr_viz"
# > four_rooms: Fig. "4room_planning" a, b, c, Fig. "4rooms_curves"
# > escape: Figs. "mouse", "escape_supp", "escape_curves", "escape_sr"
# > many_goals: Appendix "FRP with multiple goals" and "Connections to options"
# > claims: Def. 3.2, Prop. 3.1, 3.2 and 4.1, Alg. 1 and 2, and the text of sections 2 and 4
# > planned_exploration: beyond the paper (its bonuses: Tables 1 and 2)

# ## One of them, by hand
#
# An experiment is data and three functions. `settings` lists configurations, each with a number
# of seeds; `run` yields rows, plain dictionaries; `find` and `plot` read rows and nothing else.

shorter_paths = experiment("shorter_paths")
rows = []
for config, num_seeds in shorter_paths.settings(quick=True):
    for seed in range(num_seeds):
        rows.extend(shorter_paths.run(config, seed))
print(len(rows), "rows;", rows[0]["policy"], "takes", rows[0]["steps_to_goal"], "steps to the goal")
# > 4 rows; pi_1 takes 8 steps to the goal

# What the paper claims, what came out, and the verdict, which is computed from the rows:

for finding in shorter_paths.find(rows):
    print(f"{finding.verdict}: {finding.claim}")
    print(f"    paper: {finding.paper}")
# > reproduced: The FR from s0 to s_g is higher for the quick policy, the SR for the other
# >     paper: F(pi_1) < F(pi_2), M(pi_1) > M(pi_2)
# > reproduced: GPI with the SR picks the returning policy, with the FR the quick one
# >     paper: SR-GPI: pi_1, FR-GPI: pi_2

figure = shorter_paths.plot(rows)["occupancies"]
plotting.save(figure, "occupancies.svg")

# ## What reproduces and what does not
#
# The [ledger](../../ledger.md) has every line. In short: FR-planning stands; the exploration
# tables do not come out of the printed bonus; the escape needs more than the printed update; and
# some statements of theory need [corrections](../../theory.md#what-needs-correcting).
#
# ## A question of your own
#
# Write a folder with a `Config`, `settings`, `run`, `plot` and `find`, as `shorter_paths` has,
# and make an `Experiment` of them. `first-occupancy reproduce`, the store and the ledger work
# with anything that is listed in `registry`.
