"""A small world in JAX, written as gymnax writes them, and the same in plain Python.

A corridor of five cells. A key lies in cell 0; a door between cells 2 and 3 opens to who has it.
Cell 4 ends the episode. Each step counts on a clock, which changes nothing.
"""

from typing import NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.interop.enumeration._jax_steps import Stepper
from first_occupancy.interop.enumeration.functional_environments import FunctionalEnvironment

LEFT, RIGHT, USE = range(3)
ACTIONS = ["left", "right", "use"]


class Place(NamedTuple):
    cell: jax.Array
    has_key: jax.Array
    is_open: jax.Array
    time: jax.Array


def corridor(*, slip=0.0, key=None, **options):
    """Return the corridor; moves fail with probability `slip`."""

    def reset(_):
        return Place(jnp.array(1), jnp.array(False), jnp.array(False), 0)

    def step(random, place, action):
        move = jnp.array([-1, 1, 0])[action]
        if slip:
            move = jnp.where(jax.random.uniform(random) < slip, 0, move)
        ahead = jnp.clip(place.cell + move, 0, 4)
        shut = (place.cell == 2) & (ahead == 3) & ~place.is_open
        cell = jnp.where(shut, 2, ahead)
        has_key = place.has_key | ((action == USE) & (cell == 0))
        is_open = place.is_open | ((action == USE) & (cell == 2) & has_key)
        ended = cell == 4
        return Place(cell, has_key, is_open, place.time + 1), ended * 1.0, ended

    return FunctionalEnvironment(
        reset, step, 3, key=key or (lambda place: place[:3]), action_names=ACTIONS, **options
    )


def stepper(environment, samples=5):
    options = {"seed": 0, "samples": samples, "time_limit": False}
    return Stepper(environment, environment.key or (lambda s: s), **options)


def plain_step(place, action):
    """Return the next (cell, has_key, is_open) without slips."""
    cell, has_key, is_open = place
    ahead = min(max(cell + [-1, 1, 0][action], 0), 4)
    cell = cell if (cell, ahead, is_open) == (2, 3, False) else ahead
    has_key = has_key or (action == USE and cell == 0)
    is_open = is_open or (action == USE and cell == 2 and has_key)
    return cell, has_key, is_open


def plain_worlds():
    """Return the states that can be reached, in the order of a breadth-first search, and edges."""
    queue, edges = [(1, False, False)], {}
    for place in queue:
        for action in range(3):
            ahead = edges[place, action] = plain_step(place, action) if place[0] != 4 else place
            if ahead not in queue:
                queue.append(ahead)
    return queue, edges


class Corridor(gymnasium.Env):
    """The same corridor as a Gymnasium environment that shows only the cell."""

    observation_space = gymnasium.spaces.Discrete(5)
    action_space = gymnasium.spaces.Discrete(3)
    action_names = ACTIONS

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = (1, False, False), 0
        return 1, {}

    def step(self, action):
        self.place, self.time = plain_step(self.place, int(action)), self.time + 1
        ended = self.place[0] == 4
        return self.place[0], float(ended), ended, False, {}

    def render(self):
        return np.full((2, 2, 3), self.place[0], np.uint8)


def full_state(environment):
    return environment.unwrapped.place
