"""A world that is cheap to simulate, for tests of what happens around one."""

import numpy as np


class DriftingWorld:
    """B points that drift to the origin and are pushed by actions; near it pays.

    As in the Jaco's world the n-th start of an environment depends on its seed and n alone.
    """

    def __init__(self, seeds, *, size=3, num_actions=2, episode=10):
        self.seeds, self.starts = np.array(seeds), np.zeros(len(seeds), np.int64)
        self.size, self.episode, self.clock = size, episode, episode
        self.push = np.random.default_rng(0).normal(size=(num_actions, size)) / num_actions
        self.points = np.zeros((len(seeds), size))
        self.actions = []

    @property
    def num(self):
        return len(self.seeds)

    @property
    def ended(self):
        return self.clock >= self.episode

    def reset(self):
        pairs = zip(self.seeds, self.starts, strict=True)
        self.points = np.stack(
            [np.random.default_rng(pair).normal(size=self.size) for pair in pairs]
        )
        self.starts += 1
        self.clock = 0
        return self.points.astype(np.float32)

    def step(self, actions):
        assert not self.ended
        assert np.isfinite(actions).all()
        self.actions.append(np.array(actions))
        self.points = 0.9 * self.points + actions.astype(np.float64) @ self.push
        self.clock += 1
        return self.points.astype(np.float32), self.reward(self.points)

    @staticmethod
    def reward(points):
        return np.exp(-(points**2).sum(axis=1)).astype(np.float32)

    def get_state(self):
        return {
            "starts": self.starts.copy(),
            "clock": np.array(self.clock),
            "points": self.points.copy(),
        }

    def set_state(self, state):
        self.starts = state["starts"].copy()
        self.clock = int(state["clock"])
        self.points = state["points"].copy()
        return self.points.astype(np.float32)
