"""Three policies in a room: only the slow one reaches the goal alone, the others do so together.

The paper's figure is not available to us. We drew policies that do what its text says: GPI
follows pi_1, and moving right with pi_2, then up with pi_3, is shorter.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import drawn_policy, small_room
from first_occupancy.planning import frp, gpi
from first_occupancy.planning.evaluation import evaluate
from first_occupancy.planning.legs import follow
from first_occupancy.representations import first_occupancy, successor
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import PositiveDiscount, Settings

ROUND_ABOUT = """
######
#>>>v#
#^<<<#
#^<<<#
#^<<<#
######
"""
RIGHT_AT_THE_BOTTOM = """
######
#vvvv#
#vvvv#
#vvvv#
#>>>>#
######
"""


@dataclass(frozen=True)
class Config(Settings):
    """The settings: the discount factor per step, between 0 and 1 (both exclusive)."""

    discount: PositiveDiscount = 0.9


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each policy with its FR and SR, and one each for GPI's and FRP's plan."""
    del seed
    world = small_room()
    assert world.start is not None
    up = constant_policies(world.mdp)[world.action_names.index("up")]
    drawn = [drawn_policy(world, drawing) for drawing in (ROUND_ABOUT, RIGHT_AT_THE_BOTTOM)]
    policies = jnp.stack([*drawn, up])
    chains = chain(world.mdp, policies)
    frs = first_occupancy.solve(chains, discount=config.discount)
    srs = successor.solve(chains, discount=config.discount)
    for number in range(len(policies)):
        yield {
            "policy": f"pi_{number + 1}",
            "actions": policies[number].argmax(axis=1).tolist(),
            "fr_from_start": frs[number, world.start].tolist(),
            "sr_from_start": srs[number, world.start].tolist(),
        }
    actions = np.asarray(policies.argmax(axis=2))
    next_states = world.next_states[actions, np.arange(world.num_states)]
    goal = world.goals[0]
    reward = jax.nn.one_hot(goal, world.num_states)
    sr_choice = int(gpi.choose_policy(srs, reward)[world.start])
    for name, switches in (("GPI", 0), ("FRP", None)):
        plan = frp.plan_to_goal(frs, goal, max_switches=switches)
        legs = plan.legs(world.start)
        paths = follow(legs, world.start, next_states)
        evaluation = evaluate(plan, world.mdp, policies, discount=config.discount)
        yield {
            "planner": name,
            "legs": [*map(list, legs)],
            "walk": [world.start, *(state for path in paths for state in path[1:])],
            "policy_field": plan.policy.tolist(),
            "subgoal_field": plan.subgoal.tolist(),
            "log_discount_field": plan.log_promised.tolist(),
            "optimal": float(evaluation.optimal[world.start]),
            "discount": float(plan.promised[world.start]),
            "sr_gpi_choice": f"pi_{sr_choice + 1}",
        }
