"""The arm as Gymnasium environments."""

import numpy as np
import pytest

from first_occupancy_paper.arm.world import TASKS, JacoBatch
from first_occupancy_paper.arm.world.gym_environment import NAMES

pytest.importorskip("mujoco.batch", reason="the extra 'robotics' is not installed")
gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


@pytest.mark.parametrize("task", TASKS)
# Velocities have no bounds, which the checker finds odd, not wrong.
@pytest.mark.filterwarnings("ignore:.*A Box observation space m:UserWarning")
def test_gymnasium_finds_nothing_wrong(task):
    from gymnasium.utils.env_checker import check_env

    environment = gymnasium.make(NAMES[task])
    check_env(environment.unwrapped, skip_render_check=True)


def test_it_is_a_batch_of_one():
    environment = gymnasium.make("first_occupancy/JacoReachBottomRight-v0")
    batch = JacoBatch("reach_bottom_right", seeds=[11])
    actions = np.random.default_rng(0).uniform(-1, 1, (250, 9)).astype(np.float32)
    first, _ = environment.reset(seed=11)
    np.testing.assert_array_equal(first, batch.reset()[0])
    for step, action in enumerate(actions, start=1):
        observation, reward, terminated, truncated, _ = environment.step(action)
        observations, rewards = batch.step(action[None])
        assert not terminated
        assert truncated == (step == 250)
        assert reward == rewards[0]
        np.testing.assert_array_equal(observation, observations[0])
    second, _ = environment.reset()
    np.testing.assert_array_equal(second, batch.reset()[0])


def test_without_a_seed_environments_differ():
    firsts = [gymnasium.make(NAMES["rewardless"]).reset()[0] for _ in range(2)]
    assert (firsts[0] != firsts[1]).any()
