"""Minari datasets as logs. Minari itself is not imported: a dataset is what has its episodes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.logs import Log, transition_log


@runtime_checkable
class Episode(Protocol):
    """What is needed of Minari's `EpisodeData`: one more observation than steps."""

    observations: Any
    actions: Any
    terminations: np.ndarray


@runtime_checkable
class Dataset(Protocol):
    """What is needed of a `minari.MinariDataset`."""

    observation_space: Any

    def iterate_episodes(self) -> Iterator[Any]:
        """Return the episodes one after another."""
        ...


def from_minari(
    dataset: Dataset,
    *,
    state_of: Callable[[Any], np.ndarray] | None = None,
    policy_of: Callable[[Any], int | np.ndarray] | None = None,
    num_states: int | None = None,
    num_policies: int | None = None,
    state_names: Sequence[str] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Log:
    """Return the transitions of a Minari dataset, with their episodes and terminations.

    Discrete observations are states as they are; for others `state_of` turns the observations
    of an episode, T + 1 of them, into the numbers of as many states. All transitions are of
    one policy, unless `policy_of` says of an episode whose it is, or whose each of its steps
    is; `lambda episode: episode.actions` makes a policy of each discrete action.
    """
    first = getattr(dataset.observation_space, "start", 0)
    discrete = getattr(dataset.observation_space, "n", None)
    if state_of is None:
        if discrete is None:
            raise InputError(
                "from_minari: observations must be discrete unless state_of is given, "
                f"got {dataset.observation_space}"
            )
        num_states = int(discrete) if num_states is None and state_names is None else num_states
        state_of = lambda observations: np.asarray(observations) - first  # noqa: E731
    parts = [
        _part(number, episode, state_of, policy_of)
        for number, episode in enumerate(dataset.iterate_episodes())
    ]
    if not parts:
        raise InputError("from_minari: the dataset must have an episode, but has none")
    states, ahead, policies, episodes, ends = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
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


def _part(
    number: int,
    episode: Episode,
    state_of: Callable[[Any], np.ndarray],
    policy_of: Callable[[Any], int | np.ndarray] | None,
) -> tuple[np.ndarray, ...]:
    """Return one episode's columns: an episode of T steps has T + 1 observations."""
    states, ends = np.asarray(state_of(episode.observations)), np.asarray(episode.terminations)
    if states.shape != (len(ends) + 1,):
        raise InputError(
            f"from_minari: episode {number} must have a state for each of {len(ends) + 1} "
            f"observations, got shape {list(states.shape)}"
        )
    policies = 0 if policy_of is None else np.asarray(policy_of(episode))
    return (
        states[:-1],
        states[1:],
        np.broadcast_to(policies, ends.shape),
        np.full(ends.shape, number),
        ends.astype(bool),
    )
