"""From a world to a plan: the one front of FR-planning, which chooses the engine.

    plan = fo.plan(fo.four_rooms(), (1, 9), discount=0.95)

- If world and base policies are deterministic, the plan is a shortest path cut into legs, found
  without any S x S array (engine "paths").
- If they are stochastic, the exact FRs of the base policies are chained (engine "dense").
- Stochastic worlds with more than `DENSE_UP_TO` states begin with the luckiest path, without any
  S x S array (engine "sparse").

`refine` then improves the choice of base policies in every state, up to the best there is. To plan
to many goals in one world, make a `Planner` once.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError, warn_of_discount
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.settings import NonNegativeFloat, NonNegativeInt, Share
from first_occupancy.core.world import KnownByChains, Policies, World
from first_occupancy.planning._dense.engine import FRPEngine, chained
from first_occupancy.planning._dense.folding import Folded, fold
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._found import Found, time_given_arrival
from first_occupancy.planning._paths.engine import PathEngine
from first_occupancy.planning._sparse.likely_paths import LikelyPaths
from first_occupancy.planning._sparse.lucky_paths import lucky_choice
from first_occupancy.planning._sparse.refinement import Refined
from first_occupancy.planning._sparse.refinement import refine as improve
from first_occupancy.planning._sparse.sweeps import sweep
from first_occupancy.planning.evaluation import DENSE_UP_TO
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import Occupancies

PATHS, DENSE, SPARSE = "paths", "dense", "sparse"
OFTEN = 100
"""Plans of one planner after which a program is compiled for what is the same in each."""

SETTLED = 1e-3
"""How near to the best choice sweeps lead before values are solved for exactly."""


@check_arguments
def plan(
    world: World,
    goal: Any,
    *,
    policies: Policies | Occupancies = None,
    discount: Share,
    max_switches: NonNegativeInt | None = None,
    refine: NonNegativeInt | None = 0,
    tolerance: NonNegativeFloat | None = None,
    avoid: Any = (),
) -> Plan:
    r"""Plan from every state of a world to a goal by chaining base policies (Alg. 1).

    Solves $\Gamma(s) = \max_{\pi, x} F^\pi(s, x)\, \Gamma(x)$ with $\Gamma(g) = 1$. With a discount
    of 1, $\Gamma$ is the probability of arriving at all: the result is the surest plan, and of
    equally sure plans the soonest.

    >>> from first_occupancy.environments import maze
    >>> found = plan(maze(["S.#", "..G"]), (1, 2), discount=0.5)
    >>> found.engine, [round(float(each), 3) for each in found.discount]
    ('paths', [0.125, 0.25, 0.25, 0.5, 1.0])

    Args:
        world: a maze, an MDP (dense or sparse), a graph, skills, chains counted from a log, or
            anything else that implements `World`.
        goal: state to reach: a number, a name, a cell (row, column) of a maze, or a node of a
            graph. A list or set of them means any of them.
        policies: base policies: the action that each takes in each state [N S], the probabilities
            of actions [N S A], or their FRs (`Occupancies`). None for the world's own policies, in
            mazes and MDPs one per action.
        discount: discount factor per step, or per unit of time where moves have durations; from 0
            to 1.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            plans until convergence.
        refine: rounds of policy improvement over the base policies. 0 is the paper's FRP; None
            improves until no state can.
        tolerance: stop refining as soon as no choice of base policies can gain more than this in
            any state. Without `refine`, it means as many rounds as that takes; in large stochastic
            worlds it is the fastest way to a good plan, whose `followed` is then a lower bound.
        avoid: state, or states, that the plan must not enter. Arriving counts only if none of
            them was entered on the way.

    Returns:
        The plan. `discount` is what FRP promises, `followed` the expected discount of following
        the plan, `cost` the time it takes, and `engine` the planner that was used.

    Raises:
        InputError: the world, goal or an option cannot be used; the message says which and why.
    """
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
            chaining exact FRs; larger ones begin with the luckiest path. None for `DENSE_UP_TO`.
    """

    @check_arguments
    def __init__(
        self,
        world: World,
        *,
        policies: Policies | Occupancies = None,
        discount: Share,
        avoid: Any = (),
        dense_up_to: NonNegativeInt | None = None,
    ) -> None:
        if not isinstance(world, World):
            raise InputError(
                f"plan: world must be a maze, an MDP or another World, got {type(world).__name__}"
            )
        self.world, self.policies, self.discount = world, _as_array(policies), float(discount)
        self._dense_up_to = DENSE_UP_TO if dense_up_to is None else dense_up_to
        self._avoided = _numbers_to_avoid(world, avoid)
        if isinstance(policies, Occupancies):
            _check_frs(policies, world, discount, self._avoided)
        self._num_plans = 0

    @cached_property
    def engine(self) -> str:
        """The planner that is used: "paths", "dense" or "sparse"."""
        if isinstance(self.policies, Occupancies):
            return DENSE
        if self._paths is not None:
            return PATHS
        return DENSE if self.world.num_states <= self._dense_up_to else SPARSE

    @check_arguments
    def plan(
        self,
        goal: Any,
        *,
        max_switches: NonNegativeInt | None = None,
        refine: NonNegativeInt | None = 0,
        tolerance: NonNegativeFloat | None = None,
    ) -> Plan:
        """Return the best plan from every state to a goal.

        Args:
            goal: as for `plan`.
            max_switches: as for `plan`.
            refine: as for `plan`.
            tolerance: as for `plan`.
        """
        goals = self._goals(goal)
        rounds = _rounds(refine, tolerance)
        if self.engine != PATHS and self.discount < 1:
            warn_of_discount("plan", self.discount, np.float64)
        if self.engine == SPARSE:
            found = self._found_without_frs(goals, max_switches, rounds, tolerance)
        else:
            found = self._found(goals, max_switches)
            # A deterministic plan that has converged is the best there is.
            if rounds != 0 and found.gap != 0:
                found = self._refined(found, goals, rounds, tolerance)
        self._num_plans += 1
        often = self._num_plans > OFTEN
        return found.as_plan(goals, self.engine, self._names, often=often)

    def _goals(self, goal: Any) -> Int[np.ndarray, " G"]:
        several = isinstance(goal, list | set | frozenset) or (
            isinstance(goal, np.ndarray) and goal.ndim == 1
        )
        each = list(goal) if several else [goal]
        if not each:
            raise InputError("plan: goal must be a state or several states, got none")
        numbers = sorted({int(self.world.state_number(state)) for state in each})
        shared = [] if not len(self._avoided) else np.intersect1d(numbers, self._avoided)
        if len(shared):
            raise InputError(f"plan: goal must not be a state to avoid, got {shared[0]}")
        return np.array(numbers)

    def _found(self, goals: Int[np.ndarray, " G"], max_switches: NonNegativeInt | None) -> Found:
        if self.engine == PATHS and self._paths is not None:
            return self._paths.plan(goals, max_switches)
        if isinstance(self.policies, Occupancies) and len(goals) == 1:
            cut = chained(self._given_frs, int(goals[0]), max_switches)
        else:
            cut = self._frp.plan(goals, max_switches)
        policy, subgoal, logs = cut
        found = Found(policy=policy, subgoal=subgoal, log_discount=logs)
        return found if self._dynamics is None else self._followed(found, goals)

    def _followed(self, found: Found, goals: Int[np.ndarray, " G"]) -> Found:
        values, times = self._known("plan").followed(found.policy, goals)
        return replace(found, followed=values, cost=time_given_arrival(values, times))

    def _found_without_frs(
        self,
        goals: Int[np.ndarray, " G"],
        max_switches: NonNegativeInt | None,
        rounds: int | None,
        tolerance: float | None,
    ) -> Found:
        if max_switches is not None:
            raise InputError(
                "plan: max_switches must be None in stochastic worlds of more than "
                f"{self._dense_up_to} states, got {max_switches}"
            )
        moves = self._known("plan").moves
        choice, logs = self._first_path(goals, in_haste=tolerance is not None)
        if rounds is None and self.discount < 1:
            enough = SETTLED if tolerance is None else tolerance
            better = sweep(moves, goals, choice, np.exp(logs), tolerance=enough)
            if tolerance is not None and better.gap <= tolerance:
                return self._with_legs(better, logs, goals)
            choice = better.choice
        better = improve(moves, goals, choice, rounds=rounds, tolerance=tolerance)
        return self._with_legs(better, logs, goals)

    def _first_path(
        self, goals: Int[np.ndarray, " G"], *, in_haste: bool
    ) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
        """Return a path to begin with, and the log of what it promises."""
        if in_haste and len(goals) == 1 and self._known("plan").durations is None:
            found = self._likely.shortest(int(goals[0]))
            if found is not None:
                return found
        return lucky_choice(self._known("plan").jumps, goals)

    def _with_legs(
        self, better: Refined, logs: Float[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> Found:
        legs = self._likely.legs(better.choice, goals)
        found = Found(policy=better.choice, subgoal=legs, log_discount=logs)
        return found.refined(better, legs)

    def _refined(
        self,
        found: Found,
        goals: Int[np.ndarray, " G"],
        rounds: int | None,
        tolerance: float | None,
    ) -> Found:
        moves = self._known("refine").moves
        better = improve(moves, goals, found.policy, rounds=rounds, tolerance=tolerance)
        return found.refined(better, self._likely.legs(better.choice, goals))

    @cached_property
    def _likely(self) -> LikelyPaths:
        return LikelyPaths(self._known("plan").jumps)

    def _known(self, what: str) -> Dynamics:
        if self._dynamics is None:
            raise InputError(f"plan: {what} needs the world's dynamics, but only FRs are known")
        return self._dynamics

    @cached_property
    def _names(self) -> tuple[Names | None, Names | None]:
        """The names of the states and of the base policies, checked once."""
        if isinstance(self.policies, Occupancies):
            return self.policies.state_names, self.policies.policy_names
        states, policies = self.world.labels(self.policies)
        size = self.world.num_states
        return checked_names("plan", "states", states, size), checked_names(
            "plan", "policies", policies, None
        )

    @cached_property
    def _dynamics(self) -> Dynamics | None:
        policies = self.policies
        if isinstance(policies, Occupancies):
            # A world that is known by chains cannot tell where other policies lead.
            if policies.policies is None or isinstance(self.world, KnownByChains):
                return None
            policies = policies.policies
        return Dynamics(self.world, policies, self.discount, self._avoided)

    @cached_property
    def _paths(self) -> PathEngine | None:
        """The engine of deterministic policies; None if some are stochastic."""
        dynamics = self._known("plan")
        steps = dynamics.steps()
        return None if steps is None else PathEngine(steps, dynamics.step_times(), self.discount)

    @cached_property
    def _frp(self) -> FRPEngine:
        return FRPEngine(self._known("plan"))

    @cached_property
    def _given_frs(self) -> Folded:
        return fold(self.policies)


def _as_array(policies: Policies | Occupancies) -> Any:
    try:
        return np.asarray(policies) if isinstance(policies, list | tuple) else policies
    except ValueError:
        raise InputError("plan: policies must be an array, got rows of several lengths") from None


def _numbers_to_avoid(world: World, avoid: Any) -> Int[np.ndarray, " V"]:
    try:
        states = [avoid] if isinstance(avoid, str) else list(avoid)
    except TypeError:
        states = [avoid]
    try:
        return np.unique([world.state_number(state) for state in states]).astype(int)
    except InputError as error:
        # Worlds say "goal" of any state that they do not have.
        raise InputError(str(error).replace("plan: goal", "plan: a state to avoid", 1)) from None


def _rounds(refine: int | None, tolerance: float | None) -> int | None:
    """Return how many rounds of refinement are allowed; None for any number."""
    return None if tolerance is not None and refine == 0 else refine


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
