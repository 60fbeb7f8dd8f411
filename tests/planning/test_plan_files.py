import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.planning.frp import plan_to_every_goal, plan_to_goal
from first_occupancy.planning.plan_files import load_plans, save_plans

CORRIDOR = jnp.array([[[1, 0.5, 0.25], [0, 1, 0.5], [0, 0, 1]]])


@pytest.fixture
def folder(tmp_path):
    save_plans(plan_to_every_goal(CORRIDOR), tmp_path / "plans")
    return tmp_path / "plans"


def test_saved_plans_come_back_as_they_were_and_stay_on_disk(folder):
    plans, saved = plan_to_every_goal(CORRIDOR), load_plans(folder)
    assert isinstance(saved.log_discount, np.memmap)
    for goal in range(3):
        for name in ("goal", "policy", "subgoal", "log_discount"):
            there, here = getattr(saved.to(goal), name), getattr(plans.to(goal), name)
            np.testing.assert_array_equal(there, here)
    with pytest.raises(InputError, match=r"SavedPlans.to: goal must be in 0\.\.2, got 3"):
        saved.to(3)


def test_saving_again_replaces_what_was_there(folder):
    save_plans(plan_to_every_goal(jnp.swapaxes(CORRIDOR, 1, 2)), folder)
    assert load_plans(folder).to(0).policy.tolist() == [-1, 0, 0]


def test_a_plan_to_one_goal_is_not_saved(tmp_path):
    with pytest.raises(InputError, match="save_plans: needs plans to every goal, got the plan to"):
        save_plans(plan_to_goal(CORRIDOR, 0), tmp_path)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def describe(path, **changed):
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


DAMAGES = {
    "an array cut off": (lambda at: cut(at / "policy.npy"), "policy.npy is damaged or cut off"),
    "an array's start cut off": (
        lambda at: (at / "subgoal.npy").write_bytes(b""),
        "subgoal.npy is damaged or cut off",
    ),
    "an array missing": (
        lambda at: (at / "subgoal.npy").unlink(),
        "subgoal.npy must be there, but is missing",
    ),
    "an array of other plans": (
        lambda at: np.save(at / "policy.npy", np.zeros((2, 2), np.int32)),
        "policy.npy must hold int32[3, 3], got int32[2, 2]",
    ),
    "a pickle": (
        lambda at: np.save(at / "policy.npy", np.array([{}]), allow_pickle=True),
        "policy.npy is damaged or cut off",
    ),
    "never finished": (
        lambda at: (at / "plans.json").unlink(),
        "plans.json must be there, saved plans have it",
    ),
    "no JSON": (
        lambda at: (at / "plans.json").write_text("{"),
        "plans.json must be JSON, but is damaged or cut off",
    ),
    "a later format": (
        lambda at: describe(at / "plans.json", format=2),
        "plans.json must be of format 1, got 2",
    ),
    "an array not described": (
        lambda at: describe(at / "plans.json", arrays={}),
        "plans.json must describe policy, but does not",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_named(folder, damage):
    do, message = DAMAGES[damage]
    do(folder)
    with pytest.raises(InputError) as caught:
        load_plans(folder)
    assert str(caught.value) == f"load_plans: {folder}/{message}"


def test_plans_to_some_goals_are_not_taken_for_plans_to_every_goal(tmp_path):
    some = jax.vmap(lambda goal: plan_to_goal(CORRIDOR, goal))(jnp.array([2, 0]))
    for call in (lambda: some.to(0), lambda: save_plans(some, tmp_path)):
        with pytest.raises(InputError, match="needs plans to every goal, got plans to some"):
            call()


@pytest.mark.parametrize("arrays", [None, [], {"policy": 3}, {"policy": {}}])
def test_a_description_of_nothing_is_named(tmp_path, arrays):
    (tmp_path / "plans.json").write_text(json.dumps({"format": 1, "arrays": arrays}))
    with pytest.raises(InputError, match="must describe policy"):
        load_plans(tmp_path)


def test_an_archive_in_place_of_an_array_is_named(tmp_path):
    save_plans(plan_to_every_goal(CORRIDOR), tmp_path)
    np.savez(tmp_path / "archive.npz", policy=np.zeros((3, 3)))
    (tmp_path / "archive.npz").rename(tmp_path / "policy.npy")
    with pytest.raises(InputError, match="is damaged or cut off"):
        load_plans(tmp_path)
