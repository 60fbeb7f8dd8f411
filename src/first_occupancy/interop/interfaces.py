"""What agents see and do in Gymnasium environments: batches of observations, checked actions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.base_policies import decider
from first_occupancy.interop.extras import gymnasium, require
from first_occupancy.interop.states import States, unstacked
from first_occupancy.planning.agents import Interface, first_action


def gym_interface(states: States, policies: Sequence[Any], action_space: Any) -> Interface:
    """Return what agents see and do in an environment of Gymnasium."""
    require("agent", gymnasium, "Gymnasium", "interop")
    return Interface(
        observe=states,
        deciders=[decider("agent", each, n, action_space) for n, each in enumerate(policies)],
        idle=partial(_at_random, action_space),
        rows=partial(observations_of, states=states),
        together=partial(_together, action_space),
    )


def _at_random(space: Any, rng: np.random.Generator) -> Any:
    if isinstance(space, gymnasium.spaces.Discrete):
        return first_action(space) + int(rng.integers(space.n))
    space.seed(int(rng.integers(2**31)))
    return space.sample()


def _together(space: Any, actions: list[Any]) -> np.ndarray:
    """Return a batch of actions, with the dtype and shape of the space even if empty."""
    if space.shape is None:  # a composite space has no common dtype and shape
        return np.array(actions)
    return np.array(actions, space.dtype).reshape(len(actions), *space.shape)


def observations_of(observation: Any, states: States) -> list[Any] | None:
    """Return the observations of a batch, or None for a single observation.

    A batch has one axis more than the representative observation of a state; a dictionary or a
    tuple is a batch if its parts are. A sequence of tuples is a batch of tuples, too.
    """
    if not states.num_states:
        raise InputError("agent: states must have at least one state, got none")
    example = states.observation(0)
    if isinstance(example, tuple) and _are_tuples(observation, example):
        return list(observation)
    return unstacked(observation) if _has_axis_more(observation, example) else None


def _are_tuples(observation: Any, example: tuple[Any, ...]) -> bool:
    """Return whether this is a sequence of tuples instead of a single tuple of parts."""
    if not isinstance(observation, Sequence) or not observation:
        return False
    inner = isinstance(observation[0], tuple)
    return inner and not (isinstance(observation, tuple) and isinstance(example[0], tuple))


def _has_axis_more(observation: Any, example: Any) -> bool:
    if isinstance(example, Mapping):
        name = next(iter(example))
        return _has_axis_more(observation[name], example[name])
    if isinstance(example, tuple) and isinstance(observation, tuple):
        return _has_axis_more(observation[0], example[0])
    return np.ndim(observation) != (1 if isinstance(example, tuple) else np.ndim(example))
