# %% [markdown]
# # Chain skills trained with Stable-Baselines3 to goals that none was trained for
#
# Three DQN agents have each learned to reach one corner of four small rooms, and nothing else. On
# its way a skill passes other cells. So by following one skill until some cell, then another, the
# agent can reach most cells. FR-planning finds out which, by which legs, and how soon.
#
# This page needs Gymnasium and Stable-Baselines3:
# `pip install 'first-occupancy[interop,skills]'`.

# %%
import jax
import numpy as np

import first_occupancy as fo
from first_occupancy.interop.extras import needs_extra
from first_occupancy.interop.skills import learn_skills
from first_occupancy.interop.states import states_of

with needs_extra("interop,skills"):
    import gymnasium
    import torch
    from stable_baselines3 import DQN

    from first_occupancy.interop.gym import registration

gymnasium.register_envs(registration)
jax.config.update("jax_enable_x64", True)
torch.set_num_threads(1)  # the fastest for networks this small

# %% [markdown]
# ## Train
#
# The three goals are corners of the rooms. No skill leads to the fourth corner, which is where the
# plans will start.

# %%
DISCOUNT = 0.95
DRAWING = """
########
#...#..#
#......#
#...#..#
##.##.##
#...#..#
#......#
########
"""
CORNERS = {"top left": (1, 1), "top right": (1, 6), "bottom left": (6, 1)}
START = (6, 6)


def rooms(*goals):
    """Return the environment; episodes start anywhere, since the drawing has no 'S'."""
    return gymnasium.make(
        "first_occupancy/Maze-v0", drawing=DRAWING, goals=list(goals), max_episode_steps=60
    )


def train(corner, num_steps=6000):
    """Return a DQN that goes to a corner."""
    model = DQN(
        "MlpPolicy",
        rooms(corner),
        gamma=DISCOUNT,
        learning_rate=3e-3,
        learning_starts=200,
        buffer_size=10_000,
        batch_size=64,
        train_freq=4,
        target_update_interval=200,
        exploration_fraction=0.5,
        exploration_final_eps=0.2,
        policy_kwargs={"net_arch": [32]},
        seed=0,
    )
    return model.learn(num_steps)


models = [train(corner) for corner in CORNERS.values()]

# %% [markdown]
# ## Learn the FRs of the trained skills
#
# `learn_skills` accepts the models as base policies and observes where they lead.

# %%
world, environment = fo.maze(DRAWING), rooms()
skills = learn_skills(
    environment,
    states_of(environment),
    discount=DISCOUNT,
    num_steps=2000,
    policies=models,
    policy_names=list(CORNERS),
)

# %% [markdown]
# ## Plan to every other cell, and walk there


# %%
def walk(policy, goal, state):
    """Return the number of steps from a state to the goal, acting in the environment."""
    environment = rooms()
    observation, _ = environment.reset(seed=0, options={"state": state})
    steps, over = 0, False
    while observation != goal and not over:
        action, _ = policy.predict(observation)
        observation, _, _, over, _ = environment.step(action)
        steps += 1
    return steps if observation == goal else None


start = world.state(*START)
trained = [world.state(*corner) for corner in CORNERS.values()]
outcomes = []
for goal in sorted(set(range(world.num_states)) - {start, *trained}):
    plan = skills.plan_to(goal)
    if not plan.reachable[start]:
        outcomes.append({"goal": goal, "legs": 0, "promised": None, "steps": None})
        continue
    legs = plan.legs(start)
    promised = float(plan.log_promised[start]) / np.log(DISCOUNT)
    steps = walk(plan.agent(), goal, start)
    outcomes.append({"goal": goal, "legs": len(legs), "promised": promised, "steps": steps})
    print(f"to {world.cell(goal)} in {steps} steps:", ", ".join(map(str, legs)))

# %% [markdown]
# Other versions of PyTorch may train different skills, which then take different ways.

# %%
reached = [row for row in outcomes if row["steps"] is not None]
alone = sum(row["legs"] == 1 for row in reached)
print(f"of {len(outcomes)} cells that no skill was trained for, one skill reaches {alone}")
print(f"from {START}, and chained skills reach {len(reached)}")
