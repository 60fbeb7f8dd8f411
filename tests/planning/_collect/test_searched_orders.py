"""Orders of many rewards, compared with the best there are."""

import numpy as np
import pytest

from first_occupancy.planning._collect.exact_orders import ExactOrders
from first_occupancy.planning._collect.searched_orders import SearchedOrders
from targets_at_random import some_targets, without


def test_they_are_the_best_orders_of_a_few_rewards():
    for seed in range(5):
        targets = some_targets(np.random.default_rng(seed), 12, 10, homes=seed % 2 == 1)
        exact = ExactOrders(targets)
        best = exact.choose(0, exact.all).value
        found = SearchedOrders(targets, 0)
        assert found.choose(0, found.all).value == pytest.approx(best, rel=1e-9)


def test_choosing_again_never_loses_and_ends():
    targets = some_targets(np.random.default_rng(7), 60, 25)
    orders = SearchedOrders(targets, 0)
    here, left, discount, value = 0, orders.all, 1.0, 0.0
    promised = orders.choose(here, left).value
    while (choice := orders.choose(here, left)).target >= 0:
        assert sorted(choice.left) == sorted(left)
        discount *= targets.discounts[here, choice.target]
        value += discount * targets.rewards[choice.target]
        here, left = int(targets.states[choice.target]), without(choice.left, choice.target)
        assert value + discount * orders.choose(here, left).value >= promised * (1 - 1e-12)
    assert left == ()


def test_rewards_out_of_reach_end_the_trip():
    targets = some_targets(np.random.default_rng(8), 30, 22)
    cut = targets.discounts.copy()
    cut[:, :3] = 0
    with np.errstate(divide="ignore"):
        near = np.log(cut)
    orders = SearchedOrders(targets._replace(discounts=cut, nearness=near), 0)
    here, left, seen = 0, orders.all, set()
    while (choice := orders.choose(here, left)).target >= 0:
        seen.add(choice.target)
        here, left = int(targets.states[choice.target]), without(choice.left, choice.target)
    assert seen == set(range(3, 22))
