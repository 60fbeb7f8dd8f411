"""Pairs of starts and goals: what is stated is realised, in a small log of thin walls."""

import numpy as np

from first_occupancy_paper.worlds.logged_goals import Pair, pairs, summary
from first_occupancy_paper.worlds.logged_worlds import logged_world


def test_pairs_are_realised_about_as_stated():
    rows = list(pairs(logged_world("pendulum"), 100, num_goals=2, num_starts=2))
    assert [row.region for row in rows] == [False, False, True, True]
    assert all(0 <= row.low <= row.stated <= row.high <= 1 for row in rows)
    assert np.mean([row.realised for row in rows]) > 0.8
    assert "4 pairs" in summary("pendulum", rows)


def test_intervals_allow_for_the_error_of_twenty_rollouts():
    assert Pair(False, 0.9, 0.7, 1.0, 0.6).covered
    assert not Pair(False, 0.9, 0.8, 1.0, 0.5).covered
    assert not Pair(False, 0.0, 0.0, 0.0, 0.1).covered
