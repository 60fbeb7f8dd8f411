"""Hidden goals in FourRooms, drawn at random."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from first_occupancy.core import PRNGKey
from first_occupancy.environments import four_rooms


def draw_goals(key: PRNGKey, count: int) -> tuple[Int[Array, " G"], PRNGKey]:
    """Return different goals, none of them the start, and a key for the walks to them."""
    rooms = four_rooms()
    goal_key, walk_key = jax.random.split(key)
    cells = jnp.array([state for state in range(rooms.num_states) if state != rooms.start])
    return jax.random.choice(goal_key, cells, (count,), replace=False), walk_key
