import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core import MDP, InputError
from first_occupancy.planning.frp import plan_to_every_goal, plan_to_goal, plan_to_goals
from first_occupancy.planning.plan_files import load_plans, stacked
from first_occupancy.planning.plans import Plan
from first_occupancy.storage import archives, saving
from saved_things import refusal_of, skills

CORRIDOR = jnp.array([[[1, 0.5, 0.25], [0, 1, 0.5], [0, 0, 1]]])


@pytest.fixture
def path(tmp_path):
    saving.save(plan_to_every_goal(CORRIDOR).named(states=[*"abc"]), tmp_path / "plans.npz")
    return tmp_path / "plans.npz"


def test_saved_plans_come_back_as_they_were_and_stay_on_disk(path):
    plans, saved = plan_to_every_goal(CORRIDOR), load_plans(path)
    assert isinstance(saved.log_promised.base, np.memmap)
    assert saved.log_promised.ctypes.data % archives.ALIGNMENT == 0
    for goal in range(3):
        for name in ("goal", "policy", "subgoal", "log_promised"):
            there, here = getattr(saved.to(goal), name), getattr(plans.to(goal), name)
            np.testing.assert_array_equal(there, here)
    assert str(saved.to(2).legs(0)[0]) == "policy 0 until c"
    with pytest.raises(InputError, match=r"PlansOnHost.to: goal must be in 0\.\.2, got 3"):
        saved.to(3)


def test_they_are_the_files_that_load_reads_whole(path):
    whole = saving.load(path)
    np.testing.assert_array_equal(whole.subgoal, load_plans(path).subgoal)
    assert whole.state_names == ("a", "b", "c")


def test_copied_and_sent_elsewhere_plans_are_looked_up_as_before(path):
    for plans in (saving.load(path).on_host(), load_plans(path)):
        for other in (copy.copy(plans), copy.deepcopy(plans), pickle.loads(pickle.dumps(plans))):
            assert type(other) is type(plans)
            assert other.to(2).legs(0) == plans.to(2).legs(0)
            assert jax.tree.structure(other.to(2)) == jax.tree.structure(plans.to(2))


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_what_following_brings_and_the_engine_come_back_too(tmp_path, noise):
    world = fo.maze(["S..", ".#.", "..G"], noise=noise)
    made = fo.plan(world, (2, 2), discount=0.9)
    saving.save(made, tmp_path / "plan.npz")
    loaded = saving.load(tmp_path / "plan.npz")
    assert loaded.engine == made.engine == ("dense" if noise else "paths")
    np.testing.assert_array_equal(loaded.expected_discount, made.expected_discount)
    assert [str(leg) for leg in loaded.legs(0)] == [str(leg) for leg in made.legs(0)]


def test_saving_again_replaces_what_was_there(path):
    saving.save(plan_to_every_goal(jnp.swapaxes(CORRIDOR, 1, 2)), path)
    assert load_plans(path).to(0).policy.tolist() == [-1, 0, 0]


def test_plans_to_some_goals_are_saved_and_looked_up_by_their_goals(tmp_path):
    """As many goals as states in another order, and fewer: neither is taken for every goal."""
    every = plan_to_every_goal(CORRIDOR)
    for goals in ([2, 0, 1], [2, 1]):
        some = plan_to_goals(CORRIDOR, goals).named(states=[*"abc"])
        saving.save(some, tmp_path / "plans.npz")
        saved = load_plans(tmp_path / "plans.npz")
        assert isinstance(saved.log_promised.base, np.memmap)
        for goal in goals:
            for plans in (some, some.on_host(), saved):
                assert plans.to(goal).state_names == ("a", "b", "c")
                jax.tree.map(
                    np.testing.assert_array_equal,
                    jax.tree.leaves(plans.to(goal)),
                    jax.tree.leaves(every.to(goal)),
                )
    assert str(saved.to(2).legs(0)[0]) == "policy 0 until c"
    with pytest.raises(InputError) as caught:
        saved.to(0)
    said = "PlansOnHost.to: goal must be one of the goals of these plans, 2, 1, got 0"
    assert str(caught.value) == said


