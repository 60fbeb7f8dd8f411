"""Worlds that are stacked keep their arrays, in order, and lose their names."""

import jax
import numpy as np

from first_occupancy.core import MDP
from first_occupancy.environments import river_swim
from first_occupancy_paper.explorers.trials import stacked


def test_each_world_is_found_in_its_place():
    world = river_swim(6)
    poor = MDP(world.transition, world.reward / 2, world.start_distribution)
    named = MDP(world.transition, state_names=[f"place {number}" for number in range(6)])
    together = stacked([world, poor, named])
    assert together.state_names is together.action_names is None
    for place, each in enumerate((world, poor, named)):
        for stack, array in zip(jax.tree.leaves(together), jax.tree.leaves(each), strict=True):
            assert stack.dtype == array.dtype
            np.testing.assert_array_equal(stack[place], array)


def test_worlds_that_are_traced_are_stacked_too():
    world = river_swim(6)

    def rewards(scale):
        richer = MDP(world.transition, world.reward * scale, world.start_distribution)
        return stacked([world, richer]).reward

    np.testing.assert_array_equal(jax.jit(rewards)(2.0)[1], 2 * world.reward)
