"""From representations and values to what to do: GPI, FR-planning, tours, and baselines."""

from first_occupancy.planning import (
    evaluation,
    folding,
    frp,
    gpi,
    options,
    paths,
    plan_files,
    plans,
    policy_iteration,
    replanning,
    set_max,
    sharding,
    tours,
    value_iteration,
)

__all__ = [
    "evaluation",
    "folding",
    "frp",
    "gpi",
    "options",
    "paths",
    "plan_files",
    "plans",
    "policy_iteration",
    "replanning",
    "set_max",
    "sharding",
    "tours",
    "value_iteration",
]
