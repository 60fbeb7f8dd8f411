"""What a policy will reach, cached: once (FR), every time (SR), or with diminishing weight.

`first_occupancy`, `successor` and `LambdaRepresentation(decay)` are one family and have the same
verbs (`representation.Representation`): `initial`, `solve`, `backup`, `td_step`, `td_learn`, and
`td_learn_log`; their `state_action` has them for state-action pairs. `Occupancies` keeps tables
together with what they are of, and `value` turns a table into the value of a reward vector.

`deterministic` follows deterministic chains of any size, `updates` changes a solved SR when a wall
changes, and `features` carries FR and SR to continuous worlds.
"""

from first_occupancy.representations import deterministic, features, updates
from first_occupancy.representations.fr import FirstOccupancyRepresentation, first_occupancy
from first_occupancy.representations.lambda_representation import LambdaRepresentation
from first_occupancy.representations.occupancies import Occupancies, occupancies
from first_occupancy.representations.representation import Representation
from first_occupancy.representations.sr import SuccessorRepresentation, successor
from first_occupancy.representations.state_action import StateActionRepresentation
from first_occupancy.representations.values import value

__all__ = [
    "FirstOccupancyRepresentation",
    "LambdaRepresentation",
    "Occupancies",
    "Representation",
    "StateActionRepresentation",
    "SuccessorRepresentation",
    "deterministic",
    "features",
    "first_occupancy",
    "occupancies",
    "successor",
    "updates",
    "value",
]
