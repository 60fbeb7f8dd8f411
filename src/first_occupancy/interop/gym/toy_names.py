"""Names of the states and actions of Gymnasium's toy environments.

The names come from Gymnasium's documentation, since its code has none. The environments of this
library have their own names; states and actions of any others remain numbers.
"""

from collections.abc import Sequence
from typing import Any

ACTIONS = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("south", "north", "east", "west", "pick up", "drop off"),
}

TAXI_PLACES = ("red", "green", "yellow", "blue")


def action_names(environment: Any) -> Sequence[str] | None:
    """Return the names of the actions, or None if the environment has none and is not known."""
    bare = getattr(environment, "unwrapped", environment)
    own = getattr(_owner(bare), "action_names", None)
    return ACTIONS.get(type(bare).__name__) if own is None else own


def state_names(environment: Any, num_states: int) -> Sequence[str] | None:
    """Return the names of the states, or None if the environment has none and is not known."""
    bare = getattr(environment, "unwrapped", environment)
    kind = type(bare).__name__
    own = getattr(_owner(bare), "state_names", None)
    if own is not None:
        return own
    if kind in ("FrozenLakeEnv", "CliffWalkingEnv"):
        width = bare.ncol if kind == "FrozenLakeEnv" else bare.shape[1]
        return [f"({state // width}, {state % width})" for state in range(num_states)]
    if kind == "TaxiEnv":
        return [_taxi(*bare.decode(state)) for state in range(num_states)]
    return None


def _owner(bare: Any) -> Any:
    """Return the object with the names: the maze if there is one, as its MDP may be too large."""
    return bare.world if hasattr(bare, "world") else getattr(bare, "mdp", None)


def _taxi(row: int, column: int, passenger: int, destination: int) -> str:
    where = "in the taxi" if passenger == len(TAXI_PLACES) else f"at {TAXI_PLACES[passenger]}"
    return f"taxi at ({row}, {column}), passenger {where} for {TAXI_PLACES[destination]}"
