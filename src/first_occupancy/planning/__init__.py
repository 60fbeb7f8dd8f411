"""From representations and values to what to do: GPI, FR-planning, tours, and baselines.

`frp` plans with any FRs, to one goal or to all, and `paths` where worlds and policies are
deterministic; both return `plans`, which `evaluation` holds against the truth, `options` executes
and `plan_files` keeps. `sharding` spreads FRs over many devices, `replanning` plans while the FRs
are being learned, and `tours` orders many goals. `gpi` and `feature_policies` choose among policies
without switching; `dynamic_programming` knows the whole world.
"""

from first_occupancy.planning import (
    dynamic_programming,
    evaluation,
    feature_policies,
    frp,
    gpi,
    options,
    paths,
    plan_files,
    plans,
    replanning,
    sharding,
    tours,
)

__all__ = [
    "dynamic_programming",
    "evaluation",
    "feature_policies",
    "frp",
    "gpi",
    "options",
    "paths",
    "plan_files",
    "plans",
    "replanning",
    "sharding",
    "tours",
]
