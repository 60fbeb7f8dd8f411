"""Planning in NumPy gives the plans of the compiled planner, which is its oracle."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.planning._dense import engine
from first_occupancy.planning._dense.on_host import chain_on_host, fold_on_host
from first_occupancy.planning.plan import Planner

WORLDS = [
    fo.four_rooms(noise=0.2),
    fo.maze(["S..#", ".>.G", "#.^."], noise=0.3),
]


@pytest.mark.parametrize("world", WORLDS, ids=["rooms", "one-way"])
@pytest.mark.parametrize("max_switches", [None, 0, 2])
def test_plans_are_those_of_the_compiled_planner(world, max_switches):
    with jax.enable_x64(True):
        frs = fo.first_occupancy.solve(
            jnp.stack([fo.chain(world, each) for each in fo.constant_policies(world)]), discount=0.9
        )
        table = fold_on_host(np.asarray(frs))
        for goal in range(0, world.num_states, 5):
            ours = chain_on_host(table, goal, max_switches)
            theirs = planning.plan_to_goal(frs, goal, max_switches=max_switches)
            np.testing.assert_array_equal(ours.policy, theirs.policy)
            np.testing.assert_array_equal(ours.subgoal, theirs.subgoal)
            np.testing.assert_allclose(ours.log_promised, theirs.log_promised, rtol=1e-12)


def test_the_planner_gives_one_plan_on_host_and_compiled(monkeypatch):
    world = WORLDS[0]
    with jax.enable_x64(True):
        ours = Planner(world, discount=0.95).plan([(1, 9), (6, 1)])
        monkeypatch.setattr(engine, "HOST_UP_TO", 0)
        theirs = Planner(world, discount=0.95).plan([(1, 9), (6, 1)])
        np.testing.assert_allclose(ours.log_promised, theirs.log_promised, rtol=1e-10)
        np.testing.assert_allclose(ours.expected_discount, theirs.expected_discount, rtol=1e-10)


def test_states_that_no_leg_leaves_have_no_policy():
    frs = np.array([[[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 1e-310, 1.0]]])
    cut = chain_on_host(fold_on_host(frs), 0, None)
    assert cut.policy.tolist() == [-1, 0, -1]
    assert cut.subgoal.tolist() == [0, 0, -1]
    assert cut.log_promised.tolist() == [0.0, np.log(0.5), -np.inf]


def test_the_surer_leg_wins_and_of_equals_the_sooner():
    # From 0, policy 0 reaches the goal 2 with .5 at once, policy 1 surely through 1.
    sure = np.array([[[1, 0, 0.5], [0, 1, 0], [0, 0, 1]], [[1, 1, 0], [0, 1, 1], [0, 0, 1.0]]])
    legs = fold_on_host(sure, sure)
    found = chain_on_host(legs, 2, None)
    assert (found.policy.tolist(), found.subgoal.tolist()) == ([1, 1, -1], [1, 2, 2])
    np.testing.assert_allclose(np.exp(found.log_promised), [1, 1, 1])
    at_once = chain_on_host(legs, 2, 0)
    assert at_once.policy.tolist() == [0, 1, -1]


def test_what_cannot_arrive_has_no_leg():
    found = chain_on_host(fold_on_host(np.eye(3)[None], np.zeros((1, 3, 3))), 1, None)
    assert found.subgoal.tolist() == [-1, 1, -1]
    assert np.exp(found.log_promised).tolist() == [0, 1, 0]


def test_of_equally_fold_on_host_the_soonest_leads_whatever_the_unit_of_time():
    sure = np.broadcast_to(np.triu(np.ones((3, 3))), (2, 3, 3))
    for unit in (1e-12, 1.0, 1e12):
        # Policy 0 takes 5 and 1, policy 1 takes 2 and 2; straight to the end 9 and 8.
        times = unit * np.array(
            [[[0, 5, 9], [0, 0, 1], [0, 0, 0]], [[0, 2, 8], [0, 0, 2], [0, 0, 0]]]
        )
        found = chain_on_host(fold_on_host(sure, times), 2, None)
        assert found.policy.tolist() == [1, 0, -1]
        assert found.subgoal.tolist() == [1, 2, 2]
        assert chain_on_host(fold_on_host(sure, times), 2, 0).subgoal.tolist() == [2, 2, 2]
