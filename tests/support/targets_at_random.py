"""Targets with random discounts that keep the triangle inequality, as plans do."""

import numpy as np
from scipy.sparse.csgraph import shortest_path

from first_occupancy.planning._collect.plans_to_rewards import Targets


def some_targets(rng, size, count, *, homes=False):
    """Return once-only rewards among random places, one way shorter than the other."""
    lengths = shortest_path(rng.exponential(size=(size, size)))
    discounts = np.exp(-lengths)
    states = rng.choice(size, count, replace=False)
    endings = discounts[:, -1] * rng.uniform(0, 1) if homes else np.zeros(size)
    to = np.ascontiguousarray(discounts[:, states])
    policies = np.zeros((count + 1, size), np.int64)
    return Targets(states, rng.uniform(0.1, 1, count), to, np.log(to), policies, endings)


def without(left, target):
    """Return what is left once a reward is taken."""
    return tuple(other for other in left if other != target)
