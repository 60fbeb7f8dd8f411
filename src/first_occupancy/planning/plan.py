"""Plan in a world: the front of FR-planning, which chooses the engine.

    plan = fo.plan(fo.four_rooms(), (1, 9), discount=0.95)

If the world and its base policies are deterministic, the plan is a shortest path cut into legs,
found without any S x S array (`paths`). Otherwise the exact FRs of the base policies are chained
(`frp`). To plan to many goals in one world, make a `Planner` once.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.errors import InputError, check_discount
from first_occupancy.core.world import KnownByChains, Policies, World
from first_occupancy.planning._dense.folding import Folded, fold
from first_occupancy.planning.evaluation import expected_discount
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.paths import PathGraph, plan_paths, prepare
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import Occupancies, first_occupancy
from first_occupancy.representations.deterministic import column

PATHS, DENSE = "paths", "dense"


def plan(
    world: World,
    goal: Any,
    *,
    policies: Policies | Occupancies = None,
    discount: float,
    max_switches: int | None = None,
) -> Plan:
    r"""Plan from every state of a world to one goal by chaining base policies (Alg. 1).

    Solves $\Gamma(s) = \max_{\pi, x} F^\pi(s, x)\, \Gamma(x)$ with $\Gamma(g) = 1$.

    >>> from first_occupancy.environments import maze
    >>> found = plan(maze(["S.#", "..G"]), (1, 2), discount=0.5)
    >>> found.engine, [round(float(each), 3) for each in found.discount]
    ('paths', [0.125, 0.25, 0.25, 0.5, 1.0])

    Args:
        world: a maze, an MDP, skills, chains counted from a log, or anything else that fulfils
            `World`.
        goal: state to reach: a number, a name, or in a maze a cell (row, column).
        policies: base policies: the action that each takes in each state [N S], action
            probabilities [N S A], or FRs that are known already (`Occupancies`). None takes the
            world's own policies, in mazes and MDPs one for each action.
        discount: discount factor per step, from 0 to 1 (exclusive); that of the FRs if given.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            plans until convergence.

    Returns:
        The plan. Its `discount` is the expected discount that FRP promises, `followed` that of
        following the plan, and `engine` the planner that made it.
    """
    planner = Planner(world, policies=policies, discount=discount)
    return planner.plan(goal, max_switches=max_switches)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Prepared:
    """The data that an engine keeps between goals."""

    engine: str
    table: PathGraph | Folded
    chains: Float[Array, "N S S"] | None


class Planner:
    """A world and its base policies, prepared once for planning to many goals.

    Args:
        world: a maze, an MDP, or anything else that fulfils `World`.
        policies: base policies, in any form that `plan` accepts.
        discount: discount factor per step, from 0 to 1 (exclusive); that of the FRs if given.

    Raises:
        InputError: if `world` is no world, or `discount` is out of range or not that of the FRs.
    """

    def __init__(
        self, world: World, *, policies: Policies | Occupancies = None, discount: float
    ) -> None:
        if not isinstance(world, World):
            raise InputError(
                f"plan: world must be a maze, an MDP or another World, got {type(world).__name__}"
            )
        check_discount("plan", discount)
        if isinstance(policies, Occupancies) and policies.discount != discount:
            raise InputError(
                f"plan: discount must be that of the FRs, {policies.discount}, got {discount}"
            )
        self.world, self.policies, self.discount = world, policies, float(discount)

    @property
    def engine(self) -> str:
        """The planner that is used: "paths" or "dense"."""
        return self._prepared.engine

    def plan(self, goal: Any, *, max_switches: int | None = None) -> Plan:
        """Return the best plan from every state to one goal.

        Args:
            goal: state to reach: a number, a name, or in a maze a cell (row, column).
            max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
                plans until convergence.
        """
        state = self.world.state_number(goal)
        engine, table = self._prepared.engine, self._prepared.table
        if isinstance(table, PathGraph):
            made = plan_paths(table, state, discount=self.discount, max_switches=max_switches)
            # A converged deterministic plan attains the discount that it promises.
            followed = made.discount if max_switches is None else self._followed(made)
        else:
            made = plan_to_goal(table, state, max_switches=max_switches)
            followed = self._followed(made)
        states, policies = self._labels
        named = made.named(states=states, policies=policies)
        return replace(named, followed=followed, engine=engine)

    @cached_property
    def _labels(self) -> tuple[Any, Any]:
        if isinstance(self.policies, Occupancies):
            return self.policies.state_names, self.policies.policy_names
        return self.world.labels(self.policies)

    @cached_property
    def _prepared(self) -> _Prepared:
        """The prepared engine; no other code chooses one."""
        if isinstance(self.policies, Occupancies):
            return self._from_frs(self.policies)
        steps = self.world.steps(self.policies)
        if steps is not None:
            return _Prepared(engine=PATHS, table=prepare(steps), chains=None)
        chains = self.world.policy_chains(self.policies)
        frs = first_occupancy.solve(chains, discount=self.discount)
        return _Prepared(engine=DENSE, table=fold(frs), chains=chains)

    def _from_frs(self, frs: Occupancies) -> _Prepared:
        if frs.values.shape[-1] != self.world.num_states:
            raise InputError(
                f"plan: FRs must be over the world's {self.world.num_states} states, got "
                f"{frs.values.shape[-1]}"
            )
        # A world that is known by its chains has no transitions for other policies.
        known = frs.policies is not None and not isinstance(self.world, KnownByChains)
        chains = self.world.policy_chains(frs.policies) if known else None
        return _Prepared(engine=DENSE, table=fold(frs), chains=chains)

    def _followed(self, made: Plan) -> Float[Array, " S"] | None:
        table, chains = self._prepared.table, self._prepared.chains
        if isinstance(table, PathGraph):
            return _followed_steps(made, table, self.discount)
        return None if chains is None else expected_discount(made, chains, discount=self.discount)


def _followed_steps(made: Plan, graph: PathGraph, discount: float) -> Float[Array, " S"]:
    """Return the discount of following a deterministic plan, re-choosing in every state.

    With a limit on switches, re-choosing may switch more often than the limit and then arrives
    earlier than promised.
    """
    states = np.arange(graph.num_states)
    policy = np.asarray(made.policy)
    ahead = np.where(policy >= 0, graph.by_state[states, policy], states)
    followed = column(ahead.astype(np.int32), int(made.goal), discount=discount)
    return jnp.asarray(followed, made.log_discount.dtype)
