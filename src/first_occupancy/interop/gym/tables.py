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

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.axes import Scalar
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import (
    SUM_TOLERANCE,
    InputError,
    check_index,
    check_probabilities,
)
from first_occupancy.core.mdp import MDP, chain, constant_policies
from first_occupancy.interop.ends import names_with_ends
from first_occupancy.interop.gym.table_checks import (
    TableOutcome,
    TableWarning,
    contradiction,
    unknown_wrappers,
)
from first_occupancy.interop.gym.toy_names import action_names, state_names
from first_occupancy.interop.states import States
from first_occupancy.planning.agents import Interface, first_action, interface_of_tables
from first_occupancy.representations import first_occupancy

LEARN_INSTEAD = "use interop.skills.learn_skills to learn from interaction"


@dataclass(frozen=True, eq=False, repr=False)
class TableWorld(Displayed, KnownByActions, States):
    """The world of an environment with a table, and the numbering of its observations.

    Attributes:
        mdp: the MDP.
        observations: observation of the environment in each state.
        ended: whether each state is terminal.
    """

    mdp: MDP
    observations: Int[np.ndarray, " S"]
    ended: Bool[np.ndarray, " S"]

    durations = None

    def _summary(self) -> str:
        return f"TableWorld of {int(self.ended.sum())} ends, with {self.mdp!r}"

    @cached_property
    def action_chains(self) -> list[csr_array]:
        """Where each action leads: one [S S] matrix of probabilities per action."""
        table = np.asarray(self.mdp.transition)
        return [csr_array(table[:, action]) for action in range(self.num_actions)]

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return self.mdp.num_actions

    @property
    def state_names(self) -> Sequence[str] | None:
        """Names of the states, or None."""
        return self.mdp.state_names

    @property
    def action_names(self) -> Sequence[str] | None:
        """Names of the actions, or None."""
        return self.mdp.action_names

    @property
    def start(self) -> int:
        """The most frequent first state of episodes."""
        return int(self.mdp.start_distribution.argmax())

    def where(self, condition: Callable[[int], Any]) -> Int[np.ndarray, " G"]:
        """Return the states whose observations meet a condition, as a set of goals.

        Raises:
            InputError: if no state meets it.
        """
        holds = np.array([bool(condition(int(seen))) for seen in self.observations])
        if not holds.any():
            raise InputError("TableWorld.where: condition must hold somewhere, but does nowhere")
        return np.flatnonzero(holds)

    def interface(self, environment: Any, policies: Any) -> Interface:
        """Return what agents see and do in the environment."""
        size, first = self.num_states, first_action(getattr(environment, "action_space", None))
        return interface_of_tables("agent", self, policies, size, self.num_actions, first=first)

    @property
    def ends(self) -> tuple[int, ...]:
        """The terminal states."""
        return tuple(int(state) for state in np.flatnonzero(self.ended))

    @property
    def num_states(self) -> int:
        """S, including separate terminal states."""
        return self.mdp.num_states

    def __call__(self, observation: Any) -> int:
        """Return the state of an observation with which the episode did not terminate."""
        check_index("TableWorld", "observation", observation, int(self.observations.max()) + 1)
        return int(observation)

    def at_end(self, observation: Any) -> int:
        """Return the state of an observation with which an episode terminated."""
        self(observation)
        return int(np.flatnonzero(self.observations == observation)[-1])

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the states, if any."""
        return self.mdp.state_names

    def observation(self, state: int) -> int:
        """Return the environment's observation in a state."""
        return int(self.observations[state])

    def solve_frs(
        self, discount: Scalar, policies: Float[Array, "N S A"] | None = None
    ) -> Float[Array, "N S S"]:
        """Return the exact FRs of base policies.

        Args:
            policies: action probabilities of each policy in each state; None stands for one
                policy per action, which always takes it.
        """
        policies = constant_policies(self.mdp) if policies is None else policies
        return first_occupancy.solve(chain(self.mdp, policies), discount=discount)


def read_table(environment: Any, *, start: Float[np.ndarray, " S"] | None = None) -> TableWorld:
    """Return the world of an environment with a table `P`, such as FrozenLake or Taxi.

    The table is compared with several hundred steps of a copy of the environment without wrappers;
    the environment itself and its random numbers do not change. A `TableWarning` reports an
    outcome that has probability 0 in the table, and another one wrappers that may change the
    outcome of steps, which the table does not cover (`gym.table_checks`).

    Args:
        environment: Gymnasium environment, or any object with a table `P`.
        start: start distribution; None takes the environment's `initial_state_distrib`.

    Returns:
        The MDP, the numbering of the observations, and the terminal states.

    Raises:
        InputError: if there is no table, it does not give the outcomes of each action in each
            state, or there is no start distribution.
    """
    bare = getattr(environment, "unwrapped", environment)
    table = getattr(bare, "P", None)
    if table is None:
        raise InputError(
            f"read_table: needs an environment with a transition table P, got {_name(bare)}; "
            + _instead(environment)
        )
    size, num_actions = _sizes(table)
    given = start is not None
    start = np.asarray(start, float) if given else _start(bare, size)
    if start.shape != (size,):
        raise InputError(f"read_table: start must have shape [S] = [{size}], got {start.shape}")
    check_probabilities("read_table", "start", start, ())
    outcomes = list(_outcomes(table))
    _check_sums(outcomes, size, num_actions)
    world = _build(outcomes, start, num_actions=num_actions)
    for doubt in _doubts(environment, outcomes, None if given else start):
        warnings.warn(f"read_table: {doubt}", TableWarning, stacklevel=2)
    return replace(world, mdp=_with_names(world, bare))


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


