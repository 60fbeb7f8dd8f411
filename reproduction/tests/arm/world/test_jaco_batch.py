"""The arm against MuJoCo stepped by hand, and the promises of the batch."""

import numpy as np
import pytest
from scipy.stats import kstest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.world import TASKS, JacoBatch, starts
from first_occupancy_paper.arm.world.mujoco_model import load

mujoco = pytest.importorskip("mujoco", reason="the extra 'robotics' is not installed")
pytest.importorskip("mujoco.batch", reason="MuJoCo is older than 3.17")

ACTIONS = np.random.default_rng(0).uniform(-1, 1, (300, 4, 9))


@pytest.fixture(scope="module")
def arm():
    return load("test")


@pytest.fixture(scope="module")
def drawn(arm):
    """Many starts, as joint positions and as where the tool then is."""
    data = mujoco.MjData(arm.model)
    positions, places, rotations = [], [], []
    for seed in range(1000, 1300):
        uniform = np.random.default_rng(seed).uniform
        positions.append(starts.draw_start(arm, data, uniform, (0.09, -0.09)))
        mujoco.mj_kinematics(arm.model, data)
        places.append(data.site_xpos[arm.pinch].copy())
        rotations.append(data.site_xmat[arm.pinch].copy())
    return np.array(positions), np.array(places), np.array(rotations)


