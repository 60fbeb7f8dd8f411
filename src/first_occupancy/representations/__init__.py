"""What a policy will reach, cached: once (FR), every time (SR), or with diminishing worth.

`first_occupancy`, `successor` and `lambda_occupancy` have the same verbs: `initial`,
`solve`, `backup`, `td_step` and `td_learn`; `state_action` has them for state-action
pairs. `logs` learns any of them from logged transitions, and `occupancies` keeps them
together with what they are of. `value` turns any of them into
the worth of a reward vector. `paths` walks deterministic chains of any size, and
`updates` follows a changed wall without a new solve. `features` carries FR and SR to
continuous worlds, over any of the `feature_maps`; `feature_learning` learns for many policies at
once, `feature_networks` (imported by itself, since it loads optax) with networks.
"""

from first_occupancy.representations import (
    feature_learning,
    feature_maps,
    features,
    first_occupancy,
    lambda_occupancy,
    logs,
    occupancies,
    paths,
    state_action,
    successor,
    updates,
)
from first_occupancy.representations.recursion import Representation
from first_occupancy.representations.values import value

__all__ = [
    "Representation",
    "feature_learning",
    "feature_maps",
    "features",
    "first_occupancy",
    "lambda_occupancy",
    "logs",
    "occupancies",
    "paths",
    "state_action",
    "successor",
    "updates",
    "value",
]
