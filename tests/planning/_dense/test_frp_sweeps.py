"""Sweeps, alone and to the end, in two ways: against each other and against plain NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._dense.folding import best_legs
from first_occupancy.planning._dense.frp_sweeps import (
    chain_to_goal,
    direct,
    sweep,
    sweep_over_all,
    sweep_over_few,
    sweeps_allowed,
)
from strategies import tied_frs

WAYS = {
    "as the device decides": sweep,
    "over few": sweep_over_few,
    "over all": sweep_over_all,
}


def plain_sweep(frs, log, policy, subgoal):
    """Return the plan with one more switch, state by state, and the states which that helped."""
    size, after, helped = len(log), (log.copy(), policy.copy(), subgoal.copy()), []
    with np.errstate(divide="ignore"):
        logs = np.log(frs)
    for start in range(size):
        ways = [(logs[:, start, there].max() + log[there], there) for there in range(size)]
        gained, there = max((way for way in ways if way[1] != start), key=lambda way: way[0])
        tolerance = 64 * np.finfo(log.dtype).eps * max(1, -gained if np.isfinite(gained) else 1)
        helped.append(gained > log[start] + tolerance)
        if helped[-1]:
            leader = int(frs[:, start, there].argmax())
            after[0][start], after[1][start], after[2][start] = gained, leader, there
    return after, helped


@pytest.mark.parametrize("way", WAYS)
def test_a_sweep_is_the_best_leg_of_every_state(way):
    """Random legs are never equally good, so the first best subgoal is the only one."""
    rng, goal = np.random.default_rng(3), 4
    frs = rng.random((3, 20, 20)) ** 6 * (rng.random((3, 20, 20)) < 0.15)
    frs[:, np.arange(20), np.arange(20)] = 1
    table, step = best_legs(jnp.asarray(frs)), jax.jit(WAYS[way])
    plan = direct(table, jnp.array(goal, jnp.int32))
    raised, sweeps = plan.log_promised > -jnp.inf, 0
    while raised.any():
        before = [np.array(part) for part in (plan.log_promised, plan.policy, plan.subgoal)]
        (log, policy, subgoal), helped = plain_sweep(frs, *before)
        plan, raised = step(table, plan, raised)
        np.testing.assert_allclose(plan.log_promised, log, rtol=1e-14)
        np.testing.assert_array_equal(plan.policy, policy)
        np.testing.assert_array_equal(plan.subgoal, subgoal)
        np.testing.assert_array_equal(raised, helped)
        sweeps += 1
    assert sweeps > 2


def test_the_first_plan_has_one_leg_from_wherever_a_policy_leads():
    frs = tied_frs(20)
    plan = direct(best_legs(jnp.asarray(frs)), jnp.array(7, jnp.int32))
    best = frs[:, :, 7].max(axis=0)
    reached = best > 0
    np.testing.assert_allclose(jnp.exp(plan.log_promised), best, rtol=1e-14)
    assert plan.subgoal.tolist() == np.where(reached, 7, -1).tolist()
    follows = reached & (np.arange(20) != 7)
    assert plan.policy.tolist() == np.where(follows, frs[:, :, 7].argmax(axis=0), -1).tolist()


def test_sweeps_of_many_plans_are_those_of_each():
    table, goals = best_legs(jnp.asarray(tied_frs(20))), jnp.array([3, 11], jnp.int32)

    def swept(goal):
        plan = direct(table, goal)
        return sweep(table, plan, plan.log_promised > -jnp.inf)

    together = jax.jit(jax.vmap(swept))(goals)
    for number, goal in enumerate(goals):
        alone = swept(goal)
        one = jax.tree.map(lambda leaf, number=number: leaf[number], together)
        jax.tree.map(np.testing.assert_array_equal, one, alone)


def test_gains_of_a_few_roundings_are_no_reason_to_switch():
    # By way of state 1 the goal, 2, is nearer by a share of 1e-15 or 1e-9.
    for gain, subgoal in ((1e-15, 2), (1e-9, 1)):
        direct_leg, half = 0.25, 0.5 * (1 + gain)
        frs = jnp.array([[[1, half, direct_leg], [0, 1, 0.5], [0, 0, 1]]])
        table = best_legs(frs)
        plan = direct(table, jnp.array(2, jnp.int32))
        plan, raised = sweep(table, plan, plan.log_promised > -jnp.inf)
        assert plan.subgoal.tolist() == [subgoal, 2, 2]
        assert bool(raised.any()) == (subgoal == 1)


@pytest.mark.parametrize("size", [1, 32, 300])
def test_a_sweep_over_few_states_finds_what_one_over_all_does(size):
    table = best_legs(jnp.asarray(tied_frs(size)))
    plan = direct(table, jnp.array(size // 2, jnp.int32))
    raised = plan.log_promised > -jnp.inf
    over_few, over_all = jax.jit(sweep_over_few), jax.jit(sweep_over_all)
    sweeps = 0
    while raised.any():
        few = over_few(table, plan, raised)
        jax.tree.map(np.testing.assert_array_equal, few, over_all(table, plan, raised))
        (plan, raised), sweeps = few, sweeps + 1
    assert sweeps >= min(size, 3)


def test_a_sweep_on_a_gpu_is_another_program_with_the_same_plan():
    table = best_legs(jnp.asarray(tied_frs(300)))
    plan = direct(table, jnp.array(150, jnp.int32))
    raised = plan.log_promised > -jnp.inf
    here = sweep(table, plan, raised)
    assert here[1].any()
    there = sweep_over_all(table, plan, raised)
    jax.tree.map(np.testing.assert_array_equal, here, there)
    program = jax.jit(sweep).trace(table, plan, raised)
    for platform, over_all in (("cuda", True), ("rocm", True), ("cpu", False)):
        lowered = program.lower(lowering_platforms=(platform,)).as_text()
        assert ("stablehlo.while" in lowered) != over_all, platform


def plain(frs, goal, switches):
    """Return the promise of plans with at most so many switches, by definition."""
    best = frs.max(axis=0)
    np.fill_diagonal(best, 0)
    promised = np.where(np.arange(len(best)) == goal, 1.0, best[:, goal])
    for _ in range(switches):
        promised = np.maximum(promised, (best * promised[None]).max(axis=1))
    return promised


@pytest.mark.parametrize("switches", [0, 1, None])
def test_each_sweep_allows_one_more_switch(switches):
    rng = np.random.default_rng(3)
    with jax.enable_x64(True):
        for goal in range(5):
            frs = rng.random((2, 5, 5)) ** 3
            frs[:, np.arange(5), np.arange(5)] = 1
            table = best_legs(jnp.asarray(frs))
            found = chain_to_goal(table, jnp.int32(goal), sweeps_allowed(switches, table))
            expected = plain(frs, goal, 5 if switches is None else switches)
            np.testing.assert_allclose(np.exp(found.log_promised), expected, rtol=1e-12)


def test_more_sweeps_than_states_are_never_needed():
    table = best_legs(jnp.eye(4)[None])
    assert [sweeps_allowed(each, table) for each in (None, 2, 9)] == [4, 2, 4]
