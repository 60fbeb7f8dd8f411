"""What a policy will reach, cached: once (FR), every time (SR), or with diminishing worth.

`first_occupancy`, `successor` and `lambda_occupancy` have the same verbs: `initial`,
`solve`, `backup`, `td_step` and `td_learn`; `state_action` has them for state-action
pairs. `logs` learns any of them from logged transitions. `value` turns any of them into
the worth of a reward vector.
"""

from first_occupancy.representations import (
    first_occupancy,
    lambda_occupancy,
    logs,
    state_action,
    successor,
)
from first_occupancy.representations.recursion import Representation
from first_occupancy.representations.values import value

__all__ = [
    "Representation",
    "first_occupancy",
    "lambda_occupancy",
    "logs",
    "state_action",
    "successor",
    "value",
]
