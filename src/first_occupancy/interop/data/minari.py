"""Minari datasets as logs. Minari itself is not imported: a dataset is what has its episodes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Int

from first_occupancy.core.errors import InputError
from first_occupancy.interop.data.logs import Log, transition_log
from first_occupancy.interop.states import States, unstacked


@runtime_checkable
class RecordedEpisode(Protocol):
    """What is needed of Minari's `EpisodeData`: one more observation than steps."""

    observations: Any
    actions: Any
    terminations: Bool[np.ndarray, " T"]


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
    state_of: States | Callable[[Any], np.ndarray] | None = None,
    policy_of: Callable[[Any], int | np.ndarray] | None = None,
    num_states: int | None = None,
    num_policies: int | None = None,
    state_names: Sequence[str] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Log:
    """Return the transitions of a Minari dataset, with their episodes and terminations.

    Discrete observations are states as they are. For others `state_of` is a numbering of
    observations (`states`, `discretisers`), to which new ones are added, or a function from the
    observations of an episode, T + 1 of them, to as many states.

    All transitions are of one policy, unless `policy_of` says of an episode whose it is, or
    whose each of its steps is; `lambda episode: episode.actions` makes a policy of each
    discrete action.
    """
    if not isinstance(dataset, Dataset):
        raise InputError(
            f"from_minari: dataset must be what minari.load_dataset returns, got {type(dataset)}"
        )
    if state_of is None:
        first, size = _discrete(dataset.observation_space)
        num_states = size if num_states is None and state_names is None else num_states
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


def _discrete(space: Any) -> tuple[int, int]:
    """Return the first of the numbers that are observed, and how many there are."""
    if getattr(space, "n", None) is None:
        raise InputError(
            f"from_minari: observations must be discrete unless state_of is given, got {space}"
        )
    return int(getattr(space, "start", 0)), int(space.n)


def _numbered(states: States, observations: Any, terminated: bool) -> Int[np.ndarray, " T"]:
    """Return the states of an episode's observations, the last of which may have ended it."""
    # Those of dictionaries and tuples are kept part by part.
    each = unstacked(observations)
    numbers = states.add_all(each)
    if terminated:
        numbers[-1] = states.at_end(each[-1])
    return numbers


def _part(
    number: int,
    episode: RecordedEpisode,
    state_of: States | Callable[[Any], np.ndarray],
    policy_of: Callable[[Any], int | np.ndarray] | None,
) -> tuple[np.ndarray, ...]:
    """Return one episode's columns: an episode of T steps has T + 1 observations."""
    ends = np.asarray(episode.terminations)
    if isinstance(state_of, States):
        states = _numbered(state_of, episode.observations, bool(ends[-1:].any()))
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