def _sizes(table: Any) -> tuple[int, int]:
    """Return S and A; states and actions must be numbered from 0."""
    try:
        size, num_actions = len(table), len(table[0]) if len(table) else 0
    except (TypeError, KeyError):
        raise InputError(
            "read_table: the table must be P[state][action], both counted from 0, "
            f"got {type(table)} without a state 0"
        ) from None
    if not num_actions:
        raise InputError("read_table: the table P must have states and actions, got none")
    return size, num_actions


def _start(bare: Any, size: int) -> np.ndarray:
    start = getattr(bare, "initial_state_distrib", None)
    if start is None:
        raise InputError(
            f"read_table: start must be {size} probabilities, got None, and {_name(bare)} has no "
            "initial_state_distrib"
        )
    return np.asarray(start, float)


def _outcomes(table: Mapping[int, Any] | Sequence[Any]) -> Iterator[TableOutcome]:
    """Yield the rows of the table, each checked separately."""
    size, actions = _sizes(table)
    for state in range(size):
        try:
            rows = [list(table[state][action]) for action in range(actions)]
        except (KeyError, IndexError, TypeError):
            raise InputError(
                f"read_table: each of {size} states must have all {actions} actions in the "
                f"table, but state {state} does not"
            ) from None
        for action, row in enumerate(rows):
            yield from (_checked(state, action, outcome, size) for outcome in row)


def _checked(state: int, action: int, outcome: Any, size: int) -> TableOutcome:
    where = f"read_table: state {state}, action {action}"
    try:
        probability, next_state, reward, terminated = outcome
        found = TableOutcome(
            state, action, float(probability), int(next_state), float(reward), bool(terminated)
        )
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where} must list (probability, next state, reward, terminated), got {outcome}"
        ) from None
    if found.next_state != next_state or not 0 <= next_state < size:
        raise InputError(f"{where} must lead to states in 0..{size - 1}, got {next_state}")
    if not 0 <= found.probability <= 1 + SUM_TOLERANCE:
        raise InputError(f"{where} must have probabilities in 0..1, got {probability}")
    return found


def _check_sums(outcomes: list[TableOutcome], size: int, actions: int) -> None:
    sums = np.zeros((size, actions))
    for outcome in outcomes:
        sums[outcome.state, outcome.action] += outcome.probability
    wrong = np.argwhere(np.abs(sums - 1) > SUM_TOLERANCE)
    if len(wrong):
        state, action = wrong[0]
        raise InputError(
            f"read_table: probabilities of state {state}, action {action} must sum to one, "
            f"got {sums[state, action]:.6g}"
        )


def _build(outcomes: list[TableOutcome], start: np.ndarray, *, num_actions: int) -> TableWorld:
    ends = {o.next_state for o in outcomes if o.terminated and o.probability > 0}
    # A twin is the separate terminal state of a state in which the episode may also continue.
    ongoing = ends & _entered(outcomes, start) & _left_or_paid(outcomes)
    twins = {state: len(start) + i for i, state in enumerate(sorted(ongoing))}
    observations = np.array([*range(len(start)), *twins], int)
    ended = np.zeros(len(observations), bool)
    ended[[*(ends - ongoing), *twins.values()]] = True

    transition = np.zeros((len(observations), num_actions, len(observations)))
    paid = np.zeros_like(transition)
    for state, action, probability, following, reward, terminated in outcomes:
        target = twins.get(following, following) if terminated else following
        transition[state, action, target] += probability
        paid[state, action, target] += probability * reward
    transition[ended], paid[ended] = np.eye(len(observations))[ended, None], 0
    # Several outcomes may lead to the same state; their expected reward counts.
    reward = np.divide(paid, transition, out=np.zeros_like(paid), where=transition > 0)
    # The probabilities of some tables sum to one only up to rounding.
    transition /= transition.sum(axis=-1, keepdims=True)
    begin = np.append(start, np.zeros(len(twins)))
    return TableWorld(MDP(transition, reward, begin), observations, ended)


def _with_names(world: TableWorld, bare: Any) -> MDP:
    """Return the MDP with the environment's names; separate terminal states are marked as such."""
    mdp, shown = world.mdp, world.observations
    names = state_names(bare, int(shown.max()) + 1)
    return MDP(
        mdp.transition,
        mdp.reward,
        mdp.start_distribution,
        state_names=names_with_ends(names, shown),
        action_names=action_names(bare),
    )


def _entered(outcomes: list[TableOutcome], start: np.ndarray) -> set[int]:
    """Return the states that an episode can be in before it terminates.

    Only reachable states count, because tables also list steps after the end of an episode.
    """
    steps: dict[int, list[int]] = {}
    for outcome in outcomes:
        if outcome.probability > 0 and not outcome.terminated:
            steps.setdefault(outcome.state, []).append(outcome.next_state)
    entered = set(np.flatnonzero(start).tolist())
    waiting = list(entered)
    while waiting:
        new = set(steps.get(waiting.pop(), ())) - entered
        entered |= new
        waiting.extend(new)
    return entered


def _left_or_paid(outcomes: list[TableOutcome]) -> set[int]:
    """Return the states that some action leaves or is rewarded in; the others equal their ends."""
    return {
        outcome.state
        for outcome in outcomes
        if outcome.probability > 0 and (outcome.next_state != outcome.state or outcome.reward)
    }


def _instead(environment: Any) -> str:
    if isinstance(environment, str):
        return f"pass gymnasium.make({environment!r})"
    return LEARN_INSTEAD


def _name(bare: Any) -> str:
    spec = getattr(bare, "spec", None)
    return spec.id if spec is not None else type(bare).__name__
