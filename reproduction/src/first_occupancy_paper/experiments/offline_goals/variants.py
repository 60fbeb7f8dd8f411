"""The method and its ablations: what each changes in the world of landmarks or in the plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, vstack
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import spsolve

from first_occupancy.continuous.goal_plans import GoalPlan, plan_to_observation
from first_occupancy.continuous.landmark_worlds import LandmarkWorld, landmark_world
from first_occupancy.planning.plan import Planner
from first_occupancy.representations import successor
from first_occupancy_paper.experiments.offline_goals.mined_skills import mined_skill_world

SETTING = {"stride": 4.0, "at_most": 5000}
"""Options of all worlds of landmarks, except where a variant has its own."""

SOON = 0.998
"""Discount per step of the variants that plan for arriving soon."""

SURE = 0.99999
"""Discount per step of value iteration that plans for arriving at all."""

OUTCOME = 0.05
"""Outcomes less likely than this do not count as lucky ones."""

SWEEPS, SETTLED = 5000, 1e-9
"""Most sweeps of value iteration, and the change at which it has converged."""

SR_SWITCHES = 8
"""Switches of plans by products of SRs, which would grow without bound."""


@dataclass(frozen=True)
class Variant:
    """A method under a name.

    Attributes:
        name: name in rows and ledger.
        discount: discount factor per step of the plan; 1 for the surest.
        of_world: options of `make` that differ from `SETTING`.
        make: function from a log to a world of landmarks.
        values: values of landmarks by which the agent acts instead of the plan's, from the plan.
        refine: rounds of refinement; None until no landmark improves.
        chained: whether FRs of the prototype actions are chained (FRP) before any refinement.
    """

    name: str
    discount: float = 1.0
    of_world: Mapping[str, Any] = field(default_factory=dict)
    make: Callable[..., LandmarkWorld] = landmark_world
    values: Callable[[GoalPlan], Float[np.ndarray, " S"]] | None = None
    refine: int | None = None
    chained: bool = False


def plan_of(variant: Variant, world: LandmarkWorld, goal: Float[np.ndarray, " O"]) -> GoalPlan:
    """Return the plan of a variant.

    Args:
        variant: method or ablation.
        world: world of landmarks.
        goal: observation to reach.
    """
    if variant.chained:
        planner = frp_planner(world, variant.discount)
    else:
        planner = world.planner(variant.discount, frs=False)
    plan = plan_to_observation(world, goal, refine=variant.refine, planner=planner)
    return plan if variant.values is None else replace(plan, values=variant.values(plan))


def frp_planner(world: LandmarkWorld, discount: float) -> Planner:
    """Return the planner that chains exact FRs, whatever the number of landmarks."""
    return Planner(world.mdp, discount=discount, dense_up_to=world.num_states)


def luckiest_values(plan: GoalPlan) -> Float[np.ndarray, " S"]:
    """Return values that take the best outcome of each move for sure, as a quasi-metric does."""
    mdp, size = plan.world.mdp, plan.world.num_states
    durations, speeds = np.asarray(mdp.durations), csr_array((size, size))
    for number, chain in enumerate(mdp.action_chains):
        moves = chain.tocoo()
        kept = moves.data >= OUTCOME
        times = durations[moves.row[kept], number]
        own = csr_array((1 / times, (moves.row[kept], moves.col[kept])), shape=chain.shape)
        speeds = csr_array(speeds.maximum(own))
    speeds.data = 1 / speeds.data
    times = dijkstra(csr_array(speeds.T), indices=plan.goal_landmarks, min_only=True)
    return plan.acting_discount**times


def sr_values(plan: GoalPlan) -> Float[np.ndarray, " S"]:
    """Return values by chaining SRs instead of FRs: expected visits, which do not multiply."""
    mdp = plan.world.mdp
    chains = jnp.asarray(np.stack([chain.toarray() for chain in mdp.action_chains]))
    step = plan.discount ** float(np.median(np.asarray(mdp.durations)))
    visits = np.asarray(successor.solve(chains, discount=step)).max(axis=0)
    with np.errstate(divide="ignore"):
        logs = np.log(visits)
    values = np.full(len(logs), -np.inf)
    values[plan.goal_landmarks] = 0
    for _ in range(SR_SWITCHES):
        values = np.maximum(values, (logs + values[None]).max(axis=1))
    return np.exp(values - values.max())


def set_max_fr_values(plan: GoalPlan) -> Float[np.ndarray, " S"]:
    """Return the best expected discount of holding one action for ever, as set-max with FRs."""
    return _held(plan, ends=True)


def set_max_sr_values(plan: GoalPlan) -> Float[np.ndarray, " S"]:
    """Return the most visits to the goal by holding one action for ever, as set-max with SRs."""
    visits = _held(plan, ends=False)
    return visits / visits.max()


def value_iteration_values(plan: GoalPlan) -> Float[np.ndarray, " S"]:
    """Return the values of plain value iteration over the landmarks, without FRs."""
    chains, arrived = csr_array(vstack(_discounted(plan))), _arrived(plan)
    values = arrived.astype(float)
    for _ in range(SWEEPS):
        ahead = (chains @ values).reshape(-1, len(values))
        new = np.where(arrived, 1.0, ahead.max(axis=0))
        change, values = np.abs(new - values).max(), new
        if change <= SETTLED:
            break
    return values


def _arrived(plan: GoalPlan) -> Bool[np.ndarray, " S"]:
    return np.isin(np.arange(plan.world.num_states), plan.goal_landmarks)


def _discounted(plan: GoalPlan) -> list[csr_array]:
    """Return the transition matrices, each row discounted by how long its move takes."""
    mdp = plan.world.mdp
    waited = plan.acting_discount ** np.asarray(mdp.durations)
    return [
        csr_array(diags_array(each) @ chain)
        for each, chain in zip(waited.T, mdp.action_chains, strict=True)
    ]


def _held(plan: GoalPlan, *, ends: bool) -> Float[np.ndarray, " S"]:
    """Return first arrivals at the goal if episodes end there, else all visits, discounted.

    Of all actions that may be held for ever, the best one counts.
    """
    arrived = _arrived(plan)
    going = diags_array(np.where(arrived & ends, 0.0, 1.0))
    return np.max(
        [
            spsolve(csc_array(eye_array(len(arrived)) - going @ chain), arrived.astype(float))
            for chain in _discounted(plan)
        ],
        axis=0,
    )


WHOLE = Variant("surest")
SOONEST = Variant("soonest", discount=SOON)
ABLATIONS = (
    SOONEST,
    Variant("without pessimism", of_world={"confidence": 0.0}),
    Variant("without displacements", of_world={"displaced": False}),
    Variant("luckiest instead of expected", discount=SOON, values=luckiest_values, refine=0),
    Variant("SR products", discount=SOON, values=sr_values, refine=0),
    Variant("FRP, not refined", discount=SOON, refine=0, chained=True),
    Variant("mined skills instead of displacements", make=mined_skill_world),
)
PEERS = (
    Variant("set-max of FRs", discount=SOON, values=set_max_fr_values, refine=0),
    Variant("set-max of SRs", discount=SOON, values=set_max_sr_values, refine=0),
    Variant("value iteration", discount=SOON, values=value_iteration_values, refine=0),
    Variant("value iteration, surest", discount=SURE, values=value_iteration_values, refine=0),
)
"""Other ways to value the same landmarks."""

VARIANTS = {each.name: each for each in (WHOLE, *ABLATIONS, *PEERS)}
