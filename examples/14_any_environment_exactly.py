# %% [markdown]
# # Turn an environment of yours into an exact world, and solve it with skills you have
#
# An environment whose state can be copied hides nothing: try every action in every state, and you
# have its transition probabilities. Two examples: FourRooms of gymnax, written in JAX, whose states
# are stepped in bulk; and DoorKey of MiniGrid, whose states are saved and restored one by one. Then
# FR-planning chains skills to any state, and to any set of states that you can name.
#
# This page needs Gymnasium, gymnax and MiniGrid:
# `pip install 'first-occupancy[interop,jax-environments]' minigrid`.

# %%
import jax
import numpy as np
from matplotlib.figure import Figure

import first_occupancy as fo
from first_occupancy.interop.extras import needs_extra

with needs_extra("interop,jax-environments", "minigrid"):
    import gymnasium
    import gymnax
    import minigrid  # noqa: F401  registers its environments

DISCOUNT = 0.95

# %% [markdown]
# ## gymnax: FourRooms, with its slips
#
# Moves go astray with probability 1/3. That is drawn from random keys, so probabilities are
# frequencies, and the world says how far they can be off. The clock is left out: that it changes
# nothing has been checked.

# %%
environment, params = gymnax.make("FourRooms-misc")
rooms = fo.from_environment(environment, params=params, samples=2000)
print(rooms)
to_goal = fo.plan(rooms, rooms.ends, discount=DISCOUNT, refine=None)
print(f"expected discount from the start: {float(to_goal.expected_discount[rooms.start]):.2f}")

# %% [markdown]
# A plan becomes a function of gymnax's own state, for `jit`, `vmap` and `scan`. Three hundred
# agents follow it in the environment itself, and find what was promised.

# %%
act = to_goal.policy_function()


def discount_on_arrival(key):
    """Return the discount when the goal is reached."""

    def advance(carry, key):
        state, factor, done = carry
        _, following, _, arrived, _ = environment.step_env(key, state, act(state), params)
        state = jax.tree.map(lambda new, old: jax.numpy.where(done, old, new), following, state)
        return (state, factor * jax.numpy.where(done, 1, DISCOUNT), done | arrived), None

    begin = (environment.reset_env(key, params)[1], 1.0, False)
    (_, factor, done), _ = jax.lax.scan(advance, begin, jax.random.split(key, 200))
    return factor * done


found = jax.jit(jax.vmap(discount_on_arrival))(jax.random.split(jax.random.key(1), 300))
print(f"three hundred agents: {float(found.mean()):.2f}")

# %% [markdown]
# ## MiniGrid: DoorKey, by its full state
#
# The agent must pick up a key, open a door and walk to the green square. Its pose alone does not
# tell what happens next, and you would be told so. By default the state is every cell of the grid,
# the agent, and what it carries.

# %%
grid = gymnasium.make("MiniGrid-DoorKey-6x6-v0", render_mode="rgb_array")
world = fo.from_environment(grid, seed=0)
print(world)

# %% [markdown]
# Sets of states are named by a condition on the environment.


# %%
def ahead(environment):
    """Return the kind of thing in front of the agent."""
    thing = environment.unwrapped.grid.get(*environment.unwrapped.front_pos)
    return None if thing is None else thing.type


facing_key = world.where(lambda environment: ahead(environment) == "key")
facing_door = world.where(lambda environment: ahead(environment) == "door")
carrying = world.where(lambda environment: environment.unwrapped.carrying is not None)
print(f"carrying the key: {len(carrying)} of {world.num_states} states")

# %% [markdown]
# ## Four skills
#
# Three can only walk: to the key, to the door, to the goal. The fourth uses what is ahead: it picks
# up a key, or opens a door. None of them solves the task.

# %%
LEFT, RIGHT, FORWARD, PICK_UP, _, TOGGLE, DONE = range(7)
walking = np.repeat([[LEFT], [RIGHT], [FORWARD]], world.num_states, axis=1)


def walk_to(goals):
    """Return a skill that walks to any of some states, and then stays."""
    plan = fo.plan(world, goals, policies=walking, discount=DISCOUNT)
    return np.where(np.asarray(plan.policy) < 0, DONE, np.asarray(plan.policy))


def use(environment):
    """Return the action that uses what is ahead."""
    return {"key": PICK_UP, "door": TOGGLE}.get(ahead(environment), DONE)


skills = np.stack([walk_to(facing_key), walk_to(facing_door), walk_to(world.ends)])
skills = np.concatenate([skills, world.policies([use])])
names = ["walk to the key", "walk to the door", "walk to the goal", "use"]
plan = fo.plan(world, world.ends, policies=skills, discount=DISCOUNT).named(policies=names)
for leg in plan.legs(world.start):
    print(leg.policy_name)
print(f"{float(plan.expected_time[world.start]):.0f} steps")
best = fo.plan(world, world.ends, discount=DISCOUNT)
print(f"the shortest way of all: {float(best.expected_time[world.start]):.0f} steps")

# %% [markdown]
# The plan in MiniGrid's own pictures: the start, and where each leg ends.

# %%
shown = world.pictures(plan)
figure = Figure(figsize=(2.2 * len(shown), 2.6))
for axes, (caption, pixels) in zip(figure.subplots(1, len(shown)), shown, strict=True):
    axes.imshow(pixels)
    axes.set_title(caption, fontsize=9)
    axes.axis("off")
figure

# %% [markdown]
# ## Act in the environment itself
#
# The plan as an agent with `predict`, the interface of Stable-Baselines3.

# %%
observation, _ = grid.reset(seed=0)
agent = plan.agent(grid)
steps, terminated = 0, False
while not terminated:
    action, _ = agent.predict(observation)
    observation, reward, terminated, truncated, _ = grid.step(action)
    steps += 1
print(f"reached after {steps} steps")
