import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP, InputError, archives
from first_occupancy.interop import files
from first_occupancy.planning.frp import plan_to_every_goal, plan_to_goal, unroll
from first_occupancy.planning.plan_files import load_plans

CORRIDOR = jnp.array([[[1, 0.5, 0.25], [0, 1, 0.5], [0, 0, 1]]])


@pytest.fixture
def path(tmp_path):
    files.save(tmp_path / "plans.npz", plan_to_every_goal(CORRIDOR).named(states=[*"abc"]))
    return tmp_path / "plans.npz"


def test_saved_plans_come_back_as_they_were_and_stay_on_disk(path):
    plans, saved = plan_to_every_goal(CORRIDOR), load_plans(path)
    assert isinstance(saved.log_discount, np.memmap)
    assert saved.log_discount.ctypes.data % archives.ALIGNMENT == 0
    for goal in range(3):
        for name in ("goal", "policy", "subgoal", "log_discount"):
            there, here = getattr(saved.to(goal), name), getattr(plans.to(goal), name)
            np.testing.assert_array_equal(there, here)
    assert str(unroll(saved.to(2), 0)[0]) == "policy 0 until c"
    with pytest.raises(InputError, match=r"SavedPlans.to: goal must be in 0\.\.2, got 3"):
        saved.to(3)


def test_they_are_the_files_that_load_reads_whole(path):
    whole = files.load(path)
    np.testing.assert_array_equal(whole.subgoal, load_plans(path).subgoal)
    assert whole.state_names == ("a", "b", "c")


def test_saving_again_replaces_what_was_there(path):
    files.save(path, plan_to_every_goal(jnp.swapaxes(CORRIDOR, 1, 2)))
    assert load_plans(path).to(0).policy.tolist() == [-1, 0, 0]


def test_plans_to_one_or_some_goals_are_not_taken_for_plans_to_every_goal(tmp_path):
    one = plan_to_goal(CORRIDOR, 0)
    some = jax.vmap(lambda goal: plan_to_goal(CORRIDOR, goal))(jnp.array([2, 0, 1]))
    two = jax.tree.map(lambda leaf: leaf[:2], some)
    for plans, got in ((one, "the plan to one"), (two, "plans to some")):
        with pytest.raises(InputError, match=f"needs plans to every goal, got {got}"):
            plans.to(0)
    for plans in (one, two, some):
        files.save(tmp_path / "plans.npz", plans)
        with pytest.raises(InputError, match="must hold plans to every goal, got plans to some"):
            load_plans(tmp_path / "plans.npz")


def test_other_things_are_named(tmp_path):
    files.save(tmp_path / "world.npz", MDP(np.ones((1, 1, 1))))
    with pytest.raises(InputError, match=r"world\.npz: must hold plans, got mdp"):
        load_plans(tmp_path / "world.npz")
    with pytest.raises(FileNotFoundError):
        load_plans(tmp_path / "nothing.npz")


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_cut_off_file_is_named(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"plans\.npz: is damaged, cut off or no archive"):
        load_plans(path)
