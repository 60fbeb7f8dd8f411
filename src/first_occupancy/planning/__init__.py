"""Planning with representations: FR-planning, GPI, tours, and dynamic programming as a baseline.

`frp` plans with any FRs, to one goal or to all; `paths` plans where world and policies are
deterministic. Both return a `Plan` (`plans`). `evaluation` computes the true value of a plan,
`options` executes it, and `plan_files` stores it.
`replanning` plans while the FRs are being learned, `tours` orders many goals, and `collect` rewards
that can be taken once. `gpi` and `feature_policies` choose among policies without switching.
`dynamic_programming` computes the optimum from the full model.
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
    "tours",
]
