# %% [markdown]
# # A five-minute tour
#
# You have a few *skills*: policies that each do one thing well, such as walking north. Now you are
# given a goal that none of them was made for. The first-occupancy representation (FR) says how soon
# each skill reaches each state. From that alone you can plan: which skill to follow, where to
# switch, and which skill to follow next.

# %%
import jax
import jax.numpy as jnp

import first_occupancy as fo
from first_occupancy import plotting

# %% [markdown]
# ## A world and some skills
#
# Draw a world: `#` is a wall, `S` the start, `G` the goal. The states are the free cells, numbered
# row by row.

# %%
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

# %%
figure = fo.plot(world)
plotting.save(figure, "world.svg")
figure

# %% [markdown]
# The simplest skills repeat one action. `chain` turns a world and its policies into what a
# representation needs: the transition probabilities under each policy.

# %%
skills = fo.constant_policies(world)
chains = fo.chain(world, skills)
print(chains.shape, "= skills, states, next states")

# %% [markdown]
# ## How soon is each state reached?
#
# The FR tells: $F(s, g)$ is the expected discount $\gamma^T$, where $T$ is the time of the *first*
# visit to $g$ from $s$. It is 1 for the state you are in and 0 for a state that is never reached.

# %%
frs = fo.first_occupancy.solve(chains, discount=0.95)
right, corner = world.action_names.index("right"), world.state(7, 4)
print(f"right, start to (7, 4): {frs[right, world.start, corner]:.4f} = 0.95 ** 3")
print(f"right, start to the goal: {frs[right, world.start, world.goals[0]]:.4f}")

# %% [markdown]
# ## Plan
#
# No single skill reaches the goal. But discounts multiply: if you follow one skill to a subgoal and
# another from there, the expected discount is the product of the two. `plan` finds the best
# sequence of skills from *every* state at once, and `unroll` lists its legs from one start. If you
# already have FRs, for example learned ones, use `plan_to_goal(frs, goal)`.

# %%
goal = world.goals[0]
plan = fo.plan(world, goal, discount=0.95)
for leg in plan.legs(world.start):
    print(leg)
print(f"expected discount {plan.promised[world.start]:.3f}, and 0.95 ** 14 = {0.95**14:.3f}")

# %%
figure = fo.plot(plan, start=world.start)
plotting.save(figure, "plan.svg")
figure

# %% [markdown]
# The legs from the start are in colour. The arrows show what to do in every other cell.
#
# A new goal takes one more call, and nothing is learned. (For many goals in one world, let
# `fo.Planner(world, discount=0.95)` prepare the world once, and call its `plan`.)

# %%
for leg in fo.plan(world, (7, 9), discount=0.95).legs(world.start):
    print(leg)

# %% [markdown]
# ## Learn instead of solving
#
# `solve` needs the transition probabilities. An agent that only observes transitions can learn the
# same numbers by temporal differences. Here it follows a uniformly random policy for 50,000 steps
# and learns that policy's FR.

# %%
wander = jnp.full((world.num_states, world.num_actions), 1 / world.num_actions)
walk = fo.rollout(world.mdp, jax.random.key(0), wander, world.start, num_steps=50_000)
learned = fo.first_occupancy.initial(world.num_states)
learned, _ = fo.first_occupancy.td_learn(learned, walk.states, discount=0.95, step_size=0.02)
exact = fo.first_occupancy.solve(fo.chain(world, wander), discount=0.95)
print(f"off by {jnp.abs(learned - exact).mean():.3f} on average")

# %%
figure, axes = plotting.figure(1, 2, size=(6.4, 2.4))
for ax, title, fr in zip(axes[0], ("learned", "exact"), (learned, exact), strict=True):
    plotting.heat_map(ax, world, fr[world.start], label="expected discount")
    plotting.label_axes(ax, title=f"{title} FR of the start")
plotting.save(figure, "learned_and_exact.svg")
figure

# %% [markdown]
# ## First visits and all visits
#
# The successor representation (SR) counts every visit, the FR only the first. *right* runs into the
# wall at (7, 4) and stays there, so the SR of that cell is large. The FR is not affected.

# %%
srs = fo.successor.solve(chains, discount=0.95)
print(f"F = {frs[right, world.start, corner]:.2f}, M = {srs[right, world.start, corner]:.2f}")

# %% [markdown]
# This difference is what makes planning possible: $F$ multiplies along a path, $M$ does not.
#
# ## Where to go from here
#
# - [Draw your own maze and plan in it](01_draw_a_maze_and_plan.ipynb).
# - [Learn FRs from experience or from a log](02_learn_from_experience.ipynb).
# - Continuous states, for example in Gymnasium:
#   [first-occupancy features](04_features_on_pendulum.ipynb).
# - Look up [which function you need](../../which.md).
# - See why it works and what the paper got wrong: [the theory on one page](../../theory.md).
