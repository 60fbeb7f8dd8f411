"""The arm against dm-control itself: same model, same starts, same episodes.

It runs where dm-control is installed beside a MuJoCo that it can build the arm with:
pip install 'dm-control==1.0.50' 'mujoco==3.17.0'.
"""

from importlib.util import find_spec

import numpy as np
import pytest

from first_occupancy_paper.arm.world import EPISODE_STEPS, TASKS, JacoBatch, model_export, starts
from first_occupancy_paper.arm.world.mujoco_model import MODEL, load

mujoco = pytest.importorskip("mujoco", reason="the extra 'robotics' is not installed")
pytest.importorskip("mujoco.batch", reason="MuJoCo is older than 3.17")

pytestmark = [
    pytest.mark.skipif(find_spec("dm_control") is None, reason="dm-control is not installed"),
    pytest.mark.skipif(
        not mujoco.__version__.startswith("3."),
        reason="dm-control cannot build the arm in MuJoCo 4",
    ),
    # Without a screen, and in places that are not ours, dm-control's imports warn.
    pytest.mark.filterwarnings("ignore"),
]

REACHING = [name for name, task in TASKS.items() if task.pays]


def dm_control_task(place, seed):
    """The reach task made of dm-control's own parts, with the brick at one place."""
    from dm_control import composer
    from dm_control.entities import props
    from dm_control.manipulation import reach
    from dm_control.manipulation.shared import arenas, constants, observations, robots, workspaces

    features = observations.PERFECT_FEATURES
    point = (*place, 0.001)
    wanted = observations.make_options(features, observations.FREEPROP_OBSERVABLES)
    task = reach.Reach(
        arena=arenas.Standard(),
        arm=robots.make_arm(features),
        hand=robots.make_hand(features),
        prop=props.Duplo(observable_options=wanted),
        obs_settings=features,
        workspace=reach._DUPLO_WORKSPACE._replace(
            target_bbox=workspaces.BoundingBox(lower=point, upper=point)
        ),
        control_timestep=constants.CONTROL_TIMESTEP,
    )
    random = np.random.RandomState(seed)
    return composer.Environment(
        task, time_limit=10.0, random_state=random, strip_singleton_obs_buffer_dim=True
    )


def flat(time_step):
    """An observation of dm-control as one row, in its own order."""
    return np.concatenate([np.ravel(part) for part in time_step.observation.values()])


def take_over(batch, environment):
    """Put an arm into the state that an environment of dm-control is in."""
    state = batch.get_state()
    everything = mujoco.mjtState.mjSTATE_INTEGRATION
    physics = environment.physics
    mujoco.mj_getState(physics.model.ptr, physics.data.ptr, state["physics"][0], everything)
    batch.set_state(state)


def reaching_action(environment, random):
    """An action that, with noise, brings the tool to the brick: a step of J' (brick - tool)."""
    physics = environment.physics
    tool = physics.named.data.site_xpos["jaco_arm/jaco_hand/pinchsite"]
    gap = physics.named.data.xpos["duplo2x4/"] - tool + [0, 0, 0.01]
    jacobian = np.zeros((3, physics.model.nv))
    site = physics.model.name2id("jaco_arm/jaco_hand/pinchsite", "site")
    mujoco.mj_jacSite(physics.model.ptr, physics.data.ptr, jacobian, None, site)
    speeds = 30 * jacobian[:, :6].T @ gap
    noise = random.uniform(-1, 1, 9)
    noise[:6] = 0.3 * noise[:6] + speeds
    return noise.clip(-1, 1)


@pytest.mark.parametrize("name", REACHING)
def test_whole_episodes_are_those_of_dm_control(name):
    environment = dm_control_task(TASKS[name].brick, seed=REACHING.index(name))
    batch = JacoBatch(name, seeds=[0], threads=1)
    batch.reset()
    theirs = environment.reset()
    take_over(batch, environment)
    np.testing.assert_allclose(forwarded(batch), flat(theirs), atol=1e-6)
    limits = environment.action_spec().maximum
    random, rewards = np.random.default_rng(0), []
    for step in range(EPISODE_STEPS):
        action = reaching_action(environment, random)
        theirs = environment.step(action * limits)
        observations, reward = batch.step(action[None])
        np.testing.assert_allclose(observations[0], flat(theirs), atol=1e-6, err_msg=f"step {step}")
        assert reward[0] == pytest.approx(theirs.reward, abs=1e-6)
        rewards.append(theirs.reward)
    assert theirs.last()
    assert batch.ended
    assert theirs.discount == 1
    assert max(rewards) > 0.9  # so it was the whole range of rewards, and contacts too


def forwarded(batch):
    """What the arm senses in a state it was put into, computed anew."""
    batch._sim.forward()
    return batch._observe()[0]


def as_dm_control_draws(seed):
    """Uniform numbers in the order in which dm-control's task takes them from its stream."""
    stream = np.random.RandomState(seed)
    stream.uniform()  # the size of the brick's studs, from an empty range

    def uniform(low=0.0, high=1.0):
        if np.ndim(low) == 0 and low == -np.pi:
            stream.uniform(size=3)  # the brick's place, from an empty range
        return stream.uniform(low, high)

    return uniform


def test_starts_are_those_of_dm_control_for_the_same_random_numbers():
    arm = load("test")
    data = mujoco.MjData(arm.model)
    place = TASKS["reach_top_right"].brick
    environment = dm_control_task(place, seed=0)
    for seed in range(25):
        stream = np.random.RandomState(seed)
        environment.random_state.set_state(stream.get_state())
        environment.reset()
        theirs = environment.physics.data.qpos
        ours = starts.draw_start(arm, data, as_dm_control_draws(seed), place)
        np.testing.assert_allclose(ours[:9], theirs[:9], atol=1e-9)
        np.testing.assert_allclose(ours[12:], theirs[12:], atol=1e-7)


def test_bricks_settle_as_in_dm_control(monkeypatch):
    place = TASKS["reach_top_right"].brick
    environment = dm_control_task(place, seed=3)
    theirs = environment.reset()
    # The same start, put in the place of the one that the batch would draw.
    monkeypatch.setattr(
        "first_occupancy_paper.arm.world.batch.draw_start",
        lambda arm, data, _, brick: starts.draw_start(arm, data, as_dm_control_draws(3), brick),
    )
    batch = JacoBatch("reach_top_right", seeds=[0], threads=1)
    np.testing.assert_allclose(batch.reset()[0], flat(theirs), atol=1e-6)


def test_the_model_is_what_dm_control_exports(tmp_path):
    model_export.export(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in MODEL.parent.iterdir() if path.name in made}
    assert made == kept
    licences = {"LICENSE", "LICENSE-APACHE", "NOTICE"}
    assert {path.name for path in MODEL.parent.iterdir()} == set(made) | licences