def test_files_of_one_plan_or_of_goals_that_are_no_states_are_named(tmp_path):
    path = tmp_path / "plans.npz"
    saving.save(plan_to_goal(CORRIDOR, 0), path)
    with pytest.raises(InputError) as caught:
        load_plans(path)
    assert str(caught.value) == f"{path}: must hold plans to many goals, got the plan to one"
    plans = plan_to_goals(CORRIDOR, [2, 1])
    saving.save(Plan(jnp.array([2, 3]), plans.policy, plans.subgoal, plans.log_promised), path)
    with pytest.raises(InputError) as caught:
        load_plans(path)
    assert str(caught.value) == f"{path}: goal must be numbers from 0 to 2"


def test_other_things_are_named(tmp_path):
    saving.save(MDP(np.ones((1, 1, 1))), tmp_path / "world.npz")
    with pytest.raises(InputError, match=r"world\.npz: must hold plans, got mdp"):
        load_plans(tmp_path / "world.npz")
    with pytest.raises(FileNotFoundError):
        load_plans(tmp_path / "nothing.npz")


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_cut_off_file_is_named(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"plans\.npz: is damaged, truncated or not an archive"):
        load_plans(path)


CHANGES = {
    "goal": ({"goal": np.array(3)}, "{path}: goal must be numbers from 0 to 2"),
    "policy": ({"policy": np.array([-2, 0, 0])}, "{path}: policy must be numbers from -1 to 2147"),
    "subgoal": ({"subgoal": np.array([3, 0, 0])}, "{path}: subgoal must be numbers from -1 to 2"),
    "log discount": (
        {"log_promised": np.array([np.nan, 0, 0])},
        "{path}: log_promised must be numbers from -inf to 1e-05",
    ),
    "names": (
        {"facts": {"policy_names": []}},
        "{path}: Plan.named: policies must be at least 1 names, since the plan follows policy 0",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("name", CHANGES)
def test_files_that_hold_what_cannot_be_a_plan_are_named(tmp_path, name):
    change, message = CHANGES[name]
    path = tmp_path / "thing.npz"
    assert refusal_of(path, plan_to_goal(skills(), 2), change).startswith(message.format(path=path))


@pytest.mark.parametrize("kind", ["in memory", "saved"])
def test_the_next_leg_is_looked_up_without_the_rest(tmp_path, kind):
    plans = planning.plan_paths_to_goals(fo.four_rooms().next_states, [3, 60], discount=0.95)
    saving.save(plans, tmp_path / "plans.npz")
    found = plans.on_host() if kind == "in memory" else load_plans(tmp_path / "plans.npz")
    for state in range(68):
        expected = int(plans.policy[1, state]), int(plans.subgoal[1, state])
        assert found.leg(60, state) == expected
    with pytest.raises(InputError) as caught:
        found.leg(60, 68)
    assert str(caught.value) == "PlansOnHost.leg: state must be in 0..67, got 68"


def test_whole_numbers_are_small_on_disk_and_int32_when_looked_up(path):
    _, arrays = saving.read(path)
    assert arrays["policy"].dtype == arrays["subgoal"].dtype == np.int8
    found = load_plans(path).to(2)
    assert found.policy.dtype == found.subgoal.dtype == np.int32


def test_single_plans_are_stacked_for_a_file(tmp_path):
    world = fo.maze("S..G")
    plans = [fo.plan(world, goal, discount=0.9) for goal in (3, 0)]
    saving.save(stacked(plans), tmp_path / "plans.npz")
    saved = load_plans(tmp_path / "plans.npz")
    assert saved.goal.tolist() == [3, 0]
    assert saved.to(3).legs(0) == plans[0].legs(0)
    assert str(saved.to(0).legs(3)[0]) == "left until (0, 0)"
