"""From a world to a plan: the main entry point, which picks the planning engine.

    plan = fo.plan(fo.four_rooms(), (1, 9), discount=0.95)

- If world and base policies are deterministic, the plan is a shortest path cut into legs, found
  without any S x S array (engine "paths").
- If they are stochastic, the exact FRs of the base policies are chained (engine "dense").
- Stochastic worlds with more than `limits.DENSE_UP_TO` states begin with the luckiest path, without
  any S x S array (engine "sparse").

The choice of base policies is then improved in every state, up to the best there is; `refine=0`
leaves it at the paper's FRP. To plan to many goals in one world, make a `Planner` once.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, overload, runtime_checkable

import numpy as np
from jaxtyping import Int

from first_occupancy.core.arguments import NonNegativeFloat, NonNegativeInt, Share, check_arguments
from first_occupancy.core.errors import InputError, as_given, warn_of_discount
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.world import KnownByChains, Policies, World, number_in
from first_occupancy.planning._dense.engine import DenseEngine
from first_occupancy.planning._dense.folding import best_legs
from first_occupancy.planning._drafts import Draft, Engine, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._on_demand import made
from first_occupancy.planning._paths.engine import PathEngine, certain_steps
from first_occupancy.planning._sparse.engine import SparseEngine
from first_occupancy.planning.deadlines import DeadlinePlan
from first_occupancy.planning.limits import DENSE_UP_TO, PLANNED_AT_ONCE
from first_occupancy.planning.plans import Origin, Plan, plan_of
from first_occupancy.representations import Occupancies

if TYPE_CHECKING:
    from first_occupancy.planning._changes.following import Following


@runtime_checkable
class PlansToObservations(Protocol):
    """A world whose goals are observations or regions of them, not numbered states."""

    def goal_plan(
        self, goal: Any, *, discount: float | None = None, refine: int | None = None
    ) -> Any:
        """Return the plan to a goal, with options as for `plan`."""
        ...


@overload
def plan(
    world: World,
    goal: Any,
    *,
    policies: Policies | Occupancies = ...,
    discount: float,
    max_switches: int | None = ...,
    refine: int | None = ...,
    tolerance: float | None = ...,
    avoid: Any = ...,
) -> Plan: ...


@overload
def plan(
    world: World, goal: Any, *, policies: Policies = ..., avoid: Any = ..., deadline: float
) -> DeadlinePlan: ...


@overload
def plan(
    world: PlansToObservations, goal: Any, *, discount: float | None = ..., refine: int | None = ...
) -> Any: ...


@check_arguments
def plan(
    world: World | PlansToObservations,
    goal: Any,
    *,
    policies: Policies | Occupancies = None,
    discount: Share | None = None,
    max_switches: NonNegativeInt | None = None,
    refine: NonNegativeInt | None = None,
    tolerance: NonNegativeFloat | None = None,
    avoid: Any = (),
    deadline: NonNegativeFloat | None = None,
) -> Any:
    r"""Plan from every state of a world to a goal by chaining base policies (Alg. 1).

    Solves $\Gamma(s) = \max_{\pi, x} F^\pi(s, x)\, \Gamma(x)$ with $\Gamma(g) = 1$. With a discount
    of 1, $\Gamma$ is the probability of arriving at all: the result is the surest plan, and of
    equally sure plans the soonest.

    >>> from first_occupancy.environments import maze
    >>> found = plan(maze(["S.#", "..G"]), (1, 2), discount=0.5)
    >>> found.engine, [round(float(each), 3) for each in found.expected_discount]
    ('paths', [0.125, 0.25, 0.25, 0.5, 1.0])

    Args:
        world: a maze, an MDP (dense or sparse), a graph, skills, chains counted from a log, or
            anything else that implements `World`.
        goal: state to reach: a number, a name, a cell (row, column) of a maze, or a node of a
            graph. A list or set of them means any of them. In landmark worlds, an observation, or
            a function of observations [B O] that says whether each lies in a region.
        policies: base policies: the action that each takes in each state [N S], the probabilities
            of actions [N S A], or their FRs (`Occupancies`). None for the world's own policies, in
            mazes and MDPs one per action.
        discount: discount factor per step, or per unit of time where moves have durations; from 0
            to 1. Landmark worlds have a default of 1.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            allows all that gain more than rounding (`limits.indifference`; paths: anything).
        refine: rounds of policy improvement over the base policies, after which the plan may switch
            anywhere. 0 is the paper's FRP. None improves until no state can; with `max_switches`,
            or FRs in place of a world's dynamics, it improves nothing.
        tolerance: stop improving as soon as no choice of base policies can gain more than this in
            any state. In large stochastic worlds it is the fastest way to a good plan, whose
            `expected_discount` is then a lower bound.
        avoid: states that the plan must not enter. Arriving counts only if none of them was
            entered on the way.
        deadline: time by which to arrive, in place of a discount: the plan is then the one that
            most probably arrives by then, and what it follows depends on the time left.

    Returns:
        The plan. Its `expected_discount` is what following it achieves, `promised` the product of
        the legs' FRs before refinement (in engine "sparse", the discount of the luckiest path),
        `probability` and `expected_time` those of arriving, and `engine` the planner that was used.
        With a deadline it is a `DeadlinePlan`.

    Raises:
        InputError: the world, goal or an option cannot be used; the message says which and why.
    """
    if isinstance(world, PlansToObservations):
        _refuse(
            "in a landmark world", policies=policies, max_switches=max_switches,
            tolerance=tolerance, avoid=avoid, deadline=deadline,
        )  # fmt: skip
        return world.goal_plan(goal, discount=discount, refine=refine)
    if deadline is not None:
        _refuse(
            "for a deadline", discount=discount, max_switches=max_switches, refine=refine,
            tolerance=tolerance,
        )  # fmt: skip
        return Planner(world, policies=policies, discount=1.0, avoid=avoid)._by(goal, deadline)
    if discount is None:
        raise InputError(
            "plan: discount or deadline must be given; discount=1 plans for the surest arrival"
        )
    planner = Planner(world, policies=policies, discount=discount, avoid=avoid)
    return planner.plan(goal, max_switches=max_switches, refine=refine, tolerance=tolerance)


class Planner:
    """A world and its base policies, prepared once for planning to many goals.

    Args:
        world: as for `plan`.
        policies: as for `plan`.
        discount: as for `plan`.
        avoid: as for `plan`.
        dense_up_to: largest number of states for which a stochastic world is planned in by
            chaining exact FRs; larger ones begin with the luckiest path.
    """

    @partial(check_arguments, caller="plan")
    def __init__(
        self,
        world: World,
        *,
        policies: Policies | Occupancies = None,
        discount: Share,
        avoid: Any = (),
        dense_up_to: NonNegativeInt = DENSE_UP_TO,
    ) -> None:
        if not isinstance(world, World):
            raise InputError(
                f"plan: world must be a maze, an MDP or another World, got {type(world).__name__}"
            )
        self._world = world
        self._now: Any = world
        self._following: Following | None = None
        self.policies, self.discount = _as_array(policies), float(discount)
        self._dense_up_to, self._avoided = dense_up_to, _numbers_to_avoid(world, avoid)
        if isinstance(policies, Occupancies):
            _check_frs(policies, world, discount, self._avoided)

    def __repr__(self) -> str:
        """Return the kind of world, its number of states and the discount."""
        world = type(self._world).__name__
        return f"Planner({world}, {self._world.num_states} states, discount {self.discount:g})"

    @property
    def world(self) -> World:
        """The world as it is now."""
        return made(self._now)

    @property
    def touched(self) -> int | None:
        """Number of states that the last plan changed; None if it was made afresh."""
        return None if self._following is None else self._following.touched

    @property
    def engine(self) -> str:
        """The engine that plans: "paths", "dense" or "sparse"."""
        return self._engine.name

    @property
    def steps(self) -> Int[np.ndarray, "N S"] | None:
        """The next state of each policy from each state; None if some policy is stochastic."""
        return getattr(self._engine, "steps", None)

    @check_arguments
    def plan(
        self,
        goal: Any,
        *,
        max_switches: NonNegativeInt | None = None,
        refine: NonNegativeInt | None = None,
        tolerance: NonNegativeFloat | None = None,
    ) -> Plan:
        """Return the best plan from every state to a goal.

        Args:
            goal: as for `plan`.
            max_switches: as for `plan`.
            refine: as for `plan`.
            tolerance: as for `plan`.

        Raises:
            InputError: the goal or an option cannot be used; the message says which and why.
        """
        return self._drafted(goal, max_switches=max_switches, refine=refine, tolerance=tolerance)[0]

    def _by(self, goal: Any, deadline: float) -> DeadlinePlan:
        """Return the plan that most probably arrives by a deadline."""
        dynamics = self._dynamics
        if dynamics is None or isinstance(self.policies, Occupancies):
            raise InputError("plan: policies must not be FRs for a deadline, which needs dynamics")
        return DeadlinePlan(dynamics, self._goals(goal), deadline, self._names())

    def _drafted(self, goal: Any, **options: Any) -> tuple[Plan, Draft]:
        """Return the plan, and its arrays on the host, which are in double precision always."""
        request = self._request(self._goals(goal), **options)
        return self._finished(request, self._engine.plan(request))

    def _drafted_each(self, goals: Iterable[int], **options: Any) -> Iterator[tuple[Plan, Draft]]:
        """Return the plans to several goals in turn; in large stochastic worlds two at a time.

        Goals are numbers here: a graph may have other nodes of these names.
        """
        requests = [self._request(self._allowed([goal]), **options) for goal in goals]
        engine = self._engine
        # The first plan makes what all share; only compiled loops leave other threads room.
        alone = 1 if isinstance(engine, SparseEngine) else len(requests)
        pool = ThreadPoolExecutor(PLANNED_AT_ONCE)
        try:
            for request in requests[:alone]:
                yield self._finished(request, engine.plan(request))
            drafts = pool.map(engine.plan, requests[alone:])
            for request, draft in zip(requests[alone:], drafts, strict=True):
                yield self._finished(request, draft)
        finally:
            pool.shutdown(cancel_futures=True)

    def _request(
        self,
        goals: Int[np.ndarray, " G"],
        *,
        max_switches: Any = None,
        refine: Any = None,
        tolerance: Any = None,
    ) -> Request:
        dynamics = self._dynamics
        rounds = _rounds(refine, tolerance, plain=max_switches is not None or dynamics is None)
        if dynamics is None and rounds != 0:
            raise InputError("plan: refine needs the world's dynamics, but only FRs are known")
        if self.discount < 1 and self._engine.name != "paths":
            warn_of_discount("plan", self.discount, np.float64)
        return Request(goals, max_switches, rounds, tolerance)

    def _finished(self, request: Request, draft: Draft) -> tuple[Plan, Draft]:
        goals, dynamics = request.goals, self._dynamics
        arrival = None if dynamics is None else partial(dynamics.arrival, draft, goals)
        passage = None if dynamics is None else partial(dynamics.passage, draft, goals)
        origin = Origin(arrival, self._now, self.policies, passage)
        return plan_of(draft, goals, self._engine.name, self._names, origin), draft

    def change(
        self, *, close: Any = (), open: Any = (), edges: Any = None, probabilities: Any = None
    ) -> None:
        """Change the world; plans made from now on are plans in the changed one.

        All edits are checked before any is made. States keep their numbers, and plans that exist
        already stay as they are. The next `plan` to one of the last `limits.KEPT_GOALS` goals only
        computes what the edits touch, if world and policies are deterministic and switches are not
        limited: it equals a plan made afresh. So does the next plan with a `tolerance` to the last
        goal in a large noisy maze, with bounds as near. All other plans are made afresh.

        >>> from first_occupancy.environments import maze
        >>> planner = Planner(maze(["....", ".##.", "...."]), discount=0.9)
        >>> planner.plan((2, 3)).expected_time[0].item()
        5.0
        >>> planner.change(close=(0, 2))
        >>> planner.plan((0, 3)).expected_time[0].item()
        7.0

        Args:
            close: state, or list or set of states, that no move enters or leaves from now on; moves
                into it stay in place.
            open: states closed earlier, here or by `Maze.with_walls`, that are open again.
            edges: in a graph, the time of edges to add or change, None to remove them:
                `{("a", "b"): 2.0, ("b", "c"): None}`. A removed edge leaves its rank free, for the
                next one added at its node.
            probabilities: in an MDP, new outcomes: `{(state, action): {next_state: 0.8, ...}}`.

        Raises:
            InputError: an edit cannot be made; the message says which and why, and nothing has
                changed.
        """
        if isinstance(self.policies, Occupancies):
            raise InputError("change: policies must be actions or probabilities, got their FRs")
        from first_occupancy.planning._changes.following import Following  # imports Numba

        following = self._following or Following(self._world, self.policies, self._avoided)
        following.change(close=close, open=open, edges=edges, probabilities=probabilities)
        self._following = following
        self._now = self._following.later
        for name in ("_engine", "_dynamics"):
            vars(self).pop(name, None)

    @cached_property
    def _engine(self) -> Engine:
        dynamics, following = self._dynamics, self._following
        if isinstance(self.policies, Occupancies):
            return DenseEngine(dynamics, best_legs(self.policies))
        assert dynamics is not None
        dense = self._world.num_states <= self._dense_up_to
        if following is not None and (engine := following.engine(dynamics, dense)):
            return engine
        if (steps := certain_steps(dynamics)) is not None:
            return PathEngine(dynamics, steps)
        return DenseEngine(dynamics) if dense else SparseEngine(dynamics)

    @cached_property
    def _dynamics(self) -> Dynamics | None:
        policies = self.policies
        if isinstance(policies, Occupancies):
            # A world that is known by chains cannot tell where other policies lead.
            if policies.policies is None or isinstance(self._world, KnownByChains):
                return None
            policies = policies.policies
        return Dynamics(self._now, policies, self.discount, self._avoided)

    def _goals(self, goal: Any) -> Int[np.ndarray, " G"]:
        several = isinstance(goal, list | set | frozenset) or (
            isinstance(goal, np.ndarray) and goal.ndim == 1
        )
        goals = _numbers(self._world, goal if several else (goal,), "goal")
        if not len(goals):
            raise InputError("plan: goal must be a state or several states, got none")
        return self._allowed(goals)

    def _allowed(self, goals: list[int]) -> Int[np.ndarray, " G"]:
        """Return the numbers of goals, none of which is avoided or closed."""
        if len(self._avoided) and (shared := {*self._avoided.tolist()}.intersection(goals)):
            raise InputError(f"plan: goal must not be a state to avoid, got {min(shared)}")
        if self._following is not None and (shut := self._following.closed.intersection(goals)):
            raise InputError(f"plan: goal must be open, but state {min(shut)} has been closed")
        return np.array(goals)

    def _names(self) -> tuple[Names | None, Names | None]:
        """Return the names of the states and of the base policies, checked once."""
        if isinstance(self.policies, Occupancies):
            return self.policies.state_names, self.policies.policy_names
        states, policies = self._world.labels(self.policies)
        size = self._world.num_states
        return checked_names("plan", "states", states, size), checked_names(
            "plan", "policies", policies, None
        )


def _refuse(where: str, **options: Any) -> None:
    """Raise if an option is set that some plans do not have."""
    for name, value in options.items():
        if value is not None and value != ():
            raise InputError(f"plan: {name} must be left out {where}")


def _as_array(policies: Policies | Occupancies) -> Any:
    try:
        return np.asarray(policies) if isinstance(policies, list | tuple) else policies
    except ValueError:
        raise InputError("plan: policies must be an array, got rows of several lengths") from None


def _numbers_to_avoid(world: World, avoid: Any) -> Int[np.ndarray, " V"]:
    if isinstance(avoid, str) or not np.iterable(avoid):
        raise InputError(f"plan: avoid must be a list of states, got {as_given(avoid)}")
    return np.array(_numbers(world, avoid, "a state to avoid"), int)


def _numbers(world: World, states: Iterable[Any], what: str) -> list[int]:
    """Return the numbers of some states in ascending order, each once."""
    return sorted({number_in(world, state, caller="plan", what=what) for state in states})


def _rounds(refine: int | None, tolerance: float | None, *, plain: bool) -> int | None:
    """Return how many rounds of improvement are allowed; None for any number."""
    if tolerance is None:
        return 0 if refine is None and plain else refine
    return None if refine == 0 else refine


def _check_frs(
    frs: Occupancies, world: World, discount: float, avoided: Int[np.ndarray, " V"]
) -> None:
    if frs.discount != discount:
        raise InputError(f"plan: discount must be that of the FRs, {frs.discount}, got {discount}")
    if frs.values.shape[-1] != world.num_states:
        raise InputError(
            f"plan: FRs must be over the world's {world.num_states} states, got "
            f"{frs.values.shape[-1]}"
        )
    if len(avoided):
        raise InputError("plan: avoid needs policies, not FRs, which may enter any state")
