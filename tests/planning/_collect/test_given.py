"""Rewards and starts as users give them."""

import networkx as nx
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError
from first_occupancy.planning._collect.given import read_rewards, read_start

WORLD = fo.maze(["S..", ".#."])


def test_rewards_are_read_from_cells_numbers_names_and_arrays():
    assert read_rewards("f", WORLD, {(0, 2): 1, 3: 0.5}) == {2: 1.0, 3: 0.5}
    assert read_rewards("f", WORLD, np.array([0, 0, 1, 0.5, 0])) == {2: 1.0, 3: 0.5}
    assert read_rewards("f", WORLD, [0, 0, 1, 0.5, 0]) == {2: 1.0, 3: 0.5}
    towns = fo.from_networkx(nx.DiGraph([("home", "shop")]))
    assert read_rewards("f", towns, {"shop": 2}) == {towns.state_number("shop"): 2.0}


def test_starts_are_states_or_distributions():
    assert read_start("f", WORLD, (0, 2)) == {2: 1.0}
    assert read_start("f", WORLD, {(0, 2): 0.25, 2: 0.25, 0: 0.5, 1: 0.0}) == {2: 0.5, 0: 0.5}
    assert read_start("f", WORLD, np.array([0, 0, 1.0, 0, 0])) == {2: 1.0}


def test_what_cannot_be_a_distribution_is_refused():
    for wrong in ({0: 2.0}, {0: 1.5, 1: -0.5}, {}, np.full(5, np.nan), np.ones(3) / 3):
        with pytest.raises(InputError, match="f: start"):
            read_start("f", WORLD, wrong)
