"""Plans: which policy to follow from each state, and until which subgoal.

Every planner returns the same record: `frp.plan_to_goal` for any FRs, `paths.plan_paths` for
deterministic policies and worlds. Plans to many goals are one record with a leading axis;
`plans.to(goal)` is the plan to one of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, check_index, is_known
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.world import World, number_in
from first_occupancy.planning._drafts import ESTIMATE, Draft
from first_occupancy.planning._on_demand import Numbers, OnDemand, made
from first_occupancy.planning._summaries import summary_of_many, summary_of_plan
from first_occupancy.planning.agents import Agent, interface_of
from first_occupancy.planning.legs import Leg, check_one, legs_of
from first_occupancy.planning.limits import NOTHING, SOLVED_UP_TO
from first_occupancy.planning.policy_functions import PolicyFunction, function_of
from first_occupancy.representations.arrival import Arrival
from first_occupancy.representations.passages import Passage


class Origin:
    """Where a plan comes from: its world, and how surely and how soon it arrives there.

    It stays on the host: a plan that went through a compiled function has lost it. `compute` and
    `passage` are called when their numbers are first asked for; they are None without dynamics.
    """

    def __init__(
        self,
        compute: Callable[[], tuple[np.ndarray, np.ndarray]] | None = None,
        world: World | None = None,
        policies: Any = None,
        passage: Callable[[], Passage] | None = None,
    ) -> None:
        self._compute, self._world, self.policies = compute, world, policies
        self.passage = None if passage is None else cache(passage)

    @property
    def world(self) -> World | None:
        """The world in which the plan was made, if known."""
        return made(self._world)

    @cached_property
    def numbers(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The probability of arriving from each state, and the expected time given arrival."""
        return None if self._compute is None else self._compute()


