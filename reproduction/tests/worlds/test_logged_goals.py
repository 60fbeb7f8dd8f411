"""Pairs of starts and goals: rows are made for successes and bounds, in a few small worlds."""

import numpy as np
import pytest

from first_occupancy_paper.worlds.logged_goals import bound_rows, success_rows


def test_pairs_are_realised_about_as_stated():
    rows = list(success_rows("pendulum", 100, num_goals=2, num_starts=2))
    assert [row["region"] for row in rows] == [False, False, True, True]
    assert all(0 <= row["low"] <= row["probability"] <= row["high"] <= 1 for row in rows)
    assert np.mean([row["realised"] for row in rows]) > 0.8


@pytest.mark.whole
def test_lower_bounds_hold_next_to_thick_walls():
    rows = list(bound_rows(4.0, True, 100, num_goals=1, num_starts=2))
    assert len(rows) == 2
    assert all(row["low"] <= row["realised"] + 2 * row["error"] for row in rows)
    assert all(row["realised"] <= row["high"] for row in rows)
