"""Plans in a few words, as a terminal shows them."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool

from first_occupancy.core.display import LARGEST_READ, count, numbered_names, span
from first_occupancy.core.errors import shown
from first_occupancy.core.names import Names
from first_occupancy.representations.arrival import CERTAIN

if TYPE_CHECKING:
    from first_occupancy.planning.plans import Plan, PlansOnHost


def summary_of_plan(plan: "Plan") -> str | None:
    """Return the goal, from where it is reached, and how soon; None for stacks of plans."""
    if plan.goal.ndim > 1 or plan.policy.ndim != plan.goal.ndim + 1:
        return None
    engine = f" (engine: {plan.engine})" if plan.engine else ""
    if plan.goal.ndim == 1:
        return summary_of_many(plan, plan.state_names, engine)
    goal, logs = int(plan.goal), np.asarray(plan.log_promised)
    others = np.isfinite(logs) & (np.arange(len(logs)) != goal)
    discounts = np.asarray(plan.expected_discount)[others]
    is_known = "" if plan.known == "exact" else f" ({plan.known})"
    lines = [
        f"Plan to {shown(goal, plan.state_names)}{engine}",
        f"reached from {others.sum():,} of {count(len(logs) - 1, 'other state')}",
        f"expected discount {span(discounts)}{is_known}",
    ]
    if plan.exceeds_promise:
        lines.append(f"promised by the legs {span(np.exp(logs[others]))}")
    return "\n  ".join(lines + _arrival_lines(plan, others) + _start_lines(plan, goal))


def _arrival_lines(plan: "Plan", others: Bool[np.ndarray, " S"]) -> list[str]:
    """Return how surely and how soon the plan arrives, unless that takes long to compute."""
    if not plan.arrives_at_once or plan.probability is None or plan.expected_time is None:
        return []
    probability = np.asarray(plan.probability)[others]
    time = span(np.asarray(plan.expected_time)[others])
    if (probability > 1 - CERTAIN).all():
        return [f"expected time {time}"]
    return [
        f"arrives with probability {span(probability)}",
        f"expected time, given arrival, {time}",
    ]


def _start_lines(plan: "Plan", goal: int) -> list[str]:
    """Return how surely and when the plan arrives from where the world starts, if it says where."""
    start = None if plan.origin is None else getattr(plan.origin.world, "start", None)
    if not isinstance(start, int | np.integer) or start == goal or not plan.arrives_at_once:
        return []
    return [repr(plan.arrival(int(start))).replace("Arrival from", "from the start", 1)]


def summary_of_many(plans: "Plan | PlansOnHost", names: Names | None, engine: str = "") -> str:
    """Return how many plans there are and to which goals; plans on disk are not read."""
    goals, size, kind = np.asarray(plans.goal), plans.policy.shape[-1], type(plans).__name__
    lines = [
        f"{kind} to {count(len(goals), 'goal')} over {count(size, 'state')}{engine}",
        f"goals: {numbered_names(goals, names)}",
    ]
    if kind == "Plan" and plans.policy.size <= LARGEST_READ:
        reached = np.isfinite(np.asarray(plans.log_promised)).mean()
        lines.append(f"reached: {reached:.1%} of all pairs of goal and state")
    return "\n  ".join(lines)
