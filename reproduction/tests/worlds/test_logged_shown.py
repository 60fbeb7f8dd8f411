"""Default calls on logs: agents arrive, and rows are counted as they are."""

import numpy as np
import pytest

from first_occupancy_paper.worlds.logged_shown import (
    maze_rows,
    pendulum_rows,
    summary,
    u_room_rows,
)


def test_agents_arrive_in_the_u_shaped_room():
    rows = list(u_room_rows(4000, 2))
    assert [row["reached"] for row in rows] == [True, True]
    for row in rows:
        # A step is at most 0.025 / 0.08 long, whatever the momentum.
        away = np.linalg.norm(np.subtract(row["start"], row["goal"])) - 0.15
        assert away / (2**0.5 * 0.33) <= row["steps"] <= 600


@pytest.mark.whole
@pytest.mark.parametrize("numbers", [3, 4])
def test_the_pendulum_swings_up_to_most_goals(numbers):
    rows = list(pendulum_rows(numbers, 1))
    assert [row["goals"] for row in rows] == ["upright", "random", "recorded"]
    assert sum(row["reached"] for row in rows) >= 2


@pytest.mark.whole
def test_agents_arrive_in_a_point_maze():
    rows = list(maze_rows("medium", "stitch", 1, 400))
    assert [row["task"] for row in rows] == [1, 2, 3, 4, 5]
    assert sum(row["reached"] for row in rows) >= 4


def test_goals_are_counted_by_kind_and_refusals_named():
    rows = [
        {"goals": "upright", "reached": True, "steps": 10},
        {"goals": "upright", "reached": False, "refused": "plan: too far"},
        {"goals": "random", "reached": False, "stalls": 3},
    ]
    assert summary("pendulum-3", rows) == (
        "pendulum-3: 1 of 2 upright reached, 1 refused, median 10 steps; "
        "0 of 1 random reached, 0 refused"
    )
