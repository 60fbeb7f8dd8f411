"""Three skills trained with Stable-Baselines3 go, together, where none was trained to go.

Each DQN learned to reach one corner of four small rooms, and nothing else. On its way a skill
passes other places, so by following one until somewhere, then another, and so on, most places can
be reached: FR-planning finds out which, by which legs, and how soon.

    pip install '.[interop,skills]'
    python examples/09_composing_trained_skills.py
"""

import jax
import numpy as np

try:
    import gymnasium
    import torch
    from stable_baselines3 import DQN
except ModuleNotFoundError:
    raise SystemExit(
        "this example needs Gymnasium and Stable-Baselines3: pip install '.[interop,skills]'"
    ) from None

import first_occupancy as fo
from first_occupancy.interop.gym import registration
from first_occupancy.interop.skills import learn_skills
from first_occupancy.interop.states import states_of

gymnasium.register_envs(registration)

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
"""The corner to which no skill leads."""


def rooms(*goals):
    """Return the rooms to act in; without 'S' in the drawing, one begins anywhere."""
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


def walk(policy, goal, state):
    """Return the steps the policy takes from a state to the goal, acting in the environment."""
    environment = rooms()
    observation, _ = environment.reset(seed=0, options={"state": state})
    steps, over = 0, False
    while observation != goal and not over:
        action, _ = policy.predict(observation)
        observation, _, _, over, _ = environment.step(action)
        steps += 1
    return steps if observation == goal else None


def main():
    """Train, plan to every place, and walk there; return what each goal took."""
    # Networks this small are fastest on one thread.
    torch.set_num_threads(1)
    models = [train(corner) for corner in CORNERS.values()]
    world, environment = fo.maze(DRAWING), rooms()
    skills = learn_skills(
        environment,
        states_of(environment),
        discount=DISCOUNT,
        num_steps=2000,
        base_policies=models,
        policy_names=list(CORNERS),
    )
    start = world.state(*START)
    trained = [world.state(*corner) for corner in CORNERS.values()]
    outcomes = []
    for goal in sorted(set(range(world.num_states)) - {start, *trained}):
        plan = skills.plan_to(goal)
        if not plan.reachable[start]:
            outcomes.append({"goal": goal, "legs": 0, "promised": None, "steps": None})
            continue
        legs = fo.unroll(plan, start)
        promised = float(plan.log_discount[start]) / np.log(DISCOUNT)
        steps = walk(skills.policy_to(goal), goal, start)
        outcomes.append({"goal": goal, "legs": len(legs), "promised": promised, "steps": steps})
        print(f"to {world.cell(goal)} in {steps} steps:", ", ".join(map(str, legs)))
    reached = [row for row in outcomes if row["steps"] is not None]
    alone = sum(row["legs"] == 1 for row in reached)
    print(
        f"of {len(outcomes)} places no skill was trained for, {alone} lie on one skill's way "
        f"from {START}; {len(reached)} are reached by chaining"
    )
    return outcomes


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    main()

# ## What it prints
#
# Another version of PyTorch may train other skills, and then go other ways. Some lines of a run:
#
# ```text
# to (1, 3) in 10 steps: top left until (1, 2), top right until (1, 3)
# to (2, 1) in 11 steps: top left until (1, 1), bottom left until (2, 1)
# to (2, 3) in 7 steps: top right until (5, 5), top left until (2, 3)
# of 25 places no skill was trained for, 16 lie on one skill's way from (6, 6); 23 are reached...
# ```
