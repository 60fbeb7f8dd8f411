"""Plan in Gymnasium's own worlds: a frozen lake, a cliff, a taxi.

Their transition tables are read exactly. The skills are the dullest there are, one for each
action, which always takes it; FR-planning chains them to the worlds' goals. Where nothing is left
to chance, the plan is as good as the optimum that value iteration finds. On the slippery lake it
is not, and here is by how much.

    pip install '.[interop]'
    python examples/07_plans_for_gymnasiums_tables.py
"""

import jax
import numpy as np

try:
    import gymnasium
except ModuleNotFoundError:
    raise SystemExit("this example needs Gymnasium: pip install '.[interop]'") from None

import first_occupancy as fo
from first_occupancy.interop.skills import skills_of

WORLDS = ("FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4")


def compare(name, discount):
    """Return what a start is worth on average: by the plan, looked up at every step, and at best.

    The worth is the expected discount when the goal is first reached. The lake's goal is its last
    end (the others are holes); the taxi has four, one for each destination.
    """
    skills = skills_of(gymnasium.make(name), discount=discount)
    world = skills.states
    goals = world.ends[-1:] if name.startswith("FrozenLake") else world.ends
    planned = optimal = promised = 0.0
    for goal in goals:
        plan = skills.plan_to(goal)
        worth = fo.evaluate(plan, world.mdp, skills.tables, discount=discount)
        # From a start that cannot reach this destination, both are worth nothing.
        planned += float(world.mdp.start_distribution @ worth.rechoosing)
        optimal += float(world.mdp.start_distribution @ worth.optimal)
        promised += float(world.mdp.start_distribution @ plan.discount)
    return {"promised": promised, "planned": planned, "optimal": optimal}


def ride(seed):
    """Return the rewards of a taxi ride by the plan to wherever the passenger wants to go."""
    environment = gymnasium.make("Taxi-v4")
    skills = skills_of(environment, discount=0.95)
    observation, _ = environment.reset(seed=seed)
    policy = skills.policy_to(skills.nearest(skills.ends, observation))
    for leg in fo.unroll(policy.plan, observation):
        print(" ", leg)
    rewards, over = [], False
    while not over:
        action, _ = policy.predict(observation)
        observation, reward, terminated, truncated, _ = environment.step(action)
        rewards.append(reward)
        over = terminated or truncated
    return rewards


def main(discounts=(0.95, 0.99)):
    """Print the comparison for each world; return it, and the rewards of a ride."""
    rows = {}
    for name in WORLDS:
        for discount in discounts:
            row = rows[name, discount] = compare(name, discount)
            print(
                f"{name:17} discount {discount}: plan {row['planned']:.4f} "
                f"(promised {row['promised']:.4f}), optimum {row['optimal']:.4f}, "
                f"gap {row['optimal'] - row['planned']:.4f}"
            )
    print("a taxi ride:")
    rewards = ride(seed=0)
    print(f"{len(rewards)} steps, rewards sum to {np.sum(rewards)}")
    return rows, rewards


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    main()

# ## What it prints
#
# ```text
# FrozenLake8x8-v1  discount 0.95: plan 0.0274 (promised 0.0241), optimum 0.0458, gap 0.0185
# FrozenLake8x8-v1  discount 0.99: plan 0.3177 (promised 0.3038), optimum 0.4105, gap 0.0928
# CliffWalking-v1   discount 0.95: plan 0.5133 (promised 0.5133), optimum 0.5133, gap 0.0000
# CliffWalking-v1   discount 0.99: plan 0.8775 (promised 0.8775), optimum 0.8775, gap 0.0000
# Taxi-v4           discount 0.95: plan 0.5161 (promised 0.5161), optimum 0.5161, gap 0.0000
# Taxi-v4           discount 0.99: plan 0.8772 (promised 0.8772), optimum 0.8772, gap 0.0000
# a taxi ride:
#   north until taxi at (2, 0), passenger at blue for yellow
#   east until taxi at (2, 3), passenger at blue for yellow
#   south until taxi at (4, 3), passenger at blue for yellow
#   pick up until taxi at (4, 3), passenger in the taxi for yellow
#   north until taxi at (2, 3), passenger in the taxi for yellow
#   west until taxi at (2, 0), passenger in the taxi for yellow
#   south until taxi at (4, 0), passenger in the taxi for yellow
#   drop off until taxi at (4, 0), passenger at yellow for yellow
# 15 steps, rewards sum to 6
# ```
#
# On the ice one slips two times in three. A plan of legs counts on following each to its end, and
# does not foresee that it is looked up anew after every slip. So it brings 60% of the optimum at
# a discount of .95, and 77% at .99.
