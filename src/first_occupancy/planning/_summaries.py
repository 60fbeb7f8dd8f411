"""Plans in a few words, as a terminal shows them."""

from typing import TYPE_CHECKING

import numpy as np

from first_occupancy.core.display import LARGEST_READ, count, numbered_names, span
from first_occupancy.core.errors import shown
from first_occupancy.core.names import Names

if TYPE_CHECKING:
    from first_occupancy.planning.plans import Plan, PlansOnHost


def summary_of_plan(plan: "Plan") -> str | None:
    """Return the goal, from where it is reached, and how soon; None for stacks of plans."""
    if plan.goal.ndim > 1 or plan.policy.ndim != plan.goal.ndim + 1:
        return None
    engine = f" (engine: {plan.engine})" if plan.engine else ""
    if plan.goal.ndim == 1:
        return summary_of_many(plan, plan.state_names, engine)
    goal, promised = int(plan.goal), np.asarray(plan.log_discount)
    others = np.isfinite(promised) & (np.arange(len(promised)) != goal)
    discounts = np.exp(promised[others])
    lines = [
        f"Plan to {shown(goal, plan.state_names)}{engine}",
        f"reached from {others.sum():,} of {count(len(promised) - 1, 'other state')}",
        f"promised discount {span(discounts)}",
    ]
    if plan.followed is not None:
        followed = np.asarray(plan.followed)[others]
        same = np.allclose(followed, discounts, rtol=1e-4, atol=1e-30)
        lines.append(f"followed discount {'as promised' if same else span(followed)}")
    return "\n  ".join(lines)


def summary_of_many(plans: "Plan | PlansOnHost", names: Names | None, engine: str = "") -> str:
    """Return how many plans there are and to which goals; plans on disk are not read."""
    goals, size, kind = np.asarray(plans.goal), plans.policy.shape[-1], type(plans).__name__
    lines = [
        f"{kind} to {count(len(goals), 'goal')} over {count(size, 'state')}{engine}",
        f"goals: {numbered_names(goals, names)}",
    ]
    if kind == "Plan" and plans.policy.size <= LARGEST_READ:
        reached = np.isfinite(np.asarray(plans.log_discount)).mean()
        lines.append(f"reached: {reached:.1%} of all pairs of goal and state")
    return "\n  ".join(lines)