def _none() -> Any:
    """Return None: as a factory it leaves no attribute of the class, which hides `__getattr__`."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Displayed):
    """How to reach one goal from every state: which policy to follow, and until where.

    If the plan has names of states and policies, they are shown in legs, errors and figures.

    Attributes:
        goal: state to reach.
        policy: base policy to follow from each state; -1 at the goal and where it is unreachable.
        subgoal: state at which to switch to the next policy; -1 where the goal is unreachable.
        log_promised: log of the expected discount that the legs promise before refinement: the
            product of their FRs, which is FRP's; in engine "sparse", the discount of the luckiest
            path. Minus infinity where the goal is unreachable. In stochastic worlds it is a lower
            bound, since re-choosing on the way never loses.
        state_names: names of the states.
        policy_names: names of the base policies.
        achieved: expected discount of following the plan, re-choosing in every state; None for
            plans made from FRs alone, whose dynamics are unknown.
        engine: engine that made it, "paths", "dense" or "sparse".
        goals: states of which any is a goal, if there are several; `goal` is the first of them.
        gap: upper bound on the discount that another choice of base policies could gain in any
            state, if it is known.
        known: how `expected_discount` is known: "exact", a "lower bound" (by engine "sparse" with a
            `tolerance`: no choice of base policies exceeds it by more than `gap`), or an "estimate"
            (the promise of FRs alone, as good as these are).
        origin: the world and the base policies that it was made with, if they are known.
    """

    goal: Int[Array, "*G"]
    policy: Int[Numbers, "*G S"]
    subgoal: Int[Numbers, "*G S"]
    log_promised: Float[Numbers, "*G S"]
    state_names: Names | None = field(default_factory=_none)
    policy_names: Names | None = field(default_factory=_none)
    achieved: Float[Numbers, "*G S"] | None = field(default_factory=_none)
    engine: str | None = None
    goals: Int[Array, " K"] | None = field(default_factory=_none)
    gap: float | None = None
    known: str = ESTIMATE
    origin: Origin | None = field(default=None, repr=False)

    if not TYPE_CHECKING:  # type checkers would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Return what an engine's plan has under this name, on the device from now on."""
            made_from = vars(self).get("_made_from")
            if made_from is None or name not in _MADE:
                raise AttributeError(f"Plan has no attribute {name!r}")
            vars(self)[name] = made_from.part(name)
            return vars(self)[name]

    def _parts(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arrays and the facts; where the plan comes from is lost."""
        arrays = (getattr(self, name) for name in _ARRAYS)
        facts = tuple(getattr(self, name) for name in _FACTS)
        return tuple(x.array if isinstance(x, OnDemand) else x for x in arrays), facts

    @classmethod
    def _of_parts(cls, facts: tuple[Any, ...], arrays: tuple[Any, ...]) -> "Plan":
        """Return a plan of arrays and facts."""
        plan = object.__new__(cls)
        vars(plan).update(zip(_ARRAYS, arrays, strict=True))
        vars(plan).update(zip(_FACTS, facts, strict=True))
        return plan

    def named(
        self, *, states: Sequence[str] | None = None, policies: Sequence[str] | None = None
    ) -> "Plan":
        """Return the same plan with names for its states and policies.

        Args:
            states: one name per state, such as the `state_names` of an MDP or a maze; None keeps
                the present names.
            policies: one name per base policy; None keeps the present names. The names of
                `constant_policies` are the `action_names` of the world.

        Raises:
            InputError: if there are too few names, or two are the same.
        """
        states = self.state_names if states is None else states
        policies = self.policy_names if policies is None else policies
        state_names = checked_names("Plan.named", "states", states, self.policy.shape[-1])
        policy_names = checked_names("Plan.named", "policies", policies, None)
        if policy_names is not None and is_known(self.policy):
            # On the host: reducing an array of JAX would compile a program.
            last = int(np.asarray(self.policy).max(initial=NOTHING))
            if last >= len(policy_names):
                raise InputError(
                    f"Plan.named: policies must be at least {last + 1} names, since the plan "
                    f"follows policy {last}, got {len(policy_names)}"
                )
        return replace(self, state_names=state_names, policy_names=policy_names)

    @property
    def expected_discount(self) -> Float[Numbers, "*G S"]:
        """What following the plan achieves: the expected discount at the first arrival.

        The plan is looked up again in every state. `known` says whether the numbers are exact.
        """
        return self.promised if self.achieved is None else self.achieved

    @property
    def log_expected_discount(self) -> Float[Numbers, "*G S"]:
        """The log of the expected discount, also where the discount itself underflows."""
        if self.achieved is None:
            return self.log_promised
        tiny = jnp.finfo(self.achieved.dtype).tiny
        logs = jnp.log(jnp.maximum(self.achieved, tiny))
        return jnp.where(self.achieved > tiny, logs, self.log_promised)

    @property
    def promised(self) -> Float[Array, "*G S"]:
        """What the legs promise before refinement: see `log_promised`."""
        return jnp.exp(self.log_promised)

    @property
    def exceeds_promise(self) -> bool:
        """Whether following achieves more than the legs promise, by more than rounding."""
        if self.achieved is None:
            return False
        promised = np.asarray(self.promised)
        return not np.allclose(np.asarray(self.achieved), promised, rtol=1e-4, atol=1e-30)

    @property
    def probability(self) -> Float[Array, " S"] | None:
        """The probability of ever arriving; None if the world's dynamics are unknown."""
        return self._arrival(0)

    @property
    def expected_time(self) -> Float[Array, " S"] | None:
        """The expected time until arrival, given arrival; infinite where the plan never arrives.

        It counts steps, or units of time where moves have durations; in graphs it is the length of
        the path. None if the world's dynamics are unknown.
        """
        return self._arrival(1)

    def arrival(self, start: Any) -> Arrival:
        """Return how surely, and when, the plan arrives from a start: the whole distribution.

        >>> import first_occupancy as fo
        >>> world = fo.maze(["S..", "..G"], noise=0.2)
        >>> fo.plan(world, (1, 2), discount=0.9).arrival(world.start)
        Arrival from 0 '(0, 0)': arrives for certain, after 3.541 ± 0.988 steps

        Args:
            start: state from which to start, in any form that the world accepts.

        Raises:
            InputError: if there is no such state, there are plans to many goals, or the world's
                dynamics are unknown.
        """
        origin = self.origin
        if origin is None or origin.world is None or origin.passage is None:
            raise InputError("arrival: needs a plan that fo.plan made from a world with dynamics")
        check_one("arrival", self)
        state = number_in(origin.world, start, caller="arrival", what="start")
        return origin.passage().arrival(state)

    @property
    def arrives_at_once(self) -> bool:
        """Whether `probability` and `expected_time` are known, or take little time to compute."""
        known = self.origin is not None and "numbers" in vars(self.origin)
        return known or self.engine == "paths" or self.policy.shape[-1] <= SOLVED_UP_TO

    def _arrival(self, which: int) -> Float[Array, " S"] | None:
        numbers = None if self.origin is None else self.origin.numbers
        return None if numbers is None else jnp.asarray(numbers[which], self.log_promised.dtype)

    @check_arguments
    def legs(self, start: int | None) -> list[Leg]:
        """Return the legs of the plan from `start` to the goal (Alg. 2).

        >>> import jax.numpy as jnp
        >>> from first_occupancy.planning.frp import plan_to_goal
        >>> corridor = jnp.array([[[1, .5, .25], [0, 1, .5], [0, 0, 1]]])
        >>> plan_to_goal(corridor, 2).legs(0)
        [Leg(policy=0, subgoal=2)]

        Args:
            start: state from which to start; None, as `Maze.start` may be, is refused.

        Raises:
            InputError: if there are plans to many goals, `start` is None, the goal cannot be
                reached from it, or a hand-made plan does not lead to it.
        """
        return legs_of(self, start)

    @check_arguments
    def agent(
        self,
        environment: Any = None,
        *,
        observe: Any = None,
        policies: Any = None,
        seed: NonNegativeInt = 0,
    ) -> Agent:
        """Return an agent that follows the plan, with `predict` as Stable-Baselines3 models have.

        Args:
            environment: environment in which it acts, where its state is read or its actions do
                not begin at 0.
            observe: function from an observation to the number of its state; None for the world's:
                in mazes and MDPs, observations are states.
            policies: base policies as arrays; None for those that the plan was made with.
            seed: seed of actions where base policies are stochastic, or the plan has none.

        Raises:
            InputError: if this is no plan to one goal, or its world or policies are unknown.
        """
        return Agent(self, interface_of("agent", self, environment, observe, policies), seed=seed)

    def policy_function(self, *, observe: Any = None, policies: Any = None) -> PolicyFunction:
        """Return the plan as a pure function from states to actions, for `jit`, `vmap`, `scan`.

        Args:
            observe: function from a state to its number; None for the world's.
            policies: base policies as arrays; None for those that the plan was made with.
        """
        return function_of(self, observe, policies)

    @check_arguments
    def to(self, goal: Index) -> "Plan":
        """Return the plan to one goal, from plans to many.

        If the goal is traced, no error can be raised: for a goal without a plan, the result then
        has no policy to follow from any state.

        A call takes some 30 microseconds, most of them to start the program that copies the rows.
        To look up many goals, use `plans.on_host()`.
        """
        _check_many("Plan.to", self)
        size = self.policy.shape[-1]
        if isinstance(goal, jax.core.Tracer) or isinstance(self.goal, jax.core.Tracer):
            check_index("Plan.to", "goal", goal, size)
            return _search(self, jnp.asarray(goal, self.goal.dtype))
        return _look_up(self, row_of("Plan.to", np.asarray(self.goal), goal, size))

    def on_host(self) -> "PlansOnHost":
        """Return the plans to many goals in the host's memory, for look-ups in microseconds.

        On a CPU nothing is copied.
        """
        _check_many("Plan.on_host", self)
        arrays, facts = self._parts()
        goal, policy, subgoal, log_promised = map(np.asarray, arrays[:4])
        return PlansOnHost(goal, policy, subgoal, log_promised, facts)

    @property
    def reachable(self) -> Bool[Array, "*G S"]:
        """Whether the goal can be reached at all."""
        return jnp.isfinite(self.log_promised)

    def _summary(self) -> str | None:
        return summary_of_plan(self)


jax.tree_util.register_pytree_node(Plan, Plan._parts, Plan._of_parts)


@dataclass(frozen=True, eq=False, repr=False)
class PlansOnHost(Displayed):
    """Plans to many goals as NumPy arrays, in memory or mapped from a file.

    JAX has no views: taking a row of its arrays runs a program that copies. A plan of views can be
    used in ordinary code and passed to compiled functions; a compiled function that closes over it
    cannot index it with a traced state.

    Attributes:
        goal: states to reach.
        policy: base policy to follow to each goal from each state, as in `Plan`.
        subgoal: state at which to switch to the next policy, as in `Plan`.
        log_promised: log of the expected discount that FRP promises, as in `Plan`.
    """

    goal: Int[np.ndarray, " G"]
    policy: Int[np.ndarray, "G S"]
    subgoal: Int[np.ndarray, "G S"]
    log_promised: Float[np.ndarray, "G S"]
    _facts: tuple[Any, ...]

    @property
    def state_names(self) -> Names | None:
        """Names of the states."""
        return self._facts[0]

    def to(self, goal: int) -> Plan:
        """Return the plan to one goal, as views of the arrays, with whole numbers as int32."""
        row = row_of("PlansOnHost.to", self.goal, goal, self.policy.shape[1])
        whole = (each[row].astype(np.int32, copy=False) for each in (self.policy, self.subgoal))
        arrays = (np.int64(goal), *whole, self.log_promised[row], None, None)
        return Plan._of_parts(self._facts, arrays)

    def leg(self, goal: int, state: int) -> tuple[int, int]:
        """Return what to do in one state: the policy to follow, and until which subgoal.

        It reads nothing else, so it is the fastest way to follow a plan from a file.

        Args:
            goal: state to reach, one of the goals of these plans.
            state: where one is.

        Returns:
            Policy and subgoal, as in `Plan`: -1 for none.
        """
        size = self.policy.shape[1]
        row = row_of("PlansOnHost.leg", self.goal, goal, size)
        if type(state) is not int or not 0 <= state < size:  # the check itself is slow
            check_index("PlansOnHost.leg", "state", state, size)
        return int(self.policy[row, state]), int(self.subgoal[row, state])

    def _summary(self) -> str:
        return summary_of_many(self, self.state_names)


def row_of(caller: str, goals: Int[np.ndarray, " G"], goal: Index, size: int) -> int:
    """Return the row of the plan to a goal."""
    # A shortcut, since `check_index` takes longer than looking the plan up.
    if type(goal) is int and 0 <= goal < size:
        state = goal
    else:
        check_index(caller, "goal", goal, size)
        state = int(np.asarray(goal))
    # Plans to every goal are in the order of states, so that no search is needed.
    if state < len(goals) and goals[state] == state:
        return state
    there = np.flatnonzero(goals == state)
    if not len(there):
        first = ", ".join(map(str, goals[:_SHOWN]))
        more = f" and {len(goals) - _SHOWN} more" if len(goals) > _SHOWN else ""
        raise InputError(
            f"{caller}: goal must be one of the goals of these plans, {first}{more}, got {goal}"
        )
    return int(there[0])


_SHOWN = 5
"""How many available goals an error message lists."""


def _check_many(caller: str, plans: Plan) -> None:
    if plans.goal.ndim != 1:
        got = f"goals of shape {plans.goal.shape}" if plans.goal.ndim else "the plan to one"
        raise InputError(f"{caller}: needs plans to many goals, got {got}")


_ARRAYS = ("goal", "policy", "subgoal", "log_promised", "achieved", "goals")
_FACTS = ("state_names", "policy_names", "engine", "gap", "known")
_MADE = (*_ARRAYS, "state_names", "policy_names")


class _Source(NamedTuple):
    """What an engine's plan is made of when it is read; in the precision of its making."""

    draft: Draft
    at: Int[np.ndarray, " G"]
    names: Callable[[], tuple[Names | None, Names | None]]
    doubles: bool

    def part(self, name: str) -> Any:
        """Return an array on the device, or names."""
        if name in ("state_names", "policy_names"):
            return self.names()[name == "policy_names"]
        if name in ("goal", "goals"):
            numbers = self.at[0] if name == "goal" else self.at if len(self.at) > 1 else None
        else:
            numbers = getattr(self.draft, name)
        if numbers is None or isinstance(numbers, OnDemand):
            return numbers
        reals = np.float64 if self.doubles else np.float32
        kind = reals if name in ("log_promised", "achieved") else np.int32
        # The array must be none of a compiled function that happens to read it first. Not
        # `jnp.asarray`, which compiles a program for each new number of states.
        with jax.ensure_compile_time_eval(), jax.enable_x64(self.doubles):
            return jax.device_put(np.asarray(numbers, kind))


def plan_of(
    draft: Draft,
    goals: Int[np.ndarray, " G"],
    engine: str,
    names: Callable[[], tuple[Names | None, Names | None]] = lambda: (None, None),
    origin: Origin | None = None,
) -> Plan:
    """Return the record that users get, with numbers in JAX's precision."""
    plan = object.__new__(Plan)
    source = _Source(draft, goals, names, jnp.result_type(float) == np.float64)
    facts = {"engine": engine, "gap": draft.gap, "known": draft.known, "origin": origin}
    vars(plan).update(facts, _made_from=source)
    return plan


@jax.jit
def _look_up(plans: Plan, row: Index) -> Plan:
    # Compiled, because four slices one by one take ten times as long.
    return jax.tree.map(lambda leaf: leaf[row], plans)


@jax.jit
def _search(plans: Plan, goal: Index) -> Plan:
    there = plans.goal == goal
    plan = _look_up(plans, there.argmax())
    found = there.any()
    # For a goal without a plan there is no policy to follow.
    return replace(
        plan,
        goal=goal,
        policy=jnp.where(found, plan.policy, NOTHING),
        subgoal=jnp.where(found, plan.subgoal, NOTHING),
        log_promised=jnp.where(found, plan.log_promised, -jnp.inf),
        achieved=None if plan.achieved is None else jnp.where(found, plan.achieved, 0),
    )
