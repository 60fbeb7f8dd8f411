"""Logs of skills in Gymnasium environments, for plans to any observation or region.

log = log_skills(gymnasium.make("Pendulum-v1"), [model, push], num_steps=50_000, seed=0)
world = skill_world(log, [model, push])
agent = fo.plan(world, inside, discount=0.99).agent()
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from first_occupancy.continuous.skill_worlds import SWITCHED, acted
from first_occupancy.core.arguments import Limits, PositiveInt, check_arguments
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy.interop.base_policies import check_policies
from first_occupancy.interop.extras import check_environment
from first_occupancy.planning.agents import own_chance


@check_arguments
def log_skills(
    environment: Any,
    skills: Sequence[Any],
    *,
    num_steps: PositiveInt,
    seed: int = 0,
    switched: Annotated[float, Limits(least=1)] = SWITCHED,
) -> Episodes:
    """Return a log of skills that act in turn, at random, from the environment's first states.

    Args:
        skills: functions from observations [B O] to actions, one row each, or models with
            `predict`, such as those of Stable-Baselines3.
        switched: mean number of steps until another skill takes over.

    Returns:
        The log. Its actions are rows of the identity matrix: the skill that acted.
    """
    check_environment("log_skills", environment)
    check_policies("log_skills", skills)
    rng = own_chance(seed)
    observations, turns, over = [], [], True
    which = 0
    for step in range(num_steps):
        if over:
            seen, _ = environment.reset(seed=seed if step == 0 else None)
            observations.append([_vector(seen)])
            turns.append([])
            which = int(rng.integers(len(skills)))
        elif rng.random() < 1 / switched:
            which = int(rng.integers(len(skills)))
        action = acted(skills[which], observations[-1][-1][None])[0]
        seen, _, ended, cut, _ = environment.step(_action(environment, action))
        observations[-1].append(_vector(seen))
        turns[-1].append(which)
        over = bool(ended or cut)
    return Episodes(observations, [np.eye(len(skills))[each] for each in turns])


def _vector(observation: Any) -> np.ndarray:
    array = np.asarray(observation)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise InputError(
            f"log_skills: observations must be vectors of numbers, got {array.dtype} of shape "
            f"{list(array.shape)}"
        )
    return array.astype(np.float64)


def _action(environment: Any, action: Any) -> Any:
    """Return an action in the form that the environment takes: a number, or an array."""
    shape = environment.action_space.shape
    converted = np.asarray(action, environment.action_space.dtype).reshape(shape)
    return converted if shape else converted.item()