def test_starts_are_distributed_as_described(arm, drawn):
    positions, places, rotations = drawn
    fingers = positions[:, arm.fingers]
    assert (fingers == fingers[:, :1]).all()
    assert kstest(fingers[:, 0], "uniform", args=(0.15, 1.2)).pvalue > 0.01
    yaw = 2 * np.arctan2(positions[:, arm.brick[6]], positions[:, arm.brick[3]])
    assert kstest(yaw, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > 0.01
    # Poses in contact are drawn again, so the tool's place is only nearly uniform.
    low, high = starts.TOOL_BOX
    for axis in range(3):
        uniform = ("uniform", (low[axis], high[axis] - low[axis]))
        assert kstest(places[:, axis], uniform[0], args=uniform[1]).pvalue > 0.01
    down = np.broadcast_to([0, 1, 0, 1, 0, 0, 0, 0, -1], rotations.shape)
    np.testing.assert_allclose(rotations, down, atol=1e-12)


def test_starts_are_within_limits_and_touch_nothing(arm, drawn):
    positions, _, _ = drawn
    joints = positions[:, arm.joints]
    assert ((joints >= arm.lower) & (joints <= arm.upper)).all()
    data = mujoco.MjData(arm.model)
    for start in positions[:50]:
        data.qpos[:] = start
        mujoco.mj_forward(arm.model, data)
        touching = [contact.geom for contact in data.contact if contact.dist <= 0]
        names = [[arm.model.geom(geom).name for geom in pair] for pair in touching]
        assert all("jaco_hand" in a and "jaco_hand" in b for a, b in names), names


def test_inverse_kinematics_says_whether_it_arrived(arm):
    data, target = mujoco.MjData(arm.model), np.array([0.05, -0.05, 0.3])
    assert not starts.solve_joints(arm, data, target)  # stretched out, it cannot turn any way
    data.qpos[arm.joints] = 1.7, 2.8, 4.8, 0.4, 4.9, 5.2
    assert starts.solve_joints(arm, data, target)
    np.testing.assert_allclose(data.site_xpos[arm.pinch], target, atol=1e-13)


def test_a_step_is_twenty_of_the_simulator_with_the_last_one_left_open(arm):
    batch = JacoBatch("reach_top_left", seeds=[3], threads=1)
    batch.reset()
    data = mujoco.MjData(arm.model)
    everything = mujoco.mjtState.mjSTATE_INTEGRATION
    mujoco.mj_setState(arm.model, data, batch.get_state()["physics"][0], everything)
    mujoco.mj_forward(arm.model, data)
    for action in ACTIONS[:20, 0]:
        observations, rewards = batch.step(action[None])
        data.ctrl[:] = action * ([0.2 * np.pi] * 3 + [4 / 15 * np.pi] * 3 + [5.0] * 3)
        mujoco.mj_step2(arm.model, data)
        mujoco.mj_step(arm.model, data, 19)
        mujoco.mj_step1(arm.model, data)
        here, pinch = observations[0], data.site("jaco_arm/jaco_hand/pinchsite")
        np.testing.assert_allclose(here[0:12:2], np.sin(data.qpos[:6]), atol=1e-6)
        np.testing.assert_allclose(here[18:24], data.qvel[:6], atol=1e-6)
        torque = np.expm1(np.abs(here[12:18])) * np.sign(here[12:18])
        np.testing.assert_allclose(torque, data.sensordata[2:18:3], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(here[30:33], pinch.xpos, atol=1e-6)
        np.testing.assert_allclose(here[33:42], pinch.xmat, atol=1e-6)
        np.testing.assert_allclose(here[48:52], data.qpos[12:], atol=1e-6)
        gap = np.linalg.norm(pinch.xpos - data.body("duplo2x4/").xpos)
        assert rewards[0] == pytest.approx(0.1 ** ((max(gap, 0.05) / 0.05 - 1) ** 2), abs=1e-6)


def test_the_brick_lies_still_at_its_place():
    for name, task in TASKS.items():
        batch = JacoBatch(name, seeds=[1])
        first = batch.reset()[0]
        np.testing.assert_allclose(batch.positions[0, 9:11], task.brick, atol=1e-6)
        np.testing.assert_allclose(first[52:54], task.brick, atol=1e-6)
        assert np.abs(first[42:48]).max() < 1e-3
        assert (first[18:24] == 0).all()
        assert (first[27:30] == 0).all()


def episode(batch, actions):
    """Everything one sees in some steps from a reset."""
    seen = [batch.reset()]
    for action in actions:
        observations, rewards = batch.step(action)
        seen += [observations, rewards[:, None]]
    return np.concatenate(seen, axis=1)


def test_an_environment_does_the_same_alone_and_among_others():
    together = JacoBatch("reach_bottom_left", seeds=[7, 5, 9, 8], threads=2)
    alone = JacoBatch("reach_bottom_left", seeds=[9], threads=1)
    for _ in range(2):
        several, one = episode(together, ACTIONS[:15]), episode(alone, ACTIONS[:15, 2:3])
        np.testing.assert_array_equal(several[2:3], one)
        assert len(np.unique(several[:, 0])) == 4


def test_a_state_goes_on_exactly_in_another_batch():
    batch = JacoBatch("reach_top_right", seeds=[4, 2, 3, 1])
    episode(batch, ACTIONS[:60])
    state, last = batch.get_state(), batch._observations.copy()
    resumed = JacoBatch("reach_top_right", seeds=[0, 0, 0, 0], threads=1)
    np.testing.assert_array_equal(resumed.set_state(state), last)
    for step, action in enumerate(ACTIONS[60:250]):
        if step < 20 or step == 189:
            for ours, theirs in zip(batch.step(action), resumed.step(action), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        else:
            batch.step(action)
            resumed.step(action)
    assert batch.ended
    assert resumed.ended
    np.testing.assert_array_equal(episode(batch, ACTIONS[:5]), episode(resumed, ACTIONS[:5]))


def test_a_state_is_not_touched_by_what_happens_next():
    batch = JacoBatch("rewardless", seeds=[1, 2, 3, 4])
    first = batch.reset()
    state = batch.get_state()
    before = {name: array.copy() for name, array in state.items()}
    kept = first.copy()
    batch.step(ACTIONS[0])
    np.testing.assert_array_equal(first, kept)
    for name, array in state.items():
        np.testing.assert_array_equal(array, before[name])


def test_without_reward_all_else_is_the_first_task():
    plain = episode(JacoBatch("rewardless", seeds=[1, 2, 3, 4]), ACTIONS[:3])
    paid = episode(JacoBatch("reach_top_left", seeds=[1, 2, 3, 4]), ACTIONS[:3])
    rewards = [110, 166, 222]
    np.testing.assert_array_equal(plain[:, rewards], 0)
    assert (paid[1:, rewards] > 0).all()  # the first is too far away for float32
    rest = np.setdiff1d(np.arange(plain.shape[1]), rewards)
    np.testing.assert_array_equal(plain[:, rest], paid[:, rest])


def test_an_arm_that_diverges_gets_a_fresh_start_and_the_others_go_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its log
    batch, calm = (JacoBatch("rewardless", seeds=[1, 2, 3, 4]) for _ in range(2))
    batch.reset(), calm.reset()
    state = batch.get_state()
    state["physics"][2, 17:23] = 1e12  # the arm's velocities
    batch.set_state(state)
    broken, _ = batch.step(ACTIONS[0])
    whole, _ = calm.step(ACTIONS[0])
    np.testing.assert_array_equal(broken[[0, 1, 3]], whole[[0, 1, 3]])
    assert np.isfinite(broken).all()
    assert batch.get_state()["starts"].tolist() == [1, 1, 2, 1]
    np.testing.assert_allclose(batch.positions[2, 9:11], TASKS["rewardless"].brick, atol=1e-6)


@pytest.mark.usefixtures("as_users_run_it")
def test_what_is_said_of_wrong_calls():
    batch = JacoBatch("rewardless", seeds=[1, 2])
    over = "step: the episode must be running, but it has ended: reset first"
    assert error_of(batch.step, np.zeros((2, 9))) == over
    batch.reset()
    shape = "step: actions must have shape [2 9], got [9]"
    assert error_of(batch.step, np.zeros(9)) == shape
    number = "step: actions must be finite, got nan for environment 1, action 8"
    assert error_of(batch.step, np.array([[0.0] * 9, [0.0] * 8 + [np.nan]])) == number
    batch.step(np.zeros((2, 9)))
    processors = "JacoBatch: threads must be at least 1, got 0"
    assert error_of(lambda: JacoBatch("rewardless", [1], threads=0)) == processors


@pytest.mark.usefixtures("as_users_run_it")
def test_what_is_said_of_a_state_that_does_not_fit_and_nothing_is_taken_from_it():
    batch = JacoBatch("rewardless", seeds=[1, 2])
    batch.reset()
    before = batch.get_state()
    lacking = {name: array + 1 for name, array in before.items() if name != "clock"}
    assert error_of(batch.set_state, lacking) == "set_state: clock must have shape [], got nothing"
    other = JacoBatch("rewardless", seeds=[1, 2, 3]).get_state()
    wrong = "set_state: seeds must have shape [2], got shape [3]"
    assert error_of(batch.set_state, other) == wrong
    for name, array in batch.get_state().items():
        np.testing.assert_array_equal(array, before[name])


def error_of(call, *arguments):
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)
