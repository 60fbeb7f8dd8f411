"""Two policies to one goal: a slow one that keeps coming back, and a quick one that never does.

The paper's figure is not available to us. We drew policies that do what its text says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import chain
from first_occupancy.core.arguments import Discount, Limits, PositiveInt, Share
from first_occupancy.environments import drawn_policy, small_room
from first_occupancy.planning import gpi
from first_occupancy.representations import Representation, first_occupancy, successor
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import Settings

SLOW_BUT_RETURNING = """
######
#>>>v#
#^^><#
#^^^^#
#^^^^#
######
"""
QUICK_BUT_ONCE = """
######
#^^^^#
#>>^<#
#>>^<#
#>>^<#
######
"""
PICTURED = 12
"""Steps of each policy's walk that the figure shows."""

DRAWINGS = {"pi_1": SLOW_BUT_RETURNING, "pi_2": QUICK_BUT_ONCE}


@dataclass(frozen=True)
class Config(Settings):
    """The discount, and how the representations are learned by TD.

    Attributes:
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
        episodes: how often TD learns from the walk from each state.
        steps: number of steps of each walk; the slow policy takes 8 to the goal.
    """

    discount: Discount = 0.9
    step_size: Share = 0.1
    episodes: PositiveInt = 200
    steps: Annotated[int, Limits(least=8)] = 50


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each policy, and one for each representation's choice between them.

    Args:
        seed: not used; room and policies are deterministic.
    """
    del seed
    world = small_room()
    assert world.start is not None
    policies = jnp.stack([drawn_policy(world, drawing) for drawing in DRAWINGS.values()])
    chains = chain(world.mdp, policies)
    frs = first_occupancy.solve(chains, discount=config.discount)
    srs = successor.solve(chains, discount=config.discount)
    goal = world.goals[0]
    for number, name in enumerate(DRAWINGS):
        actions = np.asarray(policies[number].argmax(axis=1))
        walks = _walks(world.next_states[actions, np.arange(world.num_states)], config.steps)
        walk = walks[world.start, : PICTURED + 1].tolist()
        yield {
            "policy": name,
            "actions": actions.tolist(),
            "walk": walk,
            "steps_to_goal": walk.index(goal),
            "fr": float(frs[number, world.start, goal]),
            "sr": float(srs[number, world.start, goal]),
            "td_fr": float(_learn(first_occupancy, walks, config)[world.start, goal]),
            "td_sr": float(_learn(successor, walks, config)[world.start, goal]),
            "fr_from_start": frs[number, world.start].tolist(),
            "sr_from_start": srs[number, world.start].tolist(),
        }
    reward = jax.nn.one_hot(goal, world.num_states)
    for name, reps in (("FR", frs), ("SR", srs)):
        choice = int(gpi.choose_policy(reps, reward)[world.start])
        yield {"representation": name, "gpi_choice": list(DRAWINGS)[choice]}


def _walks(next_states: Int[np.ndarray, " S"], steps: int) -> Int[np.ndarray, "S T"]:
    """Return a walk of a number of steps from each state."""
    walks = [np.arange(len(next_states))]
    for _ in range(steps):
        walks.append(next_states[walks[-1]])
    return np.stack(walks, axis=1)


def _learn(
    kind: Representation, walks: Int[np.ndarray, "S T"], config: Config
) -> Float[Array, "S S"]:
    """Return the FR or SR that TD learns from repeated passes over the walks."""

    def take_in(rep: Array, walk: Array) -> tuple[Array, Array]:
        return kind.td_learn(rep, walk, discount=config.discount, step_size=config.step_size)

    episodes = jnp.tile(jnp.asarray(walks), (config.episodes, 1))
    return jax.lax.scan(take_in, kind.initial(len(walks)), episodes)[0]
