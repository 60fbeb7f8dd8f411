"""A finite world from skills: run given policies, see where they lead, plan with them.

    log = skill_episodes(world, skills, num_episodes=1000, num_steps=100)    # from its first states
    known = skill_world(log, skills)
    agent = fo.plan(known, inside, discount=0.99).agent()

Skills are functions from observations to actions, or models with `predict`. They are tried out from
first states, one after the other at random. The result is a `LandmarkWorld` whose actions are the
skills: any observation or region is a goal, and nothing is learned for it. Logs of Gymnasium's
environments are made by `interop.gym.skill_logs`.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Protocol, runtime_checkable

import numpy as np

from first_occupancy.continuous._metrics import Observations
from first_occupancy.continuous.landmark_worlds import (
    CONFIDENCE,
    MEANS,
    Landmarks,
    LandmarkWorld,
    connected,
    covering,
)
from first_occupancy.continuous.skill_models import skill_model
from first_occupancy.core.arguments import (
    Discount,
    Limits,
    NonNegativeInt,
    PositiveInt,
    check_arguments,
)
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError, as_given

NUM_LANDMARKS, HOLD, REACH = 2000, 2, 1.0
"""Landmarks; steps for which a skill is held; typical steps within which samples support a move."""

SAMPLED = 30_000
"""Observations from which landmarks are chosen."""

SWITCHED = 10.0
"""Steps for which a skill typically acts while skills are tried out."""


@runtime_checkable
class Simulator(Protocol):
    """A world that steps many states at once."""

    def starts(self, rng: np.random.Generator, size: int) -> Any:
        """Return first states."""
        ...

    @property
    def step(self) -> Callable[[Any, Any], Any]:
        """Function, or method, from states and actions to the next states."""
        ...

    @property
    def observe(self) -> Callable[[Any], Any]:
        """Function, or method, from states to observations."""
        ...


def acted(skill: Any, observations: Observations) -> np.ndarray:
    """Return a skill's actions at observations.

    Args:
        skill: function from observations [B O] to actions, one row each, or an object with
            `predict`, such as a Stable-Baselines3 model.
    """
    if hasattr(skill, "predict"):
        actions = skill.predict(observations, deterministic=True)[0]
    elif callable(skill):
        actions = skill(observations)
    else:
        raise InputError(
            f"skills: a skill must be a function or have predict, got {type(skill).__name__}"
        )
    actions = np.asarray(actions)
    if actions.shape[:1] != (len(observations),):
        raise InputError(
            f"skills: a skill must return one action for each of {len(observations)} "
            f"observations, got shape {list(actions.shape)}"
        )
    return actions


@check_arguments
def skill_episodes(
    world: Simulator,
    skills: Sequence[Any],
    *,
    num_episodes: PositiveInt,
    num_steps: PositiveInt,
    switched: Annotated[float, Limits(least=1, most=1e6)] = SWITCHED,
    seed: NonNegativeInt = 0,
) -> Episodes:
    """Return a log of skills that act in turn, at random, from first states.

    Args:
        world: world that steps many states at once.
        skills: functions from observations to actions, or models with `predict`.
        num_episodes: number of episodes, which run side by side.
        num_steps: steps of each.
        switched: typical number of steps until a skill is drawn anew. Each episode has a mean of
            its own, between 1 and the square of `switched`, evenly in the logarithm.
        seed: seed of first states and choices.

    Returns:
        The log. Its actions are rows of the identity matrix: the skill that acted.

    Raises:
        InputError: if there are no skills, episodes or steps, or a skill cannot be used.
    """
    if not isinstance(world, Simulator):
        raise InputError(
            f"skill_episodes: world must have starts, step and observe, got {as_given(world)}"
        )
    if not len(skills):
        raise InputError("skill_episodes: skills must hold at least one skill, got none")
    rng = np.random.default_rng(seed)
    states = world.starts(rng, num_episodes)
    which = rng.integers(len(skills), size=num_episodes)
    # Episodes differ in how often skills switch, so that some skills act for long.
    often = 1 / switched ** rng.uniform(0, 2, num_episodes)
    rows = np.arange(num_episodes)
    seen, chosen = [], []
    for _ in range(num_steps + 1):
        seen.append(np.asarray(world.observe(states), np.float64))
        chosen.append(which)
        actions = np.stack([acted(skill, seen[-1]) for skill in skills])[which, rows]
        states = world.step(states, actions)
        other = rng.integers(len(skills), size=num_episodes)
        which = np.where(rng.random(num_episodes) < often, other, which)
    last = np.zeros((num_episodes, num_steps + 1), bool)
    last[:, -1] = True
    observations = np.stack(seen, axis=1).reshape(last.size, -1)
    if not np.isfinite(observations).all():
        raise InputError("skill_episodes: observations must be finite, got NaN or infinity")
    turns = np.stack(chosen, axis=1).ravel()
    return Episodes.of_rows(observations, np.eye(len(skills))[turns], last.ravel())


@check_arguments
def skill_world(
    log: Episodes,
    skills: Sequence[Any],
    *,
    num_landmarks: PositiveInt = NUM_LANDMARKS,
    hold: PositiveInt = HOLD,
    confidence: Discount = CONFIDENCE,
    balanced: bool = True,
    seed: NonNegativeInt = 0,
) -> LandmarkWorld:
    """Return a finite world whose actions are skills, to plan in with any observation as goal.

    Args:
        log: log of the skills, from `skill_episodes` or `interop.gym.skill_logs.log_skills`.
        skills: the same skills, for agents to act with.
        num_landmarks: number of landmarks, k-centres of the observations.
        hold: steps for which the plan holds a skill; agents choose anew at every step.
        confidence: confidence of the pessimism, as for `landmark_world`.
        balanced: whether places between landmarks are shared out so that the mean of the landmarks
            is the place, as nearly as possible; a kernel that only falls with the distance (False)
            blurs values more.
        seed: seed of the sample from which landmarks are chosen.

    Raises:
        InputError: if the log is not one of these skills, or an option is out of range.
    """
    if log.actions.shape[1] != len(skills) or not (log.actions.sum(axis=1) == 1).all():
        raise InputError(
            f"skill_world: log must say which of {len(skills)} skills acted, as skill_episodes "
            f"does, got actions of {log.actions.shape[1]} numbers"
        )
    model = skill_model(log, width=REACH)
    rng = np.random.default_rng(seed)
    centres, spacing = covering(model.places, 0.0, num_landmarks, MEANS, rng, sampled=SAMPLED)
    landmarks = Landmarks(
        landmarks=model.metric.observations(centres),
        model=model,
        spacing=max(spacing, 1e-6),
        jumping=np.zeros(len(centres), bool),
        sharing="balance" if balanced else "kernel",
    )
    return connected(landmarks, np.eye(len(skills)), confidence, hold=hold, skills=tuple(skills))
