import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core import InputError, chain, constant_policies, memory
from first_occupancy.environments import four_rooms, maze
from first_occupancy.planning.frp import BestLegs, best_legs, plan_to_every_goal, plan_to_goal
from first_occupancy.planning.legs import Leg
from first_occupancy.representations import first_occupancy
from oracles import plan_by_plain_sweeps, steps_between
from strategies import chains, discounts, distributions, successor_tables, tied_frs


def frs_of(successors, discount):
    """Return the FRs [N S S] of deterministic policies."""
    return first_occupancy.solve(jnp.eye(successors.shape[-1])[successors], discount=discount)


def at_goal(plans, goal):
    return jax.tree.map(lambda leaf: leaf[goal], plans)


def walk_legs(legs, successors, start):
    """Follow the legs through the table; return where one ends and after how many steps."""
    state, steps = start, 0
    for leg in legs:
        for _ in range(successors.shape[1]):
            state, steps = int(successors[leg.policy, state]), steps + 1
            if state == leg.subgoal:
                break
        assert state == leg.subgoal
    return state, steps


@given(successor_tables(), discounts.filter(lambda discount: discount > 0.1))
def test_proposition_4_1_plans_are_shortest_paths(successors, discount):
    fewest = steps_between(successors)
    plans = plan_to_every_goal(frs_of(successors, discount))
    for goal in range(successors.shape[1]):
        plan = at_goal(plans, goal)
        np.testing.assert_allclose(
            plan.log_promised, fewest[:, goal] * np.log(discount), rtol=1e-12
        )
        for start in np.flatnonzero(np.isfinite(fewest[:, goal])):
            legs = plan.legs(int(start))
            assert walk_legs(legs, successors, int(start)) == (goal, fewest[start, goal])


@pytest.mark.parametrize(("size", "count", "batch"), [(6, 2, 1000), (10, 2, 600), (10, 3, 400)])
def test_proposition_4_1_on_two_thousand_random_worlds(size, count, batch):
    successors = np.random.default_rng(size + count).integers(size, size=(batch, count, size))
    frs = first_occupancy.solve(jnp.eye(size)[successors.reshape(-1, size)], discount=0.9)
    frs = frs.reshape(batch, count, size, size)
    goals = jnp.arange(size)
    to_all = jax.vmap(plan_to_goal, in_axes=(None, 0))
    plans = jax.jit(jax.vmap(to_all, in_axes=(0, None)))(frs, goals)
    policies, subgoals = np.asarray(plans.policy), np.asarray(plans.subgoal)
    fewest = np.stack([steps_between(table) for table in successors])
    fewest = np.moveaxis(fewest, 1, 2)  # to [world, goal, start], as the plans are
    lost = ~np.isfinite(fewest)
    assert lost.any()
    assert not lost.all()

    # All worlds, goals and starts walk at once, and have as many steps as they need.
    world, goal, state = np.indices((batch, size, size))
    policy, subgoal = policies[world, goal, state], subgoals[world, goal, state]
    assert ((policy == -1) == (lost | (state == goal))).all()
    assert ((subgoal == -1) == lost).all()
    assert (np.isneginf(plans.log_promised) == lost).all()
    steps = np.zeros(state.shape, dtype=int)
    for _ in range(size):
        walking = (state != goal) & ~lost
        state = np.where(walking, successors[world, policy, state], state)
        steps += walking
        arrived = walking & (state == subgoal)
        policy = np.where(arrived, policies[world, goal, state], policy)
        subgoal = np.where(arrived, subgoals[world, goal, state], subgoal)
    assert (state[~lost] == goal[~lost]).all()
    np.testing.assert_array_equal(steps[~lost], fewest[~lost])


def test_an_unreachable_goal_is_reported_as_such():
    frs = frs_of(np.array([[1, 2, 2, 3], [0, 0, 1, 3]]), 0.9)
    plan = plan_to_goal(frs, 3)
    assert plan.policy.tolist() == [-1] * 4
    assert plan.subgoal.tolist() == [-1, -1, -1, 3]
    assert plan.reachable.tolist() == [False, False, False, True]
    assert plan.log_promised.tolist() == [-np.inf] * 3 + [0]
    assert plan.legs(3) == []
    with pytest.raises(InputError, match="no sequence of the base policies leads there"):
        plan.legs(0)


