"""Cells of a grid as numbered states, as users would write them for an environment of their own."""

import numpy as np

from first_occupancy.interop.states import States


class GridStates(States):
    """The cells of a grid over a box; observations outside belong to the nearest cell."""

    def __init__(self, low, high, counts):
        self.low, self.high = np.asarray(low, float), np.asarray(high, float)
        self.counts = np.asarray(counts)

    @property
    def num_states(self):
        return int(self.counts.prod())

    def __call__(self, observation):
        share = (np.asarray(observation) - self.low) / (self.high - self.low)
        cell = np.clip(np.floor(share * self.counts), 0, self.counts - 1).astype(int)
        return int(np.ravel_multi_index(tuple(cell), tuple(self.counts)))

    def observation(self, state):
        cell = np.array(np.unravel_index(state, tuple(self.counts)))
        return self.low + (cell + 0.5) / self.counts * (self.high - self.low)
