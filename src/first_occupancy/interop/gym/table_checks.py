"""Checks that a transition table describes its environment.

A table `P` says what each step may do, but nothing forces the environment to follow it. A wrapper
may repeat actions or change rewards, and the dynamics may have parts outside the table, such as
Taxi's fickle passenger, who changes the destination on the way. Therefore

- wrappers that are not known to leave steps unchanged are reported, and
- several hundred steps of the unwrapped environment are compared with the table.

A copy takes the steps, and it is seeded, so the original keeps its state and its random numbers and
the result is reproducible. The steps go where the copy has been least often, because a random walk
rarely gets to the unusual parts of a world. An outcome that has probability 0 in the table proves
the table wrong. Wrong probabilities of possible outcomes go unnoticed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from math import isclose
from random import Random
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from first_occupancy.interop.extras import TO_ACT_IN
from first_occupancy.interop.gym.finite_environments import MazeEnvironment, MDPEnvironment
from first_occupancy.planning.agents import first_action

HARMLESS = {
    "gymnasium": {
        "HumanRendering",
        "OrderEnforcing",
        "PassiveEnvChecker",
        "RecordEpisodeStatistics",
        "RecordVideo",
        "RenderCollection",
        "TimeLimit",
    },
    "stable_baselines3": {"Monitor"},
}
"""Wrappers that leave observations, rewards and terminations unchanged, by package.

A time limit truncates episodes, which does not change the outcome of a step.
"""

OURS = (MDPEnvironment, MazeEnvironment)
"""Worlds that are not checked: steps and table use the same arrays, which may be large."""

EPISODES, STEPS = 32, 32
"""Upper bounds on the number of episodes compared with the table, and on the steps of each."""

STEPS_PER_PAIR = 4
"""No further episode begins after this many steps per state-action pair, for small tables."""

SEED = 0


class TableWarning(UserWarning):
    """A transition table may not describe its environment."""


class TableOutcome(NamedTuple):
    """One possible outcome of an action, counted from 0: a row of the table.

    Attributes:
        state, action, probability, next_state, reward, terminated: as in the table.
    """

    state: int
    action: int
    probability: float
    next_state: int
    reward: float
    terminated: bool


def unknown_wrappers(environment: Any) -> list[str]:
    """Return the names of wrappers that may change the outcome of steps, outermost first."""
    bare, names = getattr(environment, "unwrapped", environment), []
    while environment is not bare and hasattr(environment, "env"):
        kind = type(environment)
        if kind.__name__ not in HARMLESS.get(kind.__module__.split(".")[0], ()):
            names.append(kind.__name__)
        environment = environment.env
    return names


def contradiction(
    bare: Any, outcomes: Sequence[TableOutcome], start: Float[np.ndarray, " S"] | None
) -> str | None:
    """Return an observed outcome that is impossible according to the table, if there is one.

    Args:
        bare: environment without wrappers; a copy of it takes the steps. It is not checked if it
            has a table but no `step`, or is one of `OURS`.
        start: start distribution, or None if it need not be checked.
    """
    if type(bare) in OURS or not all(hasattr(bare, name) for name in TO_ACT_IN):
        return None
    try:
        return next(_contradictions(_copy(bare), _Table(outcomes), start), None)
    except Exception as error:  # the table has been read, so no error of the environment is fatal
        return f"its steps could not be compared with the table ({type(error).__name__}: {error})"


class _Table:
    """The possible outcomes by state and action, and how often they have been seen."""

    def __init__(self, outcomes: Sequence[TableOutcome]) -> None:
        self.rows: dict[int, dict[int, list[TableOutcome]]] = {}
        for outcome in outcomes:
            row = self.rows.setdefault(outcome.state, {}).setdefault(outcome.action, [])
            if outcome.probability > 0:
                row.append(outcome)
        self._tries, self._visits = Counter[tuple[int, int]](), Counter[tuple[int, bool]]()
        self._rng = Random(SEED)

    @property
    def is_exhausted(self) -> bool:
        """Whether there have been enough steps for a table of this size."""
        return self._tries.total() >= STEPS_PER_PAIR * sum(map(len, self.rows.values()))

    def allows(self, seen: TableOutcome) -> bool:
        """Count an observed step, and return whether the table contains it."""
        self._tries[seen.state, seen.action] += 1
        self._visits[seen.next_state, seen.terminated] += 1
        return any(
            (outcome.next_state, outcome.terminated) == (seen.next_state, seen.terminated)
            and isclose(outcome.reward, seen.reward, rel_tol=1e-5, abs_tol=1e-8)
            for outcome in self.rows[seen.state][seen.action]
        )

    def least_known(self, state: int) -> int:
        """Return an action that was tried rarely and may lead to a rarely visited state."""
        known = {
            action: self._tries[state, action]
            + min(self._visits[outcome.next_state, outcome.terminated] for outcome in row)
            for action, row in self.rows[state].items()
        }
        least = min(known.values())
        return self._rng.choice([action for action, times in known.items() if times == least])


def _contradictions(
    environment: Any, table: _Table, start: Float[np.ndarray, " S"] | None
) -> Iterator[str]:
    """Yield descriptions of what happened although the table gives it probability 0."""
    for episode in range(EPISODES):
        if table.is_exhausted:
            return
        observation, _ = environment.reset(seed=SEED if episode == 0 else None)
        state = _state(observation)
        if state not in table.rows:
            yield f"its observation {observation!r} is not one of the table's states"
            return
        if start is not None and not start[state]:
            yield f"an episode began in state {state}, where the start distribution is 0"
        yield from _wrong_steps(environment, table, state)


def _wrong_steps(environment: Any, table: _Table, state: int) -> Iterator[str]:
    """Yield the steps of one episode to which the table gives probability 0."""
    first = first_action(environment.action_space)
    for _ in range(STEPS):
        action = table.least_known(state)
        observation, reward, terminated, truncated, _ = environment.step(first + action)
        seen = TableOutcome(
            state, action, 1.0, _state(observation), float(reward), bool(terminated)
        )
        state = seen.next_state
        if not table.allows(seen):
            yield _told(seen)
        if terminated or truncated or state not in table.rows:
            return


def _state(observation: Any) -> int:
    """Return the observation as a state, or -1 if it is not an integer."""
    number = np.asarray(observation)
    return int(number.reshape(())) if number.size == 1 and number.dtype.kind in "iu" else -1


def _told(seen: TableOutcome) -> str:
    end = " and ended the episode" if seen.terminated else ""
    return (
        f"action {seen.action} led from state {seen.state} to state {seen.next_state} with reward "
        f"{seen.reward:g}{end}, which has probability 0 in the table"
    )


def _copy(bare: Any) -> Any:
    """Return a copy of an environment that shares nothing with it and does not render."""
    other = copy(bare)
    memo = {id(bare): other}
    for name, part in vars(bare).items():
        try:
            setattr(other, name, deepcopy(part, memo))
        except Exception:  # windows and clocks cannot be copied, and only render
            setattr(other, name, None)
    if getattr(other, "render_mode", None) is not None:
        other.render_mode = None
    return other
