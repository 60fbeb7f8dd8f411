"""SixArms has the numbers of the paper."""

import numpy as np

from first_occupancy.environments import six_arms


def test_six_arms_has_the_numbers_of_the_paper():
    world = six_arms()
    odds = [1, 0.15, 0.10, 0.05, 0.03, 0.01]
    pay = [50, 133, 300, 800, 1666, 6000]
    assert world.start_distribution.tolist() == [1, 0, 0, 0, 0, 0, 0]
    transition, reward = np.zeros((7, 6, 7)), np.zeros((7, 6, 7))
    for k in range(6):
        transition[0, k, k + 1], transition[0, k, 0] = odds[k], 1 - odds[k]
    for action in (0, 1, 2, 3, 5):
        transition[1, action, 1], reward[1, action, 1] = 1, pay[0]
    transition[1, 4, 0] = 1
    for arm in range(2, 7):
        for action in range(6):
            stays = action == arm - 1
            transition[arm, action, arm if stays else 0] = 1
            reward[arm, action, arm] = pay[arm - 1] if stays else 0
    np.testing.assert_allclose(world.transition, transition, rtol=1e-12)
    np.testing.assert_array_equal(world.reward, reward)
