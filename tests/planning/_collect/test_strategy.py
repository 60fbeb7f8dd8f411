"""Strategies: where to go next, whatever is left."""

import first_occupancy as fo

WORLD = fo.maze(["S....", ".#.#.", "....."])


def test_plans_are_made_once_and_counted():
    seen = []
    trip = fo.collect(
        WORLD,
        {(0, 4): 1.0, (2, 0): 0.8},
        last=(0, 0),
        discount=0.9,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert trip.strategy.drafted[4][0] is trip.stops[1].way.plan


def test_visits_and_policies_are_those_of_the_trip():
    trip = fo.collect(WORLD, {(0, 4): 1.0, (2, 0): 0.8, (0, 0): 0.1}, last=(0, 2), discount=0.9)
    strategy = trip.strategy
    assert strategy.visits(0) == [0, 8, 4, 2]
    assert trip.order == (0, 8, 4, 2)
    number = strategy.numbers[8]
    assert strategy.targets.policies[number, 0] == int(strategy.drafted[8][0].policy[0])
    assert strategy.targets.policies[-1, 0] == int(strategy.drafted[2][0].policy[0])
    assert strategy.after(1, strategy.orders.all) == strategy.orders.all
