"""Expected discounted visits of a policy: the first (FR), all (SR), or with decaying weights.

`first_occupancy`, `successor` and `LambdaRepresentation(decay)` form one family with the same
methods (`representation.Representation`): `initial`, `solve`, `backup`, `td_step`, `td_learn` and
`td_learn_log`. `state_action` offers all but the last for state-action pairs. `Occupancies` keeps
tables together with their discount, policies and names, and `expected_returns` the value of a
reward vector from a table.

`passages` says how surely and when a chain first reaches some states (`fo.hitting`);
`deterministic` follows deterministic chains of any size; `updates` adapts a solved SR to a changed
wall; `features` extends FR and SR to continuous worlds.
"""

from first_occupancy.representations import deterministic, features, updates
from first_occupancy.representations.fr import FirstOccupancyRepresentation, first_occupancy
from first_occupancy.representations.lambda_representation import LambdaRepresentation
from first_occupancy.representations.occupancies import (
    Occupancies,
    expected_returns,
    occupancies,
)
from first_occupancy.representations.representation import Representation
from first_occupancy.representations.sr import SuccessorRepresentation, successor
from first_occupancy.representations.state_action import StateActionRepresentation

__all__ = [
    "FirstOccupancyRepresentation",
    "LambdaRepresentation",
    "Occupancies",
    "Representation",
    "StateActionRepresentation",
    "SuccessorRepresentation",
    "deterministic",
    "expected_returns",
    "features",
    "first_occupancy",
    "occupancies",
    "successor",
    "updates",
]
