"""Bounds on orders, compared with the best orders."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._collect import relaxed
from first_occupancy.planning._collect.exact_orders import ExactOrders
from once_only import random_graph, random_map, random_rewards
from targets_at_random import some_targets, without


def bounded(targets, start, discount):
    orders = ExactOrders(targets)
    here, left, order = start, orders.all, []
    best = orders.choose(here, left).value
    while (choice := orders.choose(here, left)).target >= 0:
        left = without(left, choice.target)
        here = int(targets.states[choice.target])
        order.append(choice.target)
    bound = relaxed.relaxed_return(targets, start, np.array(order, np.int64), discount=discount)
    # A bad order may cost tightness, not validity.
    worse = relaxed.relaxed_return(targets, start, np.array(order[::-1]), discount=discount)
    return best, bound, worse


@pytest.mark.parametrize("discount", [0.8, 0.95, 0.999])
def test_no_order_in_a_world_exceeds_the_bound_which_is_near(discount):
    gaps = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        world = (
            random_map(rng, 9, 9, share=0.1)
            if seed % 2
            else random_graph(rng, 40, durations=seed == 2, ties=False)
        )
        rewards = random_rewards(rng, world.num_states, 9)
        trip = fo.collect(world, rewards, start=0, discount=discount)
        targets = trip.strategy.targets
        best, bound, worse = bounded(targets.some(np.flatnonzero(targets.states)), 0, discount)
        assert min(bound, worse) >= best * (1 - 1e-12)
        gaps.append(bound / best - 1)
    assert np.median(gaps) < 0.03
    assert max(gaps) < 0.2


@pytest.mark.parametrize("homes", [False, True])
def test_no_order_among_random_places_exceeds_the_bound(homes):
    for seed in range(4):
        targets = some_targets(np.random.default_rng(seed), 9, 8, homes=homes)
        start = int(np.setdiff1d(np.arange(9), targets.states)[0])
        best, bound, worse = bounded(targets, start, 0.5)
        assert min(bound, worse) >= best * (1 - 1e-12)
        assert bound <= targets.discounts[start] @ targets.rewards + targets.endings[start] + 1e-12


def test_a_walk_that_remembers_everything_is_an_order():
    """With as many neighbours as rewards nothing is forgotten, and prices change nothing."""
    targets = some_targets(np.random.default_rng(5), 6, 5)
    start = int(np.setdiff1d(np.arange(6), targets.states)[0])
    whole = np.rint(-targets.nearness * 500)
    exact = targets._replace(nearness=whole * np.log(0.998), discounts=0.998**whole)
    orders = ExactOrders(exact)
    best = orders.choose(start, orders.all).value
    walks = relaxed._walks(exact, start, np.arange(5), 0.998, best)
    ahead = np.zeros((*walks.gains.shape, walks.after.shape[2]))
    gained, taken = relaxed.best_walk(walks, np.zeros(5), ahead)
    late = 0.998 ** (len(walks.gains) - 1) * exact.rewards.sum()
    assert best * (1 - 1e-12) <= gained <= best * (1 + 1e-12) + late
    assert taken.max() == 1


def test_where_times_cannot_be_told_apart_rewards_count_one_by_one():
    targets = some_targets(np.random.default_rng(6), 9, 8)
    alone = targets.discounts[0] @ targets.rewards
    for discount in (0.0, 1.0):
        found = relaxed.relaxed_return(targets, 0, np.arange(8), discount=discount)
        assert found == pytest.approx(alone)
