r"""Bounds on the discount that an agent gets.

*Below*: agents follow the plan in worlds that believe half of the recorded episodes each
(`_success`), and in which a movement counts only where a recorded step crosses, there or back: one
that begins within 0.45 typical steps of where it begins, and ends as near to where it ends
(`crossed`). Else they move as the most similar recorded step did that begins as near, or not at
all. So no way leads through a wall that is a typical step thick and that no recorded step crosses,
whether or not the log shows the wall. What lets agents pass one way only is not known for it.
With T the time that each agent takes, and an `ALLOWANCE` for agents that lose time,

$$L = \Big(\frac1n \sum_i \gamma^{c\, T_i} - 3\, \frac{\hat\sigma}{\sqrt n}\Big)^+ .$$

*Above*: $U_i = \gamma \max_j U_j$ takes, from the region of each landmark, one step into any that
the log shows to follow it, or that borders on it; jumps count with their chances.

The lower bound is about the agent, and as good as the sample of worlds; the upper one is about any
agent, and as good as the log's regions are.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.sparse import csr_array, diags_array
from scipy.spatial import KDTree

from first_occupancy.continuous._metrics import Observation
from first_occupancy.continuous._success import simulated
from first_occupancy.continuous.landmark_worlds import LandmarkWorld

if TYPE_CHECKING:
    from first_occupancy.continuous.goal_plans import LandmarkPlan

ROLLOUTS, MAX_STEPS = 30, 1000
"""Worlds that a lower bound is computed in, and the steps after which agents have failed."""

ALLOWANCE = 1.5
"""How much longer than in these worlds an agent may take, for the lower bound."""

SWEEPS = 2000
"""Largest number of sweeps; values settle much sooner."""


class Bounds(NamedTuple):
    """Bounds on the expected discount at the goal.

    Attributes:
        low: lower bound.
        high: upper bound.
    """

    low: float
    high: float


def bounds(plan: "LandmarkPlan", observation: Observation, *, seed: int = 0) -> Bounds:
    """Return bounds on the expected discount of reaching the plan's goal from an observation."""
    seen = np.asarray(observation, np.float64)
    place = plan.world.scaled(seen[None])
    if plan.arrived(seen):
        return Bounds(1.0, 1.0)
    starts = np.repeat(seen[None], ROLLOUTS, axis=0)
    times = simulated(plan, starts, MAX_STEPS, seed, crossing=True)
    gains = np.where(times < np.inf, plan.discount ** np.minimum(ALLOWANCE * times, 1e9), 0.0)
    low = max(0.0, float(gains.mean() - 3 * gains.std() / np.sqrt(ROLLOUTS)))
    high = float(best_values(plan)[plan.world.regions(place)[0]])
    return Bounds(low, max(low, min(high, 1.0)))


def best_values(plan: "LandmarkPlan") -> Float[np.ndarray, " S"]:
    """Return the upper bound of every region."""
    world = plan.world
    regions, follows, jumps = _flow(world)
    recorded = plan.arrived_at(world.model.metric.observations(world.model.places))
    arrived = np.bincount(regions, recorded, minlength=world.num_states) > 0
    arrived |= _reached(plan)
    values = arrived.astype(float)
    for _ in range(SWEEPS):
        ahead = csr_array((values[follows.indices], follows.indices, follows.indptr), follows.shape)
        new = ahead.max(axis=1).toarray().ravel()
        new = np.where(world.jumping, jumps @ values, new) * plan.discount
        new = np.where(arrived, 1.0, np.maximum(new, values))
        if (new - values).max() <= 1e-9:
            break
        values = new
    return values


def _reached(plan: "LandmarkPlan") -> Bool[np.ndarray, " S"]:
    """Return the regions of the goal itself, and of ways that enter a region of goals."""
    world, found = plan.world, plan.arrived_at(plan.world.landmarks)
    goal = getattr(plan, "goal", None)
    if goal is not None:
        found[world.regions(world.place(goal)[None])] = True
        return found
    ways, _ = world.landmark_ways
    later = world.model.metric.observations(ways.reshape(-1, ways.shape[-1]))
    return found | plan.arrived_at(later).reshape(world.num_states, -1).any(axis=1)


@lru_cache(maxsize=4)
def _flow(world: LandmarkWorld) -> tuple[np.ndarray, csr_array, csr_array]:
    """Return the region of each recorded step, which regions follow which, and where jumps lead."""
    model, size = world.model, world.num_states
    regions, ahead = world.regions(model.places), world.regions(model.arrivals)
    counts = csr_array((np.ones(len(ahead)), (regions, ahead)), shape=(size, size))
    total = np.maximum(counts.sum(axis=1), 1)
    jumps = csr_array(diags_array(world.jumping / total) @ counts)
    jumps.eliminate_zeros()
    # An agent may also step between neighbours where the log happens not to.
    points = KDTree(world.points)
    border = points.sparse_distance_matrix(points, 2 * world.spacing, output_type="coo_matrix")
    return regions, csr_array(counts + csr_array(border)), jumps
