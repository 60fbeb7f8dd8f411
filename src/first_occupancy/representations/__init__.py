"""What a policy will reach, cached: once (FR), every time (SR), or with diminishing worth.

`first_occupancy`, `successor` and `lambda_occupancy` have the same verbs: `initial`,
`solve`, `backup`, `td_step` and `td_learn`; `state_action` has them for state-action
pairs. `log_learning` learns any of them from logged transitions, and `occupancies` keeps them
together with what they are of. `value` turns any of them into
the worth of a reward vector. `deterministic` walks deterministic chains of any size, and
`updates` follows a changed wall without a new solve. `features` carries FR and SR to
continuous worlds.
"""

from first_occupancy.representations import (
    deterministic,
    features,
    first_occupancy,
    lambda_occupancy,
    log_learning,
    occupancies,
    state_action,
    successor,
    updates,
)
from first_occupancy.representations.representation import Representation
from first_occupancy.representations.values import value

__all__ = [
    "Representation",
    "deterministic",
    "features",
    "first_occupancy",
    "lambda_occupancy",
    "log_learning",
    "occupancies",
    "state_action",
    "successor",
    "updates",
    "value",
]
