"""From representations and values to what to do: GPI, FR-planning, tours, and baselines.

`frp` plans with any FRs, to one goal or to all, and `paths` where nothing is left to chance; both
return `plans`, which `evaluation` holds against the truth, `options` executes and `plan_files`
keeps. `folding` and `sharding` prepare FRs for many plans or many devices, `replanning` plans while
the FRs are being learned, and `tours` orders many goals. `gpi` and `set_max` choose among policies
without switching; `value_iteration` and `policy_iteration` know the whole world.
"""

from first_occupancy.planning import (
    evaluation,
    folding,
    frp,
    goals,
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
    "goals",
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
