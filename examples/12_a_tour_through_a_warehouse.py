# %% [markdown]
# # A tour through a warehouse
#
# A picker starts at the dock `S`, visits 40 shelves `G` and comes back. The aisles are one-way, and
# the middle of the cross aisle is busy: entering a cell there takes three times as long. The map is
# a drawing in a text file. `^`, `>`, `v` and `<` are cells that can be left only that way, and a
# digit is the cost of entering a cell.

# %%
import json
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import first_occupancy as fo
from first_occupancy import plotting

folder = Path(tempfile.mkdtemp())
drawing = folder / "warehouse.txt"
drawing.write_text("""\
################################
#..............................#
##v##^##v##^##G##^##v##^##v##^##
##v##G##v##G##v##^##v##G##v##^##
##v##^##v##^##v##^##v##^##v##^##
##G##G##v##^##v##^##v##G##v##^##
##v##^##v##G##G##G##v##G##v##G##
##G##^##G##G##v##^##v##G##v##^##
##v##^##G##^##v##^##v##^##G##^##
#..........3333333333..........#
##v##G##G##^##v##G##v##G##v##^##
##v##G##v##^##v##^##v##G##v##G##
##v##G##G##^##v##^##G##^##v##^##
##v##G##v##^##G##G##v##^##G##^##
##G##^##G##^##v##^##v##^##v##^##
##v##G##v##^##G##G##v##^##v##G##
##G##G##v##^##v##^##v##^##v##^##
#S.............................#
################################
""")
world = fo.maze(drawing.read_text().splitlines())

# %% [markdown]
# ## From the shell
#
# The command plans to every goal, finds the order, and prints the tour as JSON for other programs.
# `--plans` also saves the plans themselves, `--return` comes back to the start:
#
# ```sh
# first-occupancy plan warehouse.txt --return --json --plans plans.npz
# ```
#
# With more than 16 goals the order is that of a solver; `pip install '.[tours]'` adds one that is
# better than what comes with SciPy. Either way the result says how good it is known to be.

# %%
plans = str(folder / "plans.npz")
command = [sys.executable, "-m", "first_occupancy", "plan", str(drawing), "--return", "--json"]
printed = subprocess.run([*command, "--plans", plans], capture_output=True, text=True, check=True)
tour = json.loads(printed.stdout)
print(len(tour["order"]), "stops, then back to the start:", tour["ways"][-1]["goal"])
print("no order is shorter by more than a fifth:", tour["at_most_shorter"] < 0.2)

# %% [markdown]
# Every way of the tour has its legs, and every leg its steps and cells.

# %%
cells = [
    [way["from"], *(cell for leg in way["legs"] for cell in leg["states"][1:])]
    for way in tour["ways"]
]
paths = [[world.state(*cell) for cell in way] for way in cells]
steps = [pair for path in paths for pair in pairwise(path)]
print("every step is a move:", all(b in world.next_states[:, a] for a, b in steps))
print("times add up:", tour["expected_time"] == sum(world.entry_times[b] for _, b in steps))
figure = plotting.tour_figure(world, paths, [path[-1] for path in paths])
plotting.save(figure, "warehouse_tour.svg")
figure

# %% [markdown]
# ## Looked up from another process
#
# A robot that was pushed aside needs no new plan: the saved ones say what to do from every cell.
# `load_plans` maps the file into memory, and `leg` reads a single entry.

# %%
robot = """
import sys
import first_occupancy as fo
from first_occupancy import planning

world = fo.maze(open(sys.argv[1]).read().splitlines())
plans = planning.load_plans(sys.argv[2])
here, dock = world.state(3, 29), world.state(17, 1)
while here != dock:
    policy, subgoal = plans.leg(dock, here)
    print(world.action_names[policy], "until", world.cell(subgoal))
    here = subgoal
"""
looked_up = [sys.executable, "-c", robot, str(drawing), plans]
print(subprocess.run(looked_up, capture_output=True, text=True, check=True).stdout, end="")
