import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core import InputError
from first_occupancy.planning.frp import plan_to_goal, plan_to_goals


def test_plans_to_every_goal_hold_the_plan_to_each():
    world = fo.small_room()
    frs = fo.first_occupancy.solve(
        fo.chain(world.mdp, fo.constant_policies(world.mdp)), discount=0.9
    )
    plan = planning.plan_to_every_goal(frs).to(3)
    assert plan.legs(12) == planning.plan_to_goal(frs, 3).legs(12)
    with pytest.raises(fo.InputError, match=r"Plan.to: goal must be in 0\.\.15, got 16"):
        planning.plan_to_every_goal(frs).to(16)
    with pytest.raises(
        fo.InputError, match=r"Plan.to: needs plans to many goals, got the plan to one"
    ):
        plan.to(3)


def test_plans_on_the_host_are_the_same_and_none_of_them_is_a_copy():
    world = fo.small_room()
    frs = fo.first_occupancy.solve(
        fo.chain(world.mdp, fo.constant_policies(world.mdp)), discount=0.9
    )
    plans = planning.plan_to_every_goal(frs).named(policies=world.action_names)
    on_host = plans.on_host()
    for goal in (0, 15):
        here, there = on_host.to(goal), plans.to(goal)
        assert jax.tree.structure(here) == jax.tree.structure(there)
        for name in ("goal", "policy", "subgoal", "log_promised"):
            np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
        assert np.shares_memory(here.policy, np.asarray(plans.policy))
    np.testing.assert_array_equal(here.promised, there.promised)
    assert here.legs(12) == there.legs(12)
    with pytest.raises(fo.InputError, match=r"PlansOnHost.to: goal must be in 0\.\.15, got -1"):
        on_host.to(-1)
    with pytest.raises(fo.InputError, match=r"Plan.on_host: needs plans to many goals, got the"):
        here.on_host()


def test_a_goal_that_there_is_no_plan_to_is_told_from_those_there_are():
    corridor = jnp.array([[[1, 0.5, 0.25], [0, 1, 0.5], [0, 0, 1]]])
    with pytest.raises(InputError) as caught:
        plan_to_goals(corridor, [2, 0, 2, 0, 2, 0, 2]).to(1)
    said = "goal must be one of the goals of these plans, 2, 0, 2, 0, 2 and 2 more, got 1"
    assert str(caught.value) == f"Plan.to: {said}"
    traced = jax.vmap(jax.jit(plan_to_goals)(corridor, jnp.array([2, 0])).to)(jnp.arange(3))
    assert traced.goal.tolist() == [0, 1, 2]
    assert traced.subgoal.tolist() == [[0, -1, -1], [-1, -1, -1], [2, 2, 2]]
    assert traced.reachable.sum(axis=1).tolist() == [1, 0, 3]
    stacks = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), traced)
    with pytest.raises(InputError, match=r"needs plans to many goals, got goals of shape \(2, 3\)"):
        stacks.to(0)


def test_a_goal_of_a_small_type_marks_what_cannot_be_reached():
    corridor = jnp.array([[[1, 0.5, 0.25], [0, 1, 0.5], [0, 0, 1]]])
    assert plan_to_goal(corridor, np.uint8(0)).subgoal.tolist() == [0, -1, -1]


def absorbed_by(chain, goal, steps):
    """Return P(T <= t) from every state, by powers of the chain with an absorbing goal."""
    absorbing = np.array(chain, np.float64)
    absorbing[goal] = np.eye(len(chain))[goal]
    rows = [np.eye(len(chain))[:, goal]]
    for _ in range(steps):
        rows.append(absorbing @ rows[-1])
    return np.array(rows)


