# %% [markdown]
# # From a log to a goal in twenty lines
#
# A disc was walked through a maze by someone who knew the way to a cell nearby. All that is left is
# the log: positions and velocity commands, 1,000 short episodes, no rewards. We name a goal at the
# other end of the maze, which no episode reached, and get an agent that goes there.
#
# The maze is the medium point maze of OGBench (Park et al., 2025), and the log is made by its
# recipe. Both are in the reproduction: `pip install -e . -e ./reproduction`, in a checkout. With a
# log of your own the library is enough.

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log
from first_occupancy_paper.worlds.point_mazes import MEDIUM

jax.config.update("jax_enable_x64", True)

log = point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=1000)
print(log)

# %% [markdown]
# ## A world of landmarks
#
# Your own log is `fo.Episodes(observations, actions)`, a list of arrays each. Landmarks stand for
# the observations around them, as far apart as held-out episodes are predicted well; from each, a
# few prototype actions lead on. That is a finite world, in which first-occupancy discounts multiply
# along a path as in any other. Moves supported by few recorded steps are trusted less.

# %%
world = fo.landmark_world(log)
print(world.num_states > 150, len(world.actions))

# %% [markdown]
# ## Any observation as a goal
#
# The surest plan maximises the probability to arrive; `discount=0.99` would ask for the soonest.
# The agent has the `predict` of Stable-Baselines3, re-chooses at every step, and turns away when
# it stalls. `success` says how likely it is to arrive, with an interval.

# %%
start, goal = MEDIUM.centres([(1, 1), (6, 6)])
surest = fo.plan(world, goal)
agent = surest.agent()
print(f"arrives with a probability of about {surest.success(start).probability:.1f}")

place, path = start[None], [start]
rng = np.random.default_rng(0)
while np.linalg.norm(path[-1] - goal) > 0.8 and len(path) < 500:
    action, _ = agent.predict(path[-1])
    place, _ = MEDIUM.step(place, action[None], rng)
    path.append(place[0])
print(
    "arrived:", bool(np.linalg.norm(path[-1] - goal) <= 0.8), "within 200 steps:", len(path) < 200
)

# %% [markdown]
# ## How soon, for sure?
#
# `bounds` lets agents act in worlds in which movements count only where recorded steps cross, for
# the lower bound, and takes the best of what the log shows for the upper one. The lower bound
# needs many recorded steps: with the first 400 episodes alone it is 0, which says nothing.

# %%
plan = fo.plan(world, goal, discount=0.998)
low, high = plan.bounds(start)
realised = 0.998 ** (len(path) - 1)
print(f"between {low:.1f} and {high:.1f}; realised: {realised:.1f}")

# %%
figure, axes = plt.subplots(figsize=(4, 4))
axes.imshow(~MEDIUM.free, cmap="Greys", extent=(-6, 26, 26, -6), alpha=0.4)
axes.plot(*world.landmarks.T, ".", markersize=2, color="tab:blue")
axes.plot(*np.array(path).T, color="tab:orange")
axes.plot(*goal, "*", markersize=10, color="black")
axes.set_axis_off()
plotting.save(figure, "from_a_log_to_a_goal.svg")
