"""From representations and values to what to do: GPI, FR-planning, tours, and baselines."""

from first_occupancy.planning import (
    evaluation,
    frp,
    gpi,
    options,
    plans,
    policy_iteration,
    tours,
    value_iteration,
)

__all__ = [
    "evaluation",
    "frp",
    "gpi",
    "options",
    "plans",
    "policy_iteration",
    "tours",
    "value_iteration",
]
