"""A world that is cheap to simulate, for tests of what happens around one."""

import threading
import time
from contextlib import contextmanager

import numpy as np


class DriftingWorld:
    """B points that drift to the origin and are pushed by actions; near it pays.

    As in the Jaco's world the n-th start of an environment depends on its seed and n alone. Nobody
    may use it from two threads at once. With a `pause`, steps of an evaluation take so long.
    """

    def __init__(self, seeds, *, size=3, num_actions=2, episode=10, pause=0):
        self.pause, self.lock = pause, threading.Lock()
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

    @contextmanager
    def in_use(self):
        assert self.lock.acquire(blocking=False), "two threads in one world"
        try:
            yield
        finally:
            self.lock.release()

    def reset(self):
        with self.in_use():
            return self._reset()

    def _reset(self):
        pairs = zip(self.seeds, self.starts, strict=True)
        self.points = np.stack(
            [np.random.default_rng(pair).normal(size=self.size) for pair in pairs]
        )
        self.starts += 1
        self.clock = 0
        return self.points.astype(np.float32)

    def step(self, actions):
        with self.in_use():
            if threading.current_thread().name.startswith("evaluating"):
                time.sleep(self.pause)
            return self._step(actions)

    def _step(self, actions):
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
        with self.in_use():
            return {
                "starts": self.starts.copy(),
                "clock": np.array(self.clock),
                "points": self.points.copy(),
            }

    def set_state(self, state):
        with self.in_use():
            self.starts = state["starts"].copy()
            self.clock = int(state["clock"])
            self.points = state["points"].copy()
            return self.points.astype(np.float32)
