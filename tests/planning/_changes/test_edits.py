"""Cells that close and open, against plans made afresh, and edits that are refused."""

import numpy as np
import pytest

import first_occupancy as fo
from changed_plans import GOAL, assert_equal_plans, is_as_made_afresh
from first_occupancy.core.errors import InputError
from first_occupancy.environments import EIGHT_MOVES

RNG = np.random.default_rng(0)
DRAWING = ["".join(row) for row in np.where(RNG.random((9, 11)) < 0.2, "#", ".")]


def everything(planner, goal):
    """Return the moves of the world, its closed states, and the plan, as lists."""
    world, plan = planner.world, planner.plan(goal)
    chains = [np.asarray(chain.todense()).tolist() for chain in world.policy_chains(None)]
    times = None if world.durations is None else np.asarray(world.durations).tolist()
    kept = plan.policy.tolist(), plan.subgoal.tolist(), plan.expected_discount.tolist()
    return chains, times, sorted(planner._following.closed), planner._following._world.rows, kept


def test_every_message_names_what_was_wrong_and_nothing_has_changed():
    hall, roads = fo.maze(["S...", ".#..", "...G"]), fo.from_edges([("a", "b"), ("b", "c")])
    mdp = fo.SparseMDP([np.eye(3)], state_names=["x", "y", "z"])
    bad = [
        (hall, "close", (1, 1), "must be free, but (1, 1) is a wall"),
        (hall, "close", (9, 1), "must lie in the 3 x 4 drawing, got (9, 1)"),
        (hall, "close", 99, "a state to close must be in 0..10, got 99"),
        (hall, "close", (0, 0), "close must leave the start free, got (0, 0)"),
        (hall, "open", 99, "a state to open must be"),
        (hall, "edges", "x", "edges must be left out in a Maze, which has none"),
        (roads, "close", "q", "a state to close must be the name of a state, got 'q'"),
        (roads, "edges", 3, "edges must be a dict, got 3"),
        (roads, "edges", (("a", "a"), 1.0), "edges must join two nodes"),
        (roads, "edges", (("a", "c"), None), "an edge to remove must be there"),
        (roads, "edges", (("a", "b"), -1.0), "edges must take a finite time above 0"),
        (roads, "edges", (("a", "b"), float("nan")), "edges must take a finite time above 0"),
        (roads, "edges", ("ab", 1.0), "edges must be pairs (from, to), got 'ab'"),
        (roads, "probabilities", ((0, 0), {0: 1}), "must be left out in a Graph"),
        (mdp, "probabilities", (("x", 0), {"x": 0.5, "y": 0.4}), "sum to 1, but those of 0 'x'"),
        (mdp, "probabilities", (("x", 0), {"x": 1.5, "y": -0.5}), "at least 0"),
        (mdp, "probabilities", (("x", 0), {"x": "a"}), "at least 0"),
        (mdp, "probabilities", (("x", 3), {"x": 1}), "an action must be in 0..0, got 3"),
        (mdp, "probabilities", ("x", {"x": 1}), "must be like"),
        (mdp, "close", ("x", "y"), "a state to close must be"),
    ]
    first = {"edges": {("b", "c"): 2.0}, "probabilities": {("y", 0): {"z": 1.0}}}

    def listed(pair):
        return isinstance(pair, tuple) and len(pair) == 2 and not isinstance(pair[0], int)

    for world, name, value, words in bad:
        planner = fo.Planner(world, discount=0.9)
        shut, other = ("c", "a") if world is roads else (2, 3 if world is hall else 0)
        planner.change(close=shut)
        before = everything(planner, "b" if world is roads else 1)
        as_dict = name in ("edges", "probabilities") and listed(value)
        edit = {name: dict([value]) if as_dict else value}
        for _ in range(2):
            with pytest.raises(InputError) as told:
                planner.change(**edit)
            assert words in str(told.value)
            assert str(told.value).startswith("change: ")
        fine = {"open": [shut]} if name == "close" else {"close": [other]}
        with pytest.raises(InputError, match=told.value.args[0][:20]):
            planner.change(**edit, **fine)
        if as_dict and world is not hall and "left out" not in words:
            with pytest.raises(InputError):
                planner.change(**{name: first[name] | edit[name]})
        assert everything(planner, "b" if world is roads else 1) == before


def test_closed_goals_open_and_shut_states_and_all_of_them():
    planner = fo.Planner(fo.maze("...."), discount=0.9)
    with pytest.raises(InputError, match="close and open must be different states"):
        planner.change(close=[1], open=[1])
    with pytest.raises(InputError, match="close must leave a state open"):
        planner.change(close=[0, 1, 2, 3])
    planner.change(close=2)
    planner.change(close=[2])
    with pytest.raises(InputError, match="goal must be open, but state 2 has been closed"):
        planner.plan(2)
    with pytest.raises(InputError, match="must be reachable from start 2"):
        planner.plan(0).legs(2)
    planner.change(open=[1, 2])
    assert planner.plan(2).policy.tolist() == [1, 1, -1, 3]


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
    planner.change()
    old = [is_as_made_afresh(planner)]
    assert planner.touched is None
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
