# %% [markdown]
# # Reproduce the paper
#
# `make reproduce` runs every tabular experiment of the paper and MountainCar at full size, in about
# ten minutes on two cores. It writes `output/ledger.html`: each claim, the paper's number, ours
# with its interval, and a verdict. This page shows how that works, so that you can run a part of
# it, look at the rows, or add a question of your own. From a shell without `make`, install the
# reproduction first: `pip install -e . -e ./reproduction`, in a checkout.
#
# ```sh
# make reproduce                                # everything
# make reproduce ARGS=--quick                   # small runs that show the shape, a minute or two
# first-occupancy list                          # the experiments, and which are stored already
# first-occupancy reproduce shorter_paths       # one of them
# ```
#
# An interrupted run continues where it stopped: every finished job is stored in a file of its own.

# %%
from first_occupancy import plotting
from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment

# %% [markdown]
# ## The experiments
#
# Each is named after its question.

# %%
for each in EXPERIMENTS:
    print(f"{each.name}: {each.paper}")

# %% [markdown]
# ## One of them, by hand
#
# An experiment consists of data and functions. `settings` lists configurations, each with a number
# of seeds. `run` yields rows, which are plain dictionaries. `find` and `plot` use the rows and
# nothing else.

# %%
shorter_paths = experiment("shorter_paths")
rows = []
for config, num_seeds in shorter_paths.settings(quick=True):
    for seed in range(num_seeds):
        rows.extend(shorter_paths.run(config, seed))
print(len(rows), "rows;", rows[0]["policy"], "takes", rows[0]["steps_to_goal"], "steps to the goal")

# %% [markdown]
# Each finding states a claim of the paper and a verdict, which is computed from the rows:

# %%
for finding in shorter_paths.findings(rows):
    print(f"{finding.verdict}: {finding.claim}")
    print(f"    paper: {finding.paper}")

# %%
figure = shorter_paths.plot(rows)["occupancies"]
plotting.save(figure, "occupancies.svg")
figure

# %% [markdown]
# ## What reproduces and what does not
#
# The [ledger](../../ledger.md) has every line. In short: FR-planning reproduces; the exploration
# tables do not follow from the printed bonus; the escape needs more than the printed update; and
# some statements of the theory need [corrections](../../theory.md#what-needs-correcting).
#
# ## A question of your own
#
# Write a folder with a `Config`, `settings`, `run`, `plot`, and `find` with the sentences of
# `findings.md`, as `shorter_paths` does, and combine them in an `Experiment`.
# `first-occupancy reproduce`, the store and the ledger work with
# every experiment that is listed in `registry`.
