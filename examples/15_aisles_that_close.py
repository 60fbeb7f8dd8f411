# %% [markdown]
# # Aisles that close
#
# A fleet drives between the racks of a warehouse to four docks. Pallets block aisles and are
# cleared away again, a thousand times. A `Planner` follows: `planner.change` closes and opens
# cells, and the next plan to a dock computes only what the change touches.

# %%
import numpy as np
from matplotlib.colors import ListedColormap

import first_occupancy as fo
from first_occupancy import plotting

rows, columns = 121, 202
free = np.ones((rows, columns), bool)
free[np.ix_(np.arange(rows) % 20 != 10, np.arange(columns) % 4 >= 2)] = False  # racks
free[[0, -1]], free[:, :2] = True, True
world = fo.maze(["".join(row) for row in np.where(free, ".", "#")])
docks = [(0, 0), (0, columns - 2), (rows - 1, 0), (rows - 1, columns - 2)]
docks = [world.state(*dock) for dock in docks]
print(f"{world.num_states:,} cells, {len(docks)} docks")

# %% [markdown]
# ## A thousand events
#
# Each event closes a stretch of an aisle, two cells wide and three long, or clears one. Then a
# robot somewhere asks for its way to each dock. `planner.touched` says how many states the last
# plan changed. States keep their numbers, and a plan that a robot holds stays the plan in the old
# world.

# %%
rng = np.random.default_rng(0)
planner, blocked, touched, lengths = fo.Planner(world, discount=0.999), [], [], []
for dock in docks:
    planner.plan(dock)
for _ in range(1000):
    if len(blocked) > 30 or (blocked and rng.random() < 0.4):
        planner.change(open=blocked.pop(int(rng.integers(len(blocked)))))
    else:
        row, column = int(rng.integers(2, rows - 5)), 4 * int(rng.integers(columns // 4))
        stretch = [(row + n, column + m) for n in range(3) for m in range(2)]
        planner.change(close=stretch)
        blocked.append(stretch)
    robot = int(rng.integers(world.num_states))
    for dock in docks:
        plan = planner.plan(dock)
        touched.append(planner.touched)
        if plan.subgoal[robot] >= 0:
            lengths.append(len(plan.legs(robot)))
share = np.array(touched[len(docks) :]) / world.num_states
print(f"of all states, half of the plans change less than {np.median(share):.1%}")
print(f"every tenth plan changes more than {np.quantile(share, 0.9):.1%}")

# %% [markdown]
# The plans are those that a new search would make, ties included.

# %%
for dock in docks:
    plan, fresh = planner.plan(dock), fo.plan(planner.world, dock, discount=0.999)
    assert np.array_equal(plan.policy, fresh.policy)
    assert np.array_equal(plan.subgoal, fresh.subgoal)
    assert np.array_equal(plan.expected_discount, fresh.expected_discount)
print("all equal to new plans")

# %% [markdown]
# ## How little changes
#
# One more event. Left, red: the cells from which the way to the lower right dock changes. Black:
# what is closed. Right: the share of all states that each plan of the thousand events changed,
# sorted.

# %%
dock, row, column = docks[3], 84, 4 * (columns // 8)
before = planner.plan(dock)
planner.change(close=[(row + n, column + m) for n in range(3) for m in range(2)])
after = planner.plan(dock)
changed = (np.asarray(before.policy) != after.policy) | (
    np.asarray(before.subgoal) != after.subgoal
)
changed |= np.asarray(before.expected_time) != after.expected_time

colours = ListedColormap(["#d9d9d9", "#ffffff", "#d7301f", "#000000"])
kinds = np.where(changed, 2.0, 1.0)
kinds[sorted(planner.world.walled)] = 3
figure, axes = plotting.figure(1, 2, size=(11, 4.2))
left, right = axes[0]
picture = np.nan_to_num(world.on_grid(kinds))
left.imshow(picture, cmap=colours, vmin=0, vmax=3, interpolation="nearest")
left.plot(columns - 2, rows - 1, "o", color="#2b8cbe", markersize=9, clip_on=False)
left.set(xticks=[], yticks=[], title=f"{changed.sum():,} of {world.num_states:,} cells change")
right.plot(np.linspace(0, 1, len(share)), np.maximum(np.sort(share), 1e-5), color="#2b8cbe")
right.set(yscale="log", xlabel="share of the plans", ylabel="share of the states that change")
right.grid(alpha=0.3)
plotting.save(figure, "aisles_that_close.svg")
figure