@pytest.mark.parametrize("switches", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_limited_plans_are_the_best_of_all_with_at_most_that_many_switches(switches, seed):
    rng = np.random.default_rng(seed)
    stack = jnp.asarray(distributions(rng, 2, 5, 5))
    frs = first_occupancy.solve(stack, discount=0.9)
    plans = plan_to_every_goal(frs, max_switches=switches)
    assert plans.goal.dtype == plan_to_every_goal(frs).goal.dtype
    best = np.asarray(frs).max(axis=0)
    for start, goal in np.ndindex(5, 5):
        brute = max(
            np.prod([best[leg] for leg in itertools.pairwise((start, *middle, goal))])
            for middle in itertools.product(range(5), repeat=switches)
        )
        np.testing.assert_allclose(plans.promised[goal, start], brute, rtol=1e-12)


@pytest.mark.parametrize("switches", [0, 1, 2, None])
def test_the_legs_of_a_plan_multiply_to_its_discount_or_better(switches):
    """Better only with a limit: a subgoal's own plan may have improved in the last sweep."""
    frs = first_occupancy.solve(
        jnp.asarray(distributions(np.random.default_rng(1), 3, 8, 8)), discount=0.9
    )
    plans = plan_to_every_goal(frs, max_switches=switches)
    for goal, start in np.argwhere(np.asarray(plans.reachable)):
        product, state = 1.0, int(start)
        for leg in at_goal(plans, goal).legs(int(start)):
            product *= float(frs[leg.policy, state, leg.subgoal])
            state = leg.subgoal
        assert state == goal
        assert product >= plans.promised[goal, start] * (1 - 1e-12)
        if switches is None:
            np.testing.assert_allclose(product, plans.promised[goal, start], rtol=1e-12)


@given(chains(), chains(), discounts)
def test_converged_plans_are_shortest_paths_in_minus_log_of_the_best_fr(one, other, discount):
    if len(one) != len(other):
        other = one
    frs = first_occupancy.solve(jnp.stack([one, other]), discount=discount)
    with np.errstate(divide="ignore"):
        lengths = -np.log(np.asarray(frs).max(axis=0))
    lengths[~np.isfinite(lengths)] = 0  # SciPy's "no edge"
    np.fill_diagonal(lengths, 0)
    plans = plan_to_every_goal(frs)
    np.testing.assert_allclose(-plans.log_promised.T, dijkstra(lengths), rtol=1e-9, atol=1e-10)


def test_four_rooms_is_optimal_for_every_pair_at_three_switches_and_half_of_them_at_one():
    world = four_rooms()
    frs = first_occupancy.solve(chain(world.mdp, constant_policies(world.mdp)), discount=0.95)
    optimal = steps_between(world.next_states).T * np.log(0.95)
    logs = {k: np.asarray(plan_to_every_goal(frs, max_switches=k).log_promised) for k in range(4)}
    share = {k: np.isclose(log, optimal, rtol=1e-9).mean() for k, log in logs.items()}
    assert share[3] == 1
    assert share[0] < share[1] < share[2] < 1
    assert round(share[1], 2) == 0.51
    for fewer, more in itertools.pairwise(range(4)):
        assert (logs[more] >= logs[fewer]).all()


@pytest.mark.parametrize("switches", [0, 1, None])
def test_vmap_and_jit_leave_plans_as_they_are(switches):
    frs = first_occupancy.solve(
        jnp.asarray(distributions(np.random.default_rng(3), 3, 6, 6)), discount=0.9
    )

    def plan(goal):
        return plan_to_goal(frs, goal, max_switches=switches)

    with jax.disable_jit():
        plain = plan(2)
    every = plan_to_every_goal(frs, max_switches=switches)
    mapped = jax.vmap(plan)(jnp.arange(6))
    for other in (plan(2), jax.jit(plan)(2), at_goal(every, 2), at_goal(mapped, 2)):
        np.testing.assert_array_equal(other.policy, plain.policy)
        np.testing.assert_array_equal(other.subgoal, plain.subgoal)
        np.testing.assert_allclose(other.log_promised, plain.log_promised, rtol=1e-14)


def test_discounts_grow_with_the_logs_of_the_legs_as_many_as_they_have():
    """Forward derivatives, mapped over goals; those of the table's entries are mapped as well."""
    size = 12
    apart = np.arange(size)[None] - np.arange(size)[:, None]
    frs = jnp.asarray(np.where((apart >= 0) & (apart <= 3), 0.9**apart, 0.0)[None])
    table, goals = best_legs(frs), jnp.array([11, 6])

    def log_promised(legs, goal):
        return plan_to_goal(BestLegs(legs, table.leader), goal).log_promised

    def growth(goal):
        ones = jnp.ones_like(table.legs)
        return jax.jvp(lambda legs: log_promised(legs, goal), (table.legs,), (ones,))[1]

    numbers = jax.jit(jax.vmap(growth))(goals)
    for goal, number in zip(goals.tolist(), numbers, strict=True):
        legs = [len(plan_to_goal(table, goal).legs(start)) for start in range(goal)]
        assert max(legs) == -(-goal // 3)
        assert number[:goal].tolist() == legs
    by_entry = jax.jacfwd(log_promised)(table.legs, 11)
    np.testing.assert_array_equal(by_entry.sum(axis=(1, 2)), numbers[0])


def test_entries_a_rounding_above_one_do_not_send_plans_in_circles():
    frs = jnp.array([[[1, 1 + 1e-6, 0.5], [1 + 1e-6, 1, 0.5], [0, 0, 1]]])
    plan = plan_to_goal(frs, 2)
    assert plan.legs(0) == plan.legs(1) == [Leg(0, 2)]
    np.testing.assert_allclose(plan.promised, [0.5, 0.5, 1])


@pytest.mark.parametrize("x64", [False, True])
def test_a_path_of_a_hundred_steps_is_one_leg(x64):
    with jax.enable_x64(x64):
        world = maze("." * 101)
        frs = first_occupancy.solve(chain(world.mdp, constant_policies(world.mdp)), discount=0.95)
        plan = plan_to_goal(frs, 100)
        right = world.action_names.index("right")
        for start in range(100):
            assert plan.legs(start) == [Leg(right, 100)]
        steps = 100 - np.arange(101)
        np.testing.assert_allclose(plan.log_promised, steps * np.log(0.95), rtol=1e-5)


def test_float32_plans_turn_only_at_the_corners_of_a_winding_maze():
    drawing = "\n".join(
        "." * 20 if row % 2 == 0 else ("#" * 19 + "." if row % 4 == 1 else "." + "#" * 19)
        for row in range(9)
    )
    with jax.enable_x64(False):
        world = maze(drawing)
        frs = first_occupancy.solve(chain(world.mdp, constant_policies(world.mdp)), discount=0.95)
        start, goal = world.state(0, 0), world.state(8, 19)
        plan = plan_to_goal(frs, goal)
        legs = plan.legs(start)
    assert walk_legs(legs, world.next_states, start) == (goal, 103)
    names = [world.action_names[leg.policy] for leg in legs]
    assert names == ["right", "down", "left", "down", "right", "down", "left", "down", "right"]
    np.testing.assert_allclose(plan.log_promised[start], 103 * np.log(0.95), rtol=1e-5)


def test_a_goal_two_thousand_steps_away_is_planned_from_float32_frs():
    """The corridor's FR by hand: .95 to the number of steps, which float32 cannot hold."""
    steps = np.arange(2001)
    ahead = steps[None, :] - steps[:, None]
    right = np.where(ahead >= 0, 0.95 ** np.abs(ahead), 0).astype(np.float32)
    assert right[0, 2000] < np.finfo(np.float32).tiny
    with jax.enable_x64(False):
        plan = plan_to_goal(jnp.asarray(np.stack([right, right.T])), 2000)
        assert plan.log_promised.dtype == jnp.float32
        legs = plan.legs(0)
    assert legs[-1].subgoal == 2000
    assert len(legs) == 2
    assert all(leg.policy == 0 for leg in legs)
    np.testing.assert_allclose(plan.log_promised, (2000 - steps) * np.log(0.95), rtol=1e-5)


@pytest.mark.parametrize(("steps", "discount"), [(1200, 0.9), (1500, 0.9), (4000, 0.95)])
def test_far_float32_plans_have_no_needless_legs_and_no_too_good_discount(steps, discount):
    with jax.enable_x64(False):
        apart = np.subtract.outer(-np.arange(steps + 1), -np.arange(steps + 1)).astype(float)
        corridor = np.where(apart >= 0, discount ** np.maximum(apart, 0), 0).astype(np.float32)
        plan = plan_to_goal(jnp.asarray(corridor)[None], steps)
        longest_leg = np.log(np.finfo(np.float32).tiny) / np.log(discount)
        assert len(plan.legs(0)) == np.ceil(steps / longest_leg)
        np.testing.assert_allclose(plan.log_promised[0], steps * np.log(discount), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("switches", [0, 1, None])
def test_plans_are_bit_for_bit_those_of_the_simple_version(switches, dtype):
    """300 states are 19 groups, and these two groups of groups; neither last one is whole."""
    frs = tied_frs(300, dtype=dtype)
    table = best_legs(jnp.asarray(frs))
    for goal in (0, 150, 299):
        plan = plan_to_goal(table, goal, max_switches=switches)
        policy, subgoal, log_promised = plan_by_plain_sweeps(frs, goal, switches)
        np.testing.assert_array_equal(plan.policy, policy)
        np.testing.assert_array_equal(plan.subgoal, subgoal)
        np.testing.assert_array_equal(plan.log_promised, log_promised)


def test_plans_that_would_not_fit_are_refused_beforehand(monkeypatch):
    table = best_legs(jnp.asarray(tied_frs(20)))
    monkeypatch.setattr(memory, "where_jax_computes", lambda: 14_000)
    with pytest.raises(InputError) as caught:
        plan_to_every_goal(table)
    assert str(caught.value) == (
        "plan_to_every_goal: needs about 0.0 MiB of memory, but 0.0 MiB are free; "
        "use plan_to_goal on best_legs(frs) instead"
    )
    with pytest.raises(InputError, match="best_legs: needs about"):
        best_legs(jnp.asarray(tied_frs(40)))
    plan_to_goal(table, 0)


@pytest.mark.usefixtures("as_users_run_it")
def test_whole_numbers_are_taken_as_real_ones():
    chain = jnp.eye(3, dtype=int)[jnp.array([1, 2, 2])]
    frs = first_occupancy.solve(chain, discount=0)
    np.testing.assert_array_equal(frs, np.eye(3))
    assert plan_to_goal(jnp.eye(3, dtype=int)[None], 0).reachable.tolist() == [True, False, False]
    learned, error = first_occupancy.td_step(
        jnp.eye(3, dtype=int), 0, 1, discount=0.5, step_size=0.5
    )
    np.testing.assert_array_equal(learned[0], [1, 0.25, 0])
    np.testing.assert_array_equal(error, [0, 0.5, 0])


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_half_precision_frs_are_planned_with_in_single_precision(dtype):
    """All goals at once pay tolls, which in half precision would outgrow the discounts."""
    size = 40
    ahead = np.tile(np.arange(size), (2, 1))
    ahead[np.arange(size - 1) % 2, np.arange(size - 1)] += 1
    frs = first_occupancy.solve(jnp.eye(size)[ahead], discount=0.9).astype(dtype)
    plans = plan_to_every_goal(frs)
    for goal in (5, 15, 39):
        alone = plan_to_goal(frs, goal)
        assert alone.log_promised.dtype == jnp.float32
        assert alone.reachable[: goal + 1].all()
        np.testing.assert_allclose(plans.to(goal).log_promised, alone.log_promised, rtol=1e-5)


def test_half_precision_chains_are_solved_in_single_precision():
    chain = jnp.array([[0.5, 0.5], [0.25, 0.75]], jnp.float16)
    fr = first_occupancy.solve(chain, discount=0.9)
    assert fr.dtype == jnp.float32
    exact = first_occupancy.solve(chain.astype(jnp.float32), discount=0.9)
    np.testing.assert_array_equal(fr, exact)
