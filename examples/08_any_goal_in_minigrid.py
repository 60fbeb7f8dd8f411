# %% [markdown]
# # Explore MiniGrid's four rooms once, then go anywhere without further learning
#
# The agent can turn left, turn right and go forward. It tries each action once in every pose it can
# reach, which takes about 3,600 steps, and learns from nothing else. Then goals are drawn at
# random. For each, the environment puts its green square there, and FR-planning chains
# "turn left until ..." and "forward until ..." to it.
#
# This page needs Gymnasium and MiniGrid: `pip install 'first-occupancy[interop]' minigrid`.

# %%
import numpy as np

from first_occupancy.interop.extras import needs_extra
from first_occupancy.interop.gym.minigrid_poses import PoseObservations, SameGrid, pose_key
from first_occupancy.interop.skills import learn_skills
from first_occupancy.interop.states import KeyedStates

with needs_extra("interop", "minigrid"):
    import gymnasium
    import minigrid  # noqa: F401  registers its environments

DISCOUNT = 0.95

# %% [markdown]
# ## Explore
#
# A state is a pose: the agent's cell and the direction it faces. During exploration the green
# square is in a corner, where it blocks no path.


# %%
def four_rooms(goal, max_steps=100):
    """Return the rooms with a goal; doors and start are always the same."""
    environment = gymnasium.make(
        "MiniGrid-FourRooms-v0", agent_pos=(2, 2), goal_pos=goal, max_steps=max_steps
    )
    return PoseObservations(SameGrid(environment, seed=0))


states = KeyedStates(pose_key)
environment = four_rooms((1, 1), max_steps=1000)
skills = learn_skills(environment, states, discount=DISCOUNT, num_steps=20_000)
start = states(environment.reset()[0])
print(f"{states.num_states} poses known")

# %% [markdown]
# ## Go to goals that nobody trained for
#
# The promised number of steps follows from the plan's discount, which is $\gamma^T$ in a
# deterministic world. The agent then takes the plan's actions in the environment itself.


# %%
def walk(policy, goal):
    """Return the number of steps to the green square, or None if the episode ends before."""
    environment = four_rooms(goal)
    observation, _ = environment.reset()
    for step in range(1, 1000):
        action, _ = policy.predict(observation)
        observation, _, terminated, truncated, _ = environment.step(action)
        if terminated or truncated:
            return step if terminated else None
    return None


cells = sorted({(column, row) for column, row, _ in states.keys} - {(2, 2)})
outcomes = []
for cell in np.random.default_rng(0).permutation(cells)[:100]:
    column, row = (int(number) for number in cell)
    poses = [states.number(key) for key in states.keys if key[:2] == (column, row)]
    policy = skills.plan_to(skills.nearest(poses, start)).agent()
    promised = float(policy.plan.log_promised[start]) / np.log(DISCOUNT)
    outcomes.append({"promised": promised, "steps": walk(policy, (column, row))})
reached = [outcome["steps"] for outcome in outcomes if outcome["steps"] is not None]
print(
    f"{len(reached)} of {len(outcomes)} goals reached, in {np.mean(reached):.1f} steps on average"
)
