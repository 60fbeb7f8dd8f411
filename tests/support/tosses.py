"""Environments that toss fair dice, by every source of random numbers of Python and NumPy."""

import math
import random
from copy import deepcopy
from types import SimpleNamespace

import gymnasium
import numpy as np

SHARED = np.random.default_rng(0)


class Board(gymnasium.Env):
    """States from 0 up, of which the last ends the episode.

    Args:
        table: for each state and action the next states, of which a die with that many sides
            chooses one; nothing is tossed where there is only one.
        source: name of the source of random numbers.
    """

    shared = np.random.Generator(np.random.SFC64(0))

    def __init__(self, table, source="np_random"):
        self.table, (self.make, self.toss) = table, SOURCES[source]
        self.action_space = gymnasium.spaces.Discrete(len(table[0]))
        self.observation_space = gymnasium.spaces.Discrete(len(table) + 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.source, self.place = self.make(seed), 0
        return 0, {}

    def step(self, action):
        ahead = self.table[self.place][action]
        self.place = ahead[self.toss(self, len(ahead)) if len(ahead) > 1 else 0]
        return self.place, 0.0, self.place == len(self.table), False, {}


class BoardWithMethods(Board):
    def get_state(self):
        return self.place

    def set_state(self, state):
        self.place = state


class BoardThatRewinds(Board):
    def get_state(self):
        return self.place, deepcopy(self.np_random), deepcopy(self.source)

    def set_state(self, state):
        self.place, self.np_random, self.source = deepcopy(state)


class BoardWithTable(Board):
    P = ()

    @property
    def s(self):
        return self.place


def _of_normal(number, sides):
    return int((1 + math.erf(number / math.sqrt(2))) / 2 * sides)


def _of_space(environment, sides):
    return int(environment.action_space.np_random.integers(sides))


def _nested(seed):
    rng = np.random.default_rng(seed)
    return SimpleNamespace(parts=[lambda: rng])


BIT_GENERATORS = (
    np.random.PCG64,
    np.random.PCG64DXSM,
    np.random.MT19937,
    np.random.Philox,
    np.random.SFC64,
)

SOURCES = {
    **{
        kind.__name__: (
            lambda seed, kind=kind: np.random.Generator(kind(seed)),
            lambda env, sides: env.source.integers(sides),
        )
        for kind in BIT_GENERATORS
    },
    "np_random": (lambda seed: None, lambda env, sides: env.np_random.integers(sides)),
    "64 bits": (lambda seed: None, lambda env, sides: int(env.np_random.random() * sides)),
    "bits": (np.random.Philox, lambda env, sides: int(env.source.random_raw() / 2**64 * sides)),
    "spawned": (np.random.default_rng, lambda env, sides: env.source.spawn(1)[0].integers(sides)),
    "nested": (_nested, lambda env, sides: env.source.parts[0]().integers(sides)),
    "RandomState": (np.random.RandomState, lambda env, sides: env.source.randint(sides)),
    "RandomState, normal": (
        np.random.RandomState,
        lambda env, sides: _of_normal(env.source.randn(), sides),
    ),
    "RandomState of PCG64": (
        lambda seed: np.random.RandomState(np.random.PCG64(seed)),
        lambda env, sides: _of_normal(env.source.randn(), sides),
    ),
    "Random": (random.Random, lambda env, sides: env.source.randrange(sides)),
    "Random, normal": (
        random.Random,
        lambda env, sides: _of_normal(env.source.gauss(0, 1), sides),
    ),
    "global of NumPy": (
        lambda seed: None,
        lambda env, sides: _of_normal(np.random.randn(), sides),  # noqa: NPY002
    ),
    "global of Python": (
        lambda seed: None,
        lambda env, sides: _of_normal(random.gauss(0, 1), sides),
    ),
    "of the module": (lambda seed: None, lambda env, sides: SHARED.integers(sides)),
    "of the class": (lambda seed: None, lambda env, sides: env.shared.integers(sides)),
    "a space": (lambda seed: None, _of_space),
}
"""Name of each source: how it is made from the seed of an episode, and how a die is tossed."""
