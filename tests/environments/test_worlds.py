"""One contract for every world; each world's own numbers are tested in the file of its name."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP
from first_occupancy.environments import (
    escape_arena,
    four_rooms,
    maze,
    river_swim,
    six_arms,
    small_room,
)

WORLDS = {
    "river_swim": river_swim,
    "river_swim-3": lambda: river_swim(3),
    "river_swim-12": lambda: river_swim(12),
    "six_arms": six_arms,
    "four_rooms": lambda: four_rooms().mdp,
    "four_rooms with noise": lambda: four_rooms(noise=0.3).mdp,
    "escape_arena": lambda: escape_arena(size=9).mdp,
    "open escape_arena": lambda: escape_arena(size=8, barrier=False).mdp,
    "small_room": lambda: small_room().mdp,
    "maze of one cell": lambda: maze("S").mdp,
}


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_keeps_the_contract(name):
    world = WORLDS[name]()
    assert isinstance(world, MDP)
    states, actions = world.num_states, world.num_actions
    assert world.transition.shape == world.reward.shape == (states, actions, states)
    assert world.start_distribution.shape == (states,)
    assert (world.transition >= 0).all()
    np.testing.assert_allclose(world.transition.sum(axis=-1), 1, rtol=1e-12)
    assert (world.start_distribution >= 0).all()
    np.testing.assert_allclose(world.start_distribution.sum(), 1, rtol=1e-12)
    assert jnp.isfinite(world.reward).all()
    again = WORLDS[name]()
    np.testing.assert_array_equal(world.transition, again.transition)
