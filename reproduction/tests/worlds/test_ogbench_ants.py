"""Ant mazes of OGBench, as far as they need no OGBench: an episode, and what is said without it."""

import numpy as np

from first_occupancy_paper.worlds.ogbench_ants import walked_to


class Line:
    """An ant that moves as its first two torques say; success beyond 10."""

    def __init__(self, limit=1000):
        self.place, self.time, self.limit = np.zeros(2), 0, limit

    def step(self, torques):
        self.place, self.time = self.place + torques[:2], self.time + 1
        success = float(self.place[0] > 10)
        seen = np.concatenate([self.place, np.zeros(27)])
        return seen, 0.0, bool(success), self.time >= self.limit, {"success": success}


class Told:
    """A walker and an agent at once, which note what they are asked."""

    def __init__(self, ahead):
        self.ahead, self.places, self.commands = np.array(ahead), [], []

    def predict(self, observation):
        self.places.append(observation)
        return self.ahead, None

    def controls(self, positions, velocities, commands):
        assert positions.shape == (1, 15)
        assert velocities.shape == (1, 14)
        self.commands.append(commands[0])
        return np.concatenate([commands, np.zeros((1, 6))], axis=1)


def test_an_episode_ends_with_success_and_commands_are_held():
    told = Told([2.0, 0.0])
    assert walked_to(Line(), np.zeros(29), told, told.controls, hold=4) == 11
    assert [place[0] for place in told.places] == [0, 4, 8]
    assert np.allclose(told.commands, [1, 0])


def test_an_episode_that_is_cut_has_failed():
    told = Told([0.0, 1.0])
    assert walked_to(Line(limit=20), np.zeros(29), told, told.controls, hold=5) == -1
    assert len(told.commands) == 20
