r"""The exact MDP of a Gymnasium environment that has a transition table.

    environment = gymnasium.make("Taxi-v4")
    world = fo.from_environment(environment)      # or read_table
    plan = fo.plan(world, world.ends[0], discount=0.95)

Gymnasium's toy environments (FrozenLake, CliffWalking, Taxi) have a table
`P[state][action] = [(probability, next state, reward, terminated), ...]`. Its rows for terminal
states are not reliable: in the tables of CliffWalking and Taxi, actions leave the goal again. Here,
terminal states are absorbing and pay nothing. A number of steps check that the environment follows
its table (`gym.table_checks`).

It is a step that terminates an episode, not a state. If an episode can also continue in the state
after it, because episodes start there or a step that does not terminate leads there, the end
becomes a separate state, numbered after those of the table. This is not needed if every action
stays in the state and pays nothing, because the state and its end are then equivalent. An MDP with
absorbing states is therefore recovered exactly from its own environment, whatever its start.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core.errors import InputError, as_given, check_probabilities, warn
from first_occupancy.core.mdp import MDP
from first_occupancy.interop.ends import names_with_ends, separate_ends, with_ends
from first_occupancy.interop.enumeration.enumerated_worlds import EnumeratedWorld
from first_occupancy.interop.enumeration.outcome_worlds import checked_outcomes
from first_occupancy.interop.gym.experience import Experience
from first_occupancy.interop.gym.table_checks import (
    TableOutcome,
    TableWarning,
    contradiction,
    unknown_wrappers,
)
from first_occupancy.interop.gym.toy_names import action_names, state_names
from first_occupancy.interop.learned_worlds import weighted_world
from first_occupancy.interop.states import DiscreteStates, States

LEARN_INSTEAD = "use interop.skills.learn_skills to learn from interaction"


@dataclass(frozen=True, eq=False, repr=False)
class TableWorld(EnumeratedWorld):
    """The world of an environment with a table.

    Attributes:
        mdp: the MDP, dense.
        states: numbering of the environment's observations.
    """

    mdp: MDP
    states: States

    def _holds(self, condition: Callable[[Any], Any]) -> list[bool]:
        return [bool(condition(self.states.observation(s))) for s in range(self.num_states)]

    def _found(self, state: Any, seen: Any = None, *, ended: Any = False) -> int:
        return (self.states.at_end if ended else self.states)(state)


def read_table(environment: Any, *, start: Float[np.ndarray, " S"] | None = None) -> TableWorld:
    """Return the world of an environment with a table `P`, such as FrozenLake or Taxi.

    The table is compared with several hundred steps of a copy of the environment without wrappers;
    the environment itself and its random numbers do not change. A `TableWarning` reports an
    outcome that has probability 0 in the table, and another one wrappers that may change the
    outcome of steps, which the table does not cover (`gym.table_checks`).

    Args:
        start: start distribution; None takes the environment's `initial_state_distrib`.
    """
    bare = getattr(environment, "unwrapped", environment)
    table = getattr(bare, "P", None)
    if table is None:
        is_name = isinstance(environment, str)
        instead = f"pass gymnasium.make({environment!r})" if is_name else LEARN_INSTEAD
        raise InputError(
            f"read_table: needs an environment with a transition table P, got {_name(bare)}; "
            f"{instead}"
        )
    outcomes, size, num_actions = _outcomes(table)
    given = start is not None
    start = np.asarray(start, float) if given else _start(bare, size)
    if start.shape != (size,):
        raise InputError(f"read_table: start must have shape [S] = [{size}], got {start.shape}")
    check_probabilities("read_table", "start", start, ())
    world = _world(bare, outcomes, start, num_actions)
    for doubt in _doubts(environment, outcomes, None if given else start):
        warn(f"read_table: {doubt}", TableWarning)
    return world


def _doubts(
    environment: Any, outcomes: list[TableOutcome], start: Float[np.ndarray, " S"] | None
) -> Iterator[str]:
    """Yield why the table may not describe the environment."""
    bare = getattr(environment, "unwrapped", environment)
    wrappers = unknown_wrappers(environment)
    if wrappers:
        yield (
            f"the table P describes {_name(bare)} without {', '.join(wrappers)}, which may change "
            f"what steps do; {LEARN_INSTEAD}, or pass environment.unwrapped if that does not matter"
        )
    found = contradiction(bare, outcomes, start)
    if found is not None:
        yield f"the table P of {_name(bare)} may be wrong: {found}; {LEARN_INSTEAD}"


def _start(bare: Any, size: int) -> np.ndarray:
    start = getattr(bare, "initial_state_distrib", None)
    if start is None:
        raise InputError(
            f"read_table: start must be {size} probabilities, got None, and {_name(bare)} has no "
            "initial_state_distrib"
        )
    return np.asarray(start, float)


def _outcomes(table: Any) -> tuple[list[TableOutcome], int, int]:
    """Return the possible outcomes, S and A; states and actions must be numbered from 0."""
    try:
        size, num_actions = len(table), len(table[0]) if len(table) else 0
        rows = [[table[state][action] for action in range(num_actions)] for state in range(size)]
    except (TypeError, KeyError, IndexError):
        raise InputError(
            "read_table: the table must be P[state][action], both counted from 0, with all "
            f"actions in each state, got {as_given(table)}"
        ) from None
    if not num_actions:
        raise InputError("read_table: the table P must have states and actions, got none")
    found = [
        TableOutcome(state, action, *outcome)
        for state, actions in enumerate(rows)
        for action, row in enumerate(actions)
        for outcome in checked_outcomes("read_table", row, state, action)
    ]
    for state, action, _, ahead, *_ in found:
        if not isinstance(ahead, int | np.integer) or not 0 <= ahead < size:
            raise InputError(
                f"read_table: action {action} in state {state} must lead to states in "
                f"0..{size - 1}, got {ahead}"
            )
    return found, size, num_actions


def _world(
    bare: Any, outcomes: list[TableOutcome], start: np.ndarray, num_actions: int
) -> TableWorld:
    states, actions, shares, following, rewards, ended = map(np.array, zip(*outcomes, strict=True))
    seen = Experience(
        *(states, actions, following, rewards, ended),
        policies=np.zeros_like(states),
        episodes=np.zeros_like(states),
        starts=np.flatnonzero(start),
        num_states=len(start),
        num_actions=num_actions,
    )
    seen, observed = separate_ends(seen, entered=_entered(seen))
    names = state_names(bare, len(start))
    mdp, _, ends = weighted_world(
        seen,
        shares,
        np.append(start, np.zeros(len(observed) - len(start))),
        state_names=names_with_ends(names, observed),
        action_names=action_names(bare),
    )
    return TableWorld(mdp, ends, 1, with_ends(DiscreteStates(len(start), names=names), observed))


def _entered(seen: Experience) -> Bool[np.ndarray, " S"]:
    """Return whether an episode can be in each state before it terminates.

    Only reachable states count, because tables also list steps after the end of an episode.
    """
    on = ~seen.ended
    pairs = (seen.states[on], seen.next_states[on])
    steps = csr_array((np.ones(on.sum()), pairs), shape=(seen.num_states, seen.num_states))
    return np.isfinite(dijkstra(steps, unweighted=True, indices=seen.starts, min_only=True))


def _name(bare: Any) -> str:
    spec = getattr(bare, "spec", None)
    return spec.id if spec is not None else type(bare).__name__
