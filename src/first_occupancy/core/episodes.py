"""Recorded episodes of continuous worlds: observations and actions as vectors, of any lengths."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, check_finite, check_shape


class Episodes(Displayed):
    """Recorded episodes of a continuous world.

    >>> log = Episodes([[[0.0], [0.1], [0.3]]], [[1, 2]])
    >>> len(log), log.actions.tolist(), log.last.tolist()
    (2, [[1.0], [2.0], [2.0]], [False, False, True])

    Args:
        observations: for each episode its T + 1 observations, [T+1 O]; episodes may differ in
            length.
        actions: for each episode its T actions, [T A], or T + 1, of which the last is ignored;
            numbers [T] are taken as actions of one number.

    Attributes:
        observations: all observations, one episode after the other [T O].
        actions: the action taken at each observation [T A]. After the last observation of an
            episode no action was recorded: its action is a placeholder.
        last: whether a row is the last of its episode [T].

    Raises:
        InputError: if there are no actions, an episode has no transition, numbers are not finite,
            or episodes differ in the size of observations or actions.
    """

    observations: Float[np.ndarray, "T O"]
    actions: Float[np.ndarray, "T A"]
    last: Bool[np.ndarray, " T"]

    @check_arguments
    def __init__(self, observations: Sequence[Any], actions: Sequence[Any] | None) -> None:
        if actions is None:
            raise InputError("Episodes: needs the actions that were taken, got none")
        if len(observations) != len(actions) or not len(observations):
            raise InputError(
                f"Episodes: needs observations and actions of the same episodes, at least one, got "
                f"{len(observations)} and {len(actions)}"
            )
        seen = [_rows("observations", number, each) for number, each in enumerate(observations)]
        done = [_rows("actions", number, each) for number, each in enumerate(actions)]
        for number, (rows, acts) in enumerate(zip(seen, done, strict=True)):
            _check_episode(number, rows, acts, seen[0].shape[1], done[0].shape[1])
        filled = [acts if len(acts) == len(rows) else np.vstack([acts, acts[-1:]])
                  for rows, acts in zip(seen, done, strict=True)]  # fmt: skip
        self.observations, self.actions = np.concatenate(seen), np.concatenate(filled)
        self.last = np.zeros(len(self.observations), bool)
        self.last[np.cumsum([len(rows) for rows in seen]) - 1] = True

    @classmethod
    def of_rows(
        cls,
        observations: Float[np.ndarray, "T O"],
        actions: Float[np.ndarray, "T A"],
        last: Bool[np.ndarray, " T"],
    ) -> "Episodes":
        """Return episodes of rows that are known to be right.

        Args:
            observations: all observations, one episode after the other.
            actions: the action taken at each observation.
            last: whether a row is the last of its episode.
        """
        log = object.__new__(cls)
        log.observations, log.actions, log.last = observations, actions, last
        return log

    def __len__(self) -> int:
        return int(len(self.last) - self.last.sum())

    @property
    def num_episodes(self) -> int:
        """E, the number of episodes."""
        return int(self.last.sum())

    @property
    def steps(self) -> Int[np.ndarray, " L"]:
        """The rows from which a transition leads to the next row."""
        return np.flatnonzero(~self.last)

    def part(self, chosen: Sequence[int] | Int[np.ndarray, " P"]) -> "Episodes":
        """Return some of the episodes, in the order of their numbers.

        Raises:
            InputError: if there is no such episode, or none is chosen.
        """
        numbers = np.asarray(chosen)
        if not len(numbers) or numbers.min() < 0 or numbers.max() >= self.num_episodes:
            raise InputError(
                f"Episodes.part: chosen must be numbers of {self.num_episodes} episodes, at least "
                f"one, got {numbers.tolist()[:6]}"
            )
        whose = np.concatenate([[0], np.cumsum(self.last)[:-1]])
        rows = np.isin(whose, numbers)
        return Episodes.of_rows(self.observations[rows], self.actions[rows], self.last[rows])

    def split(self, share: float, *, seed: int = 0) -> tuple["Episodes", "Episodes"]:
        """Return two parts at random, whole episodes each: one to learn from, one held out.

        Args:
            share: share of the episodes in the second part; each part gets at least one.
            seed: seed of the split.

        Raises:
            InputError: if there are fewer than two episodes, or `share` is not between 0 and 1.
        """
        if not 0 < share < 1 or self.num_episodes < 2:
            raise InputError(
                f"Episodes.split: needs a share above 0 and below 1 and at least 2 episodes, got "
                f"{share} and {self.num_episodes}"
            )
        order = np.random.default_rng(seed).permutation(self.num_episodes)
        held = int(np.clip(round(share * len(order)), 1, len(order) - 1))
        return self.part(order[held:]), self.part(order[:held])

    def _summary(self) -> str:
        return (
            f"Episodes: {count(len(self), 'transition')} in {count(self.num_episodes, 'episode')}\n"
            f"  {count(self.observations.shape[1], 'number')} in an observation, "
            f"{self.actions.shape[1]} in an action"
        )


def _rows(what: str, number: int, values: Any) -> Float[np.ndarray, "T O"]:
    try:
        array = np.asarray(values)
        array = array.astype(np.float64, casting="safe" if array.dtype.kind == "c" else "unsafe")
    except (TypeError, ValueError):
        raise InputError(
            f"Episodes: {what} of episode {number} must be vectors of one size"
        ) from None
    array = array[:, None] if array.ndim == 1 else array
    whose = f"{what} of episode {number}"
    check_shape("Episodes", whose, array, "T O" if what == "observations" else "T A")
    check_finite("Episodes", whose, array)
    return array


def _check_episode(
    number: int, rows: np.ndarray, acts: np.ndarray, size: int, action_size: int
) -> None:
    if len(rows) < 2:
        raise InputError(
            f"Episodes: an episode must have at least 2 observations, got {len(rows)} in episode "
            f"{number}"
        )
    if len(acts) not in (len(rows) - 1, len(rows)):
        raise InputError(
            f"Episodes: episode {number} must have {len(rows) - 1} actions for {len(rows)} "
            f"observations, got {len(acts)}"
        )
    first = "episode 0"
    check_shape("Episodes", f"observations of episode {number}", rows, "T O", like=first, O=size)
    check_shape("Episodes", f"actions of episode {number}", acts, "T A", like=first, A=action_size)
