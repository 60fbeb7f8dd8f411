"""Cells that close and open, against plans made afresh."""

import numpy as np
import pytest

import first_occupancy as fo
from changed_plans import GOAL, assert_equal_plans, is_as_made_afresh
from first_occupancy.environments import EIGHT_MOVES

RNG = np.random.default_rng(0)
DRAWING = ["".join(row) for row in np.where(RNG.random((9, 11)) < 0.2, "#", ".")]


def toggled(planner, rng, number, free):
    """Close some of the open states, or open some of the closed ones."""
    closed = sorted(planner.world.walled)
    if closed and rng.random() < 0.4:
        return {"open": rng.choice(closed, min(number, len(closed)), replace=False).tolist()}
    return {"close": rng.choice(np.setdiff1d(free, closed), number, replace=False).tolist()}


@pytest.mark.parametrize("drawing", ["free", "dear", "one way"])
@pytest.mark.parametrize("moves", [4, 8])
def test_cells_that_close_and_open(drawing, moves):
    rng = np.random.default_rng(5)
    letters = {"free": ".", "dear": ".159", "one way": "..>"}[drawing]
    rows = ["".join(rng.choice(list(letters)) if c == "." else c for c in row) for row in DRAWING]
    kinds = {"moves": EIGHT_MOVES} if moves == 8 else {}
    planner = fo.Planner(fo.maze(rows, **kinds), discount=0.95)
    old = [is_as_made_afresh(planner)]
    free = np.setdiff1d(np.arange(planner.world.num_states), [GOAL])
    for number in (1, 2, 1, 5, 1, 1):
        planner.change(**toggled(planner, rng, number, free))
        old.append(is_as_made_afresh(planner))
        assert planner.touched <= planner.world.num_states
    for plan, fresh in old:
        assert_equal_plans(plan, fresh)


def test_noisy_cells_that_close():
    planner = fo.Planner(fo.maze(DRAWING, noise=0.2), discount=0.9)
    for cell in (30, 11):
        planner.change(close=cell)
        is_as_made_afresh(planner)
        assert planner.touched is None


def test_reserved_walls_open():
    hall = fo.maze(["....", ".##.", "...."])
    doors = fo.maze(["....", "....", "...."]).with_walls([(1, 1), (1, 2)])
    planner = fo.Planner(doors, discount=0.9)
    before = planner.plan((2, 1)).expected_time[doors.state(0, 1)]
    assert before == fo.plan(hall, (2, 1), discount=0.9).expected_time[hall.state(0, 1)] == 4
    planner.change(open=(1, 1))
    assert planner.plan((2, 1)).expected_time[doors.state(0, 1)] == 2
    assert planner.world.walled == (doors.state(1, 2),)
