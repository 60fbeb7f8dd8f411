"""A five-minute tour.

You have a few *skills*: policies that do something well, such as always walking north. Somebody
names a goal that none of them was made for. The first-occupancy representation (FR) tells how
soon each skill reaches each place, and from that alone a plan is made: which skill to follow,
until where, and which then.
"""

import jax
import jax.numpy as jnp

import first_occupancy as fo

# ## A world and some skills
#
# Draw a world: `#` is wall, `S` the start, `G` the goal. Its states are the free cells, counted
# row by row.

world = fo.maze(
    """
    ###########
    #....#...G#
    #.........#
    #....#....#
    #.#####.###
    #....#....#
    #.........#
    #S...#....#
    ###########
    """
)
print(world.num_states, "states; actions:", ", ".join(world.action_names))
# > 52 states; actions: up, right, down, left

# The simplest skills take one action over and over. `chain` turns a world and a policy into the
# one thing a representation needs, the probabilities of the next state.

skills = fo.constant_policies(world)
chains = fo.chain(world, skills)
print(chains.shape, "= skills, states, next states")
# > (4, 52, 52) = skills, states, next states

# ## How soon is each state reached?
#
# That is what the FR holds: $F(s, g)$ is the expected discount $\gamma^T$ at the time $T$ of the
# *first* visit to $g$ from $s$. It is 1 where one already is, 0 where one never comes.

frs = fo.first_occupancy.solve(chains, discount=0.95)
right, corner = world.action_names.index("right"), world.state(7, 4)
print(f"right, start to (7, 4): {frs[right, world.start, corner]:.4f} = 0.95 ** 3")
print(f"right, start to the goal: {frs[right, world.start, world.goals[0]]:.4f}")
# > right, start to (7, 4): 0.8574 = 0.95 ** 3
# > right, start to the goal: 0.0000

# ## Plan
#
# No single skill reaches the goal. But discounts multiply. Following one skill to a subgoal and
# another from there is worth the product of the two. `plan` finds the best chain of skills from
# *every* state at once; `unroll` writes it out for one start. `plan_to_goal(frs, goal)` does the
# same with FRs at hand, learned ones for example.

goal = world.goals[0]
plan = fo.plan(world, goal, discount=0.95)
for leg in fo.unroll(plan, world.start):
    print(leg)
print(f"expected discount {plan.discount[world.start]:.3f}, and 0.95 ** 14 = {0.95**14:.3f}")
# > up until (2, 1)
# > right until (2, 9)
# > up until (1, 9)
# > expected discount 0.488, and 0.95 ** 14 = 0.488

# Another goal is another call. Nothing is learned or solved again.

for leg in fo.unroll(fo.plan(world, (7, 9), discount=0.95), world.start):
    print(leg)
# > up until (6, 1)
# > right until (6, 9)
# > down until (7, 9)

# ## Learn instead of solving
#
# `solve` needs the chain. An agent that only sees where its steps lead learns the same numbers by
# temporal differences. Here it wanders about at random for 50,000 steps and learns the FR of
# wandering.

wander = jnp.full((world.num_states, world.num_actions), 1 / world.num_actions)
walk = fo.rollout(world.mdp, jax.random.key(0), wander, world.start, num_steps=50_000)
learned = fo.first_occupancy.initial(world.num_states)
learned, _ = fo.first_occupancy.td_learn(learned, walk.states, discount=0.95, step_size=0.02)
exact = fo.first_occupancy.solve(fo.chain(world, wander), discount=0.95)
print(f"off by {jnp.abs(learned - exact).mean():.3f} on average")
# > off by 0.026 on average

# ## First visits and all visits
#
# The successor representation (SR) counts every visit, the FR only the first. *right* runs into
# the wall at (7, 4) and stays there, so the SR makes much of that cell. The FR does not.

srs = fo.successor.solve(chains, discount=0.95)
print(f"F = {frs[right, world.start, corner]:.2f}, M = {srs[right, world.start, corner]:.2f}")
# > F = 0.86, M = 17.15

# That difference is what makes planning possible: $F$ multiplies along a path, $M$ does not.
#
# ## Where to go from here
#
# - Draw your own maze and plan in it: [the next page](01_draw_a_maze_and_plan.md).
# - Learn from experience or from a log: [the page after](02_learn_from_experience.md).
# - A world with continuous states, such as one of Gymnasium's:
#   [first-occupancy features](04_features_on_pendulum.md).
# - Which function does what you need: [a table](../../which.md).
# - Why it works, and what the paper got wrong: [the theory on one page](../../theory.md).
