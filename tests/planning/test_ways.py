"""Ways between goals: their steps and how places are shown."""

import networkx as nx
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError
from first_occupancy.planning import _ways


def test_a_way_counts_its_steps_unless_chance_decides_them():
    world = fo.maze(["S..", ".#G"])
    planner = fo.Planner(world, discount=0.9)
    way = _ways.Way(0, planner.plan((1, 2)), planner.steps)
    assert (way.goal, way.num_steps) == (4, 3)
    assert way.as_json(world)["goal"] == [1, 2]
    noisy = fo.Planner(fo.maze(["S..", ".#G"], noise=0.1), discount=0.9)
    assert _ways.Way(0, noisy.plan((1, 2)), noisy.steps).num_steps is None


def test_places_are_cells_names_or_numbers():
    maze, towns = fo.maze(["S.", "#."]), fo.from_networkx(nx.DiGraph([("home", "shop")]))
    plain = fo.SparseMDP([np.eye(2)])
    assert [_ways.place_of(world, 1) for world in (maze, towns, plain)] == [[0, 1], "shop", 1]
    assert [_ways.shown_state(w, 1) for w in (maze, towns, plain)] == ["(0, 1)", "'shop'", "1"]


def test_starts_numbers_and_sums_may_be_missing():
    world = fo.maze(["S."])
    assert _ways.given_start("f", world, None) == 0
    assert _ways.given_start("f", world, 1) == 1
    with pytest.raises(InputError, match="f: start must be a state, got None"):
        _ways.given_start("f", fo.maze([".."]), None)
    assert (_ways.or_null(float("nan")), _ways.or_null(2.0)) == (None, 2.0)
    assert (_ways.total([1, 2]), _ways.total([1, None])) == (3, None)