def test_arrival_is_the_distribution_of_the_plans_chain():
    world = fo.maze(["S.#.", "..#.", "...."], noise=0.3)
    plan = fo.plan(world, 3, discount=0.9)
    policy = np.where(np.asarray(plan.policy) < 0, 0, np.asarray(plan.policy))
    exact = absorbed_by(fo.chain(world.mdp, policy), 3, 80)
    arrival = plan.arrival(world.start)
    np.testing.assert_allclose(arrival.by(np.arange(81)), exact[:, world.start], rtol=1e-6)
    worth = arrival.distribution(2000) @ 0.9 ** np.arange(2000.0)
    np.testing.assert_allclose(worth, plan.expected_discount[world.start], rtol=1e-6)
    np.testing.assert_allclose(arrival.mean, plan.expected_time[world.start], rtol=1e-6)
    assert plan.arrival((0, 0)).mean == arrival.mean


def test_a_plan_says_how_surely_and_when_it_arrives():
    world = fo.maze(["S...G", "....."], noise=0.2)
    plan = fo.plan(world, world.goals[0], discount=0.9, avoid=[(1, 2)])
    policy = np.where(np.asarray(plan.policy) < 0, 0, np.asarray(plan.policy))
    chain = np.array(fo.chain(world.mdp, policy), np.float64)
    chain[7] = np.eye(10)[7]
    shares = np.diff(absorbed_by(chain, world.goals[0], 400)[:, world.start], prepend=0)
    times, surely = np.arange(401), shares.sum()
    mean = shares @ times / surely
    std = np.sqrt(shares @ (times - mean) ** 2 / surely)
    assert repr(plan).endswith(
        f"from the start 0 '(0, 0)': arrives with probability {surely:.3g}, "
        f"after {mean:.4g} ± {std:.3g} steps"
    )


def test_arrival_in_a_deterministic_world_is_one_time():
    graph = fo.from_edges([("a", "b"), ("b", "c"), ("d", "c")], weights=[1.5, 2.25, 1.0])
    arrival = fo.plan(graph, "c", discount=0.9).arrival("a")
    assert (arrival.probability, arrival.mean, arrival.std) == (1, 3.75, 0)
    assert (arrival.by(3.7), arrival.by(3.75), arrival.quantile(0.5)) == (0, 1, 3.75)
    assert fo.plan(graph, "d", discount=0.9).arrival("a").quantile(0.5) == np.inf
    there = fo.plan(graph, "c", discount=0.9).arrival("c")
    assert (there.mean, there.quantile(0.5), there.by(7)) == (0, 0, 1)


def test_arrival_counts_durations_and_what_is_lost():
    ends = np.array([[[0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]], [[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]]])
    world = fo.SparseMDP(list(ends), durations=[2.0, 3.0])
    hasty = fo.plan(world, 1, policies=[[0, 0, 0]], discount=0.9).arrival(0)
    assert (hasty.probability, hasty.mean, hasty.std) == (0.5, 2, 0)
    sure = fo.plan(world, 1, discount=1.0).arrival(0)
    np.testing.assert_allclose([sure.probability, sure.mean, sure.std], [1, 6, np.sqrt(18)])
    np.testing.assert_allclose(sure.by([2.9, 3, 6, 9]), [0, 0.5, 0.75, 0.875])


@pytest.mark.parametrize("start", [None, 99, -1])
def test_arrival_needs_a_start_that_the_world_has(start):
    plan = fo.plan(fo.maze(["S.", ".."], noise=0.1), 3, discount=0.9)
    with pytest.raises(fo.InputError, match="arrival: start"):
        plan.arrival(start)
    with pytest.raises(fo.InputError, match="dynamics"):
        plan_to_goal(jnp.ones((1, 2, 2)), 1).arrival(0)


def test_theory_minus_the_log_of_the_best_expected_discount_is_a_quasimetric_under_noise():
    rng = np.random.default_rng(5)
    for _ in range(8):
        size = 5
        world = fo.SparseMDP([rng.dirichlet(np.full(size, 0.3), size) for _ in range(3)])
        plans = [fo.plan(world, goal, discount=0.9) for goal in range(size)]
        best = np.stack([np.asarray(plan.expected_discount, np.float64) for plan in plans], axis=1)
        through = best[:, :, None] * best[None]
        assert (through <= best[:, None] * (1 + 1e-5)).all()
        assert (np.diag(best) == 1).all()
        assert not np.allclose(best, best.T)
