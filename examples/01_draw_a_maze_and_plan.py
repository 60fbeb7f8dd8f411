"""Draw a maze and plan in it.

From a drawing to a plan, a picture of it, a tour over several goals, and an honest number for
what the plan brings when moves go wrong.
"""

import numpy as np

import first_occupancy as fo
from first_occupancy import plotting

# ## Draw
#
# A drawing is text: `#` wall, `.` or a blank free, `S` the start, any number of goals `G`. All
# lines are equally long. There are four moves; `moves=EIGHT_MOVES` allows diagonal ones too.

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
# > 96 states, goals at (1, 17) (5, 11) (9, 1)

# A mistake in the drawing is told in one sentence:

try:
    fo.maze(["S..", "..?"])
except fo.InputError as error:
    print(error)
# > maze: characters must be '#', '.', ' ', 'S' or 'G', got '?' in line 2, column 3

# ## Plan to one goal
#
# The base policies each repeat one of the four moves. `plan` chains them; a `Planner` is prepared
# once and plans to many goals.

planner = fo.Planner(world, discount=0.95)
goal = world.goals[0]
plan = planner.plan(goal)
for leg in fo.unroll(plan, world.start):
    print(leg)
# > right until (1, 5)
# > down until (3, 5)
# > right until (3, 13)
# > down until (5, 13)
# > right until (5, 15)
# > up until (1, 15)
# > right until (1, 17)

# `plan_figure` draws the legs in colour, their ends as numbered discs, and an arrow in every
# other cell: the plan is a plan from everywhere.

figure = plotting.plan_figure(world, plan, world.start)
plotting.save(figure, "maze_plan.svg")

# ## How many switches are needed?
#
# `max_switches` limits the changes of policy a plan may count with. With 0 this is generalised
# policy improvement: choose the one skill that gets there soonest. Each further switch is one
# more sweep over all states, until none helps.

for switches in range(0, 9, 2):
    limited = planner.plan(goal, max_switches=switches)
    reached = int(limited.reachable.sum())
    print(f"{switches} switches: from {reached} cells, start {limited.discount[world.start]:.3f}")
# > 0 switches: from 11 cells, start 0.000
# > 2 switches: from 41 cells, start 0.000
# > 4 switches: from 73 cells, start 0.000
# > 6 switches: from 96 cells, start 0.292
# > 8 switches: from 96 cells, start 0.292

# ## Several goals
#
# The best order to visit all goals needs the discount from everywhere to each of them, which is
# what plans hold. Up to 16 goals the order is proven to be the best.

plans = {goal: planner.plan(goal) for goal in world.goals}
log_discounts = np.stack([plan.log_discount for plan in plans.values()], axis=1)
tour = fo.best_order(world.start, world.goals, log_discounts)
print("visit", *[world.cell(goal) for goal in tour.order])
print(f"expected discount {tour.discount:.3f}, proven to be the best: {tour.proven_optimal}")
# > visit (9, 1) (5, 11) (1, 17)
# > expected discount 0.105, proven to be the best: True

paths, here = [], world.start
for goal in tour.order:
    legs = fo.unroll(plans[goal], here)
    steps = fo.follow(legs, here, world.next_states)
    paths.append([here, *(state for leg in steps for state in leg[1:])])
    here = goal
figure = plotting.tour_figure(world, paths, tour.order)
plotting.save(figure, "maze_tour.svg")

# ## When moves go wrong
#
# Let one move in five be a random one. The FRs now hold expectations over what chance may do, and
# the planner works as before. A plan's own number is then what it promises *leg by leg*: each
# skill is followed until its subgoal, however long that takes. `followed` is what the plan brings
# when it is looked up anew in every state. `evaluate` gives both, exactly, and the best possible.

noisy = fo.maze(DRAWING, noise=0.2)
plan = fo.plan(noisy, noisy.goals[0], discount=0.95)
print(f"promised  {plan.discount[noisy.start]:.3f}")
print(f"followed  {plan.followed[noisy.start]:.3f}")
# > promised  0.155
# > followed  0.214

truth = fo.evaluate(plan, noisy, fo.constant_policies(noisy), discount=0.95)
print(f"leg by leg {truth.leg_by_leg[noisy.start]:.3f}")
print(f"re-choosing at every step {truth.rechoosing[noisy.start]:.3f}")
print(f"optimum    {truth.optimal[noisy.start]:.3f}")
# > leg by leg 0.155
# > re-choosing at every step 0.214
# > optimum    0.214

# Look the plan up at every step, then: it costs nothing and brings more than is promised, here
# nearly the optimum.
#
# ## From the shell
#
# The same without Python, for any drawing in a file:
#
# ```sh
# first-occupancy plan examples/mazes/warehouse.txt --moves 8 --out plan.png
# ```
