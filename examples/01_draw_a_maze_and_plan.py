# %% [markdown]
# # Draw a maze and plan in it
#
# From a drawing to a plan: with pictures, a tour of several goals, and an exact evaluation of the
# plan when moves are noisy.

# %%
import numpy as np

import first_occupancy as fo
from first_occupancy import planning, plotting

# %% [markdown]
# ## Draw
#
# A drawing is text: `#` is a wall, `.` or a blank a free cell, `S` the start, and `G` a goal, of
# which there may be several. All lines must have the same length. There are four moves;
# `moves=EIGHT_MOVES` adds the diagonal ones.

# %%
DRAWING = """
    ###################
    #S....#.......#..G#
    #.###.#.#####.#.#.#
    #.#...........#.#.#
    #.#.###.#.###.#.#.#
    #...#...#..G#...#.#
    ###.#.#####.#####.#
    #.....#...........#
    #.#.###.#.###.###.#
    #G#.....#.........#
    ###################
"""
world = fo.maze(DRAWING)
print(world.num_states, "states, goals at", *[world.cell(goal) for goal in world.goals])

# %% [markdown]
# If the drawing contains a mistake, the error message points to it:

# %%
try:
    fo.maze(["S..", "..?"])
except fo.InputError as error:
    print(error)

# %% [markdown]
# ## Plan to one goal
#
# Each base policy repeats one of the four moves, and a plan chains them. `fo.plan` plans to one
# goal. For many goals, make a `Planner` once and ask it for each.

# %%
planner = fo.Planner(world, discount=0.95)
goal = world.goals[0]
plan = planner.plan(goal)
for leg in plan.legs(world.start):
    print(leg)

# %% [markdown]
# `fo.plot` draws each leg in its own colour and marks its end with a numbered disc. The arrows
# in the other cells show that the plan covers every state.

# %%
figure = fo.plot(plan, world=world, start=world.start)
plotting.save(figure, "maze_plan.svg")
figure

# %% [markdown]
# ## How many switches are needed?
#
# `max_switches` limits how often a plan may switch policies. With 0 it is generalised policy
# improvement: follow the one skill that gets there soonest. Each further switch takes one more
# sweep over all states. After six switches, more do not help.

# %%
for switches in range(0, 9, 2):
    limited = planner.plan(goal, max_switches=switches)
    reached = int(limited.reachable.sum())
    print(f"{switches} switches: from {reached} cells, start {limited.promised[world.start]:.3f}")

# %% [markdown]
# ## Several goals
#
# To visit all goals in the best order, you need the discount from every state to each goal, and
# plans contain just that. With up to 16 goals the order is proven optimal.

# %%
plans = {goal: planner.plan(goal) for goal in world.goals}
log_discounts = np.stack([plan.log_promised for plan in plans.values()], axis=1)
tour = planning.best_order(world.start, world.goals, log_discounts)
print("visit", *[world.cell(goal) for goal in tour.order])
print(f"expected discount {tour.discount:.3f}, proven optimal: {tour.proven_optimal}")

# %%
paths, here = [], world.start
for goal in tour.order:
    legs = plans[goal].legs(here)
    steps = planning.follow(legs, here, world.next_states)
    paths.append([here, *(state for leg in steps for state in leg[1:])])
    here = goal
figure = plotting.tour_figure(world, paths, tour.order)
plotting.save(figure, "maze_tour.svg")
figure

# %% [markdown]
# ## When moves go wrong
#
# Now let one move in five be random. The FRs become expectations, and the planner works as before.
#
# There are two ways to execute a plan in a stochastic world. *Leg by leg*, you follow each skill
# until its subgoal, however long that takes; `plan.promised` is what this promises. *Re-choosing*,
# you look the plan up in every state you come to; `plan.expected_discount` is what that achieves.

# %%
noisy = fo.maze(DRAWING, noise=0.2)
plan = fo.plan(noisy, noisy.goals[0], discount=0.95)
print(f"promised  {plan.promised[noisy.start]:.3f}")
print(f"followed  {plan.expected_discount[noisy.start]:.3f}")

# %% [markdown]
# `evaluate` computes both exactly, and the optimum for comparison.

# %%
truth = fo.evaluate(plan, noisy, fo.constant_policies(noisy), discount=0.95)
print(f"leg by leg {truth.leg_by_leg[noisy.start]:.3f}")
print(f"re-choosing at every step {truth.expected_discount[noisy.start]:.3f}")
print(f"optimum    {truth.optimal[noisy.start]:.3f}")

# %% [markdown]
# So look the plan up at every step: it costs nothing, and here it does better than promised and
# nearly reaches the optimum.
#
# ## From the shell
#
# The same without Python, for any drawing in a file:
#
# ```sh
# first-occupancy plan examples/mazes/warehouse.txt --moves 8 --out plan.png
# ```
