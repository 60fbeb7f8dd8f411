"""Agents that follow a plan, with `predict`, as Stable-Baselines3 models have it.

    agent = plan.agent(environment)
    action, _ = agent.predict(observation)

Code that runs or evaluates such models therefore also runs and evaluates plans. What the agent
sees and does in an environment is its world's `Interface`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.errors import InputError, as_given, is_known
from first_occupancy.core.world import number_in
from first_occupancy.planning.legs import check_one
from first_occupancy.planning.limits import NOTHING
from first_occupancy.representations.occupancies import Occupancies

if TYPE_CHECKING:
    from first_occupancy.planning.plans import Plan

Decider = Callable[[Any, int, np.random.Generator], Any]
"""A base policy: from an observation, the number of its state and a random number generator to an
action."""


def _array_rows(observation: Any) -> list[Any] | None:
    is_batch = isinstance(observation, np.ndarray) and observation.ndim == 1
    return list(observation) if is_batch else None


@dataclass(frozen=True, eq=False, kw_only=True)
class Interface:
    """What an agent sees and does in an environment.

    Attributes:
        observe: function from an observation to the number of its state; negative if there is none.
        deciders: the base policies.
        idle: function from a random number generator to an action, where a plan has none.
        tables: the base policies as actions [N S] or probabilities [N S A]; None if they are not.
        rows: function from a batch to its observations; None for a single observation.
        together: function from the actions of a batch to what the environment takes.
    """

    observe: Callable[[Any], Any]
    deciders: Sequence[Decider]
    idle: Callable[[np.random.Generator], Any]
    tables: np.ndarray | None = None
    rows: Callable[[Any], list[Any] | None] = _array_rows
    together: Callable[[list[Any]], np.ndarray] = field(default_factory=lambda: np.array)


@runtime_checkable
class Situated(Protocol):
    """A world that says what agents see and do in its environments."""

    def interface(self, environment: Any, policies: Any) -> Interface:
        """Return what an agent sees and does."""
        ...


class Agent:
    """Follows a plan: looks up in every state which base policy to follow.

    At the goal, and where no plan leads to it, the agent acts at random.

    Args:
        plan: plan to one goal.
        interface: what the agent sees and does.
        seed: seed of random actions.
    """

    @check_arguments
    def __init__(self, plan: Any, interface: Interface, *, seed: NonNegativeInt = 0) -> None:
        self.interface, self._rng = interface, own_chance(seed)
        self.follow(plan)

    def __repr__(self) -> str:
        """Return the plan that is followed."""
        return f"Agent of {self.plan!r}"

    def follow(self, plan: "Plan") -> None:
        """Follow another plan from now on; random numbers go on instead of repeating.

        Raises:
            InputError: if the plan has several goals, or follows a policy that is not given.
        """
        if not hasattr(plan, "log_promised"):
            raise InputError(f"agent: plan must be a Plan, got {as_given(plan)}")
        check_one("agent", plan)
        self.plan, self._policy = plan, np.asarray(plan.policy)
        check_followed("agent", self._policy, len(self.interface.deciders))

    def predict(
        self,
        observation: Any = None,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Return the action for an observation, or one for each of a batch, and `state` unchanged.

        Args:
            observation: what was observed; left out where the environment's state is read.
            state: passed through.
            episode_start: ignored.
            deterministic: ignored; the base policies determine whether actions are stochastic.
        """
        del episode_start, deterministic
        rows = self.interface.rows(observation)
        if rows is None:
            return self._act(observation), state
        return self.interface.together([self._act(row) for row in rows]), state

    def reset(self) -> None:
        """Begin a new episode."""

    def _act(self, observation: Any) -> Any:
        here = int(self.interface.observe(observation))
        policy = self._policy_in(here)
        if policy == NOTHING:
            return self.interface.idle(self._rng)
        return self.interface.deciders[policy](observation, here, self._rng)

    def _policy_in(self, here: int) -> int:
        """Return the base policy to follow in a state; -1 for none."""
        if here >= len(self._policy):
            raise InputError(
                f"agent: state must be one of the plan's {len(self._policy)}, got {here}; plan "
                "again"
            )
        return NOTHING if here < 0 else int(self._policy[here])


