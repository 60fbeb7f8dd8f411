"""Targets: plans to the rewards as arrays."""

import jax
import numpy as np
import pytest

import first_occupancy as fo


@pytest.mark.parametrize("discount", [0.9, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_discounts_are_those_of_the_plans(noise, discount):
    with jax.enable_x64(True):
        world = fo.maze(["S...", ".#.."], noise=noise)
        trip = fo.collect(world, {(0, 3): 1.0, (1, 0): 2.0}, discount=discount, last=(1, 3))
        targets = trip.strategy.targets
        for number, state in enumerate(targets.states):
            plan = fo.plan(world, int(state), discount=discount)
            found = targets.discounts[:, number]
            np.testing.assert_allclose(found, np.asarray(plan.expected_discount), rtol=1e-12)
            np.testing.assert_array_equal(targets.policies[number], np.asarray(plan.policy))
        assert (targets.endings == 0).all()
        np.testing.assert_array_equal(targets.between, targets.discounts[targets.states])


def test_nearness_does_not_underflow_and_counts_time_where_nothing_is_discounted():
    corridor = fo.maze(["S" + 400 * "."])
    far = fo.collect(corridor, {(0, 400): 1.0}, discount=0.01).strategy.targets
    assert far.discounts[0, 0] == 0
    assert far.nearness[0, 0] == pytest.approx(400 * np.log(0.01), rel=1e-6)
    undiscounted = fo.collect(corridor, {(0, 400): 1.0}, discount=1.0).strategy.targets
    assert undiscounted.nearness[:2, 0].tolist() == [-400, -399]
