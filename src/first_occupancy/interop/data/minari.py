"""Minari datasets as transition logs.

Minari itself is not imported: any object with the attributes of `Dataset` will do.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol, runtime_checkable

import numpy as np

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.interop.data.logs import Log, transition_log
from first_occupancy.interop.states import States, unstacked


@runtime_checkable
class Dataset(Protocol):
    """The part of `minari.MinariDataset` that is read here."""

    observation_space: Any

    def iterate_episodes(self) -> Iterator[Any]:
        """Yield the episodes in order.

        An episode of T steps has T + 1 `observations` (an array, or a dictionary or tuple of
        arrays), T `actions`, and T `terminations`: whether each step terminated the episode.
        """
        ...


@check_arguments
def from_minari(
    dataset: Dataset,
    *,
    state_of: States | Callable[[Any], np.ndarray] | None = None,
    policy_of: Callable[[Any], int | np.ndarray] | None = None,
    num_states: int | None = None,
    num_policies: int | None = None,
    state_names: Sequence[str] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Log:
    """Return the transitions of a Minari dataset, with their episodes and terminations.

    Args:
        dataset: Minari dataset, as returned by `minari.load_dataset`.
        state_of: numbering of observations (`states`), to which new observations are added, or a
            function from the T + 1 observations of an episode to T + 1 states. None uses Discrete
            observations as states, counted from 0.
        policy_of: function from an episode to the policy that acted, one number for the episode
            or one per step. `lambda episode: episode.actions` treats each discrete action as a
            policy. None attributes all transitions to a single policy.
        num_states: number of states; None takes it from `state_names`, from the observation
            space or from `state_of`, or else from the largest state that occurs.
        num_policies: number of policies; None takes it from `policy_names`, or else from the
            largest policy that occurs.
        state_names: names of the states; if this and `num_states` are None, those of `state_of`.
        policy_names: names of the policies.

    Raises:
        InputError: if `dataset` is not a Minari dataset or has no episodes, observations are not
            discrete and `state_of` is None, or an episode has the wrong number of states or
            policies.
    """
    recorded = recorded_episodes("from_minari", dataset)
    if state_of is None:
        first, size = _discrete(dataset.observation_space)
        num_states = size if num_states is None and state_names is None else num_states
        state_of = lambda observations: np.asarray(observations) - first  # noqa: E731
    parts = [_part(number, each, state_of, policy_of) for number, each in enumerate(recorded)]
    states, ahead, policies, episodes, ends = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    if isinstance(state_of, States) and num_states is None and state_names is None:
        num_states, state_names = state_of.num_states, state_of.names
    return transition_log(
        states,
        ahead,
        policies,
        episodes=episodes,
        terminations=ends,
        num_states=num_states,
        num_policies=num_policies,
        state_names=state_names,
        policy_names=policy_names,
    )


def recorded_episodes(caller: str, dataset: Any) -> Iterator[Any]:
    """Return the episodes of a Minari dataset, one after the other.

    Raises:
        InputError: if it is none, or has no episodes.
    """
    if not isinstance(dataset, Dataset):
        raise InputError(
            f"{caller}: dataset must be a Minari dataset, as minari.load_dataset returns, "
            f"got {type(dataset)}"
        )

    episodes = iter(dataset.iterate_episodes())
    first = next(episodes, None)
    if first is None:
        raise InputError(f"{caller}: dataset must have at least one episode, got none")
    return chain([first], episodes)


def _discrete(space: Any) -> tuple[int, int]:
    """Return the smallest observation of a Discrete space, and the number of observations."""
    if getattr(space, "n", None) is None:
        raise InputError(
            f"from_minari: observations must be discrete unless state_of is given, got {space}"
        )
    return int(getattr(space, "start", 0)), int(space.n)


def _part(
    number: int,
    episode: Any,
    state_of: States | Callable[[Any], np.ndarray],
    policy_of: Callable[[Any], int | np.ndarray] | None,
) -> tuple[np.ndarray, ...]:
    """Return the columns of one episode's transitions."""
    ends = np.asarray(episode.terminations)
    if isinstance(state_of, States):
        # Minari stores dictionary and tuple observations as one array per part.
        each = unstacked(episode.observations)
        states = state_of.add_all(each)
        if ends[-1:].any():
            states[-1] = state_of.at_end(each[-1])
    else:
        states = np.asarray(state_of(episode.observations))
    if states.shape != (len(ends) + 1,):
        raise InputError(
            f"from_minari: episode {number} must have a state for each of {len(ends) + 1} "
            f"observations, got shape {list(states.shape)}"
        )
    policies = np.asarray(0 if policy_of is None else policy_of(episode))
    if policies.shape not in ((), ends.shape):
        raise InputError(
            f"from_minari: episode {number} must have one policy, or one for each of {len(ends)} "
            f"steps, got shape {list(policies.shape)}"
        )
    return (
        states[:-1],
        states[1:],
        np.broadcast_to(policies, ends.shape),
        np.full(ends.shape, number),
        ends.astype(bool),
    )
