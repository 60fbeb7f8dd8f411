"""Dynamic programming over what is left, compared with all orders."""

from itertools import permutations

import numpy as np
import pytest

from first_occupancy.planning._collect.exact_orders import ExactOrders, best_returns
from targets_at_random import some_targets, without


def by_trying(targets, state, numbers):
    values = [max(targets.endings[state], 0)]
    for length in range(1, len(numbers) + 1):
        for order in permutations(numbers, length):
            here, discount, value = state, 1.0, 0.0
            for number in order:
                discount *= targets.discounts[here, number]
                value += discount * targets.rewards[number]
                here = targets.states[number]
            values.append(value + discount * targets.endings[here])
    return max(values)


@pytest.mark.parametrize("homes", [False, True])
def test_the_best_order_is_that_of_all_orders(homes):
    rng = np.random.default_rng(1)
    for _ in range(3):
        targets = some_targets(rng, 12, 5, homes=homes)
        orders = ExactOrders(targets)
        for left in (orders.all, (0, 2, 3), ()):
            for state in range(12):
                found = orders.choose(state, left).value
                assert found == pytest.approx(by_trying(targets, state, left), rel=1e-12)


def test_following_the_choices_gives_the_value():
    targets = some_targets(np.random.default_rng(2), 12, 6)
    orders = ExactOrders(targets)
    here, left, discount, value = 0, orders.all, 1.0, 0.0
    promised = orders.choose(here, left).value
    while (choice := orders.choose(here, left)).target >= 0:
        discount *= targets.discounts[here, choice.target]
        value += discount * targets.rewards[choice.target]
        here, left = int(targets.states[choice.target]), without(left, choice.target)
    assert left == ()
    assert value == pytest.approx(promised, rel=1e-12)


def test_compiled_and_plain_loops_agree():
    targets = some_targets(np.random.default_rng(3), 10, 4)
    given = targets.between, targets.rewards, targets.endings[targets.states]
    np.testing.assert_array_equal(best_returns(*given), best_returns.py_func(*given))