def own_chance(seed: int) -> np.random.Generator:
    """Return a random number generator for policies, independent of the environment's.

    Gymnasium's environments use `default_rng(seed)`. If policies did the same, actions and outcomes
    would come from the same numbers and be dependent.
    """
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])


def interface_of(caller: str, plan: "Plan", environment: Any, observe: Any, policies: Any) -> Any:
    """Return what an agent of a plan sees and does."""
    if not (observe is None or callable(observe)):
        raise InputError(f"{caller}: observe must be a function, got {as_given(observe)}")
    world = None if plan.origin is None else plan.origin.world
    if policies is None and plan.origin is not None:
        policies = plan.origin.policies
    if isinstance(policies, Occupancies):
        policies = policies.policies
    if isinstance(world, Situated) and (observe is None or policies is None):
        interface = world.interface(environment, policies)
    else:
        interface = _interface_in(caller, world, plan, environment, policies)
    return interface if observe is None else replace(interface, observe=observe)


def _interface_in(caller: str, world: Any, plan: "Plan", environment: Any, policies: Any) -> Any:
    """Return the interface of a world whose observations are its states."""
    if policies is None and not hasattr(world, "num_actions"):
        raise InputError(
            f"{caller}: policies must be given, since the plan does not know its world's actions"
        )

    def number(observation: Any) -> Any:
        numbered = world is not None and is_known(observation)
        if not numbered:
            return observation
        return number_in(world, observation, caller=caller, what="observation")

    size, count = plan.policy.shape[-1], getattr(world, "num_actions", None)
    first = first_action(getattr(environment, "action_space", None))
    return interface_of_tables(caller, number, policies, size, count, first=first)


def first_action(action_space: Any) -> int:
    """Return the environment's number of its first action; 0 if the space is not Discrete."""
    start = getattr(action_space, "start", 0)
    return 0 if np.ndim(start) else int(start)


def interface_of_tables(
    caller: str, observe: Any, policies: Any, size: int, count: int | None, *, first: int = 0
) -> Interface:
    """Return an interface whose base policies are tables: actions [N S], or probabilities [N S A].

    Without tables, there is one policy per action. `first` is the environment's number of its first
    action.
    """
    if policies is None:
        policies = np.broadcast_to(np.arange(count or 0)[:, None], (count or 0, size))
    try:
        tables = np.asarray(policies)
    except ValueError:  # rows of several lengths
        tables = np.array(None)
    if tables.dtype.kind not in "iuf" or tables.shape[1:2] != (size,) or tables.ndim > 3:
        raise InputError(
            f"{caller}: policies must be actions [N S] or probabilities [N S A] over the plan's "
            f"{size} states, got {as_given(policies)}"
        )
    if count is None:
        count = tables.shape[2] if tables.ndim == 3 else int(tables.max(initial=0)) + 1
    sums = None if tables.ndim == 2 else np.cumsum(tables, axis=2, dtype=float)

    def act(number: int, _: Any, state: int, rng: np.random.Generator) -> int:
        if sums is None:
            return first + int(tables[number, state])
        row = sums[number, state]
        return first + int(np.searchsorted(row, rng.random() * row[-1], "right"))

    return Interface(
        observe=observe,
        deciders=[partial(act, number) for number in range(len(tables))],
        idle=lambda rng: first + int(rng.integers(count)),
        tables=tables,
    )


def check_followed(caller: str, policy: np.ndarray, count: int) -> None:
    """Raise unless all policies that a plan follows are given."""
    if int(policy.max(initial=NOTHING)) >= count:
        raise InputError(
            f"{caller}: policies must be those of the plan, which follows policy "
            f"{int(policy.max())}, got {count}"
        )
