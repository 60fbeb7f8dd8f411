"""What an edit may be; worlds stay as they are if any part of it is wrong."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core.errors import InputError


def test_every_message_names_what_was_wrong_and_nothing_has_changed():
    hall, roads = fo.maze(["S...", ".#..", "...G"]), fo.from_edges([("a", "b"), ("b", "c")])
    mdp = fo.SparseMDP([np.eye(3)], state_names=["x", "y", "z"])
    bad = [
        (hall, "close", (1, 1), "must be free, but (1, 1) is a wall"),
        (hall, "close", (9, 1), "cell must lie in the 3 x 4 drawing, got (9, 1)"),
        (hall, "close", 99, "a state to close must be in 0..10, got 99"),
        (hall, "close", (0, 0), "close must leave the start free, got (0, 0)"),
        (hall, "open", 99, "a state to open must be"),
        (hall, "edges", "x", "edges must be left out in a Maze, which has none"),
        (roads, "close", "q", "no state is named 'q'"),
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

    def listed(pair):
        return isinstance(pair, tuple) and len(pair) == 2 and not isinstance(pair[0], int)

    for world, name, value, words in bad:
        planner = fo.Planner(world, discount=0.9)
        planner.change()
        as_dict = name in ("edges", "probabilities") and listed(value)
        edit = {name: dict([value]) if as_dict else value}
        for _ in range(2):
            with pytest.raises(InputError) as told:
                planner.change(**edit)
            assert words in str(told.value)
            assert str(told.value).startswith("change: ")
        fine = {"open": []} if name == "close" else {"close": [1]}
        with pytest.raises(InputError):
            planner.change(**edit, **fine)
        assert not planner._following.closed


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
