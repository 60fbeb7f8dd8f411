"""Steps with few switches equal a search over cells, directions and switches."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

import plain_choices as plain
from first_occupancy.behaviour.subjects import grid_layouts
from first_occupancy.behaviour.switch_distances import steps_to_goal
from first_occupancy.planning.paths import plan_paths

FREE = plain.draw_layouts(4, seed=2)


@pytest.mark.parametrize("layout", range(4))
def test_steps_are_those_of_a_search(layout):
    layouts = grid_layouts(FREE, goal=plain.GOAL)
    boundless = replace(layouts, longest_run=None)
    for switches in (0, 1, 2, 3, 5, None):
        found = steps_to_goal(layouts, layouts.free[layout], max_switches=switches)
        steps = np.asarray(found)
        planner = plain.PlainPlanner({}, 99 if switches is None else switches)
        planner.walls = set(np.flatnonzero(~FREE[layout]))
        found = [planner.steps(cell) for cell in range(plain.SIZE)]
        free = FREE[layout].reshape(-1)
        expected = np.array([np.inf if each is None else each for each in found])
        np.testing.assert_array_equal(steps[free], expected[free])
        again = steps_to_goal(boundless, layouts.free[layout], max_switches=switches)
        np.testing.assert_array_equal(again, steps)


def test_steps_are_those_of_the_library_s_planner():
    layouts = grid_layouts(FREE, goal=plain.GOAL)
    ahead, free = np.asarray(layouts.next_states).T, FREE[1].reshape(-1)
    moves = np.where(free[ahead], ahead, np.arange(plain.SIZE))
    for switches in (0, 1, 3):
        plan = plan_paths(moves, plain.GOAL, discount=0.5, max_switches=switches)
        steps = steps_to_goal(layouts, layouts.free[1], max_switches=switches)
        np.testing.assert_allclose(jnp.log(0.5) * steps, plan.log_promised)
