import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linprog

import first_occupancy as fo
from first_occupancy.core import MDP, chain, constant_policies, rollouts
from first_occupancy.environments import maze
from first_occupancy.planning import evaluation, options
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy
from oracles import assert_mean_is, exact_optimal_discount, optimal_discount, steps_between

DISCOUNT = 0.85


def first_arrival(states, goal):
    """Return the discount at the first visit to the goal, per walk."""
    here = np.asarray(states) == goal
    return np.where(here.any(axis=-1), DISCOUNT ** here.argmax(axis=-1), 0.0)


def planned(mdp, goal, discount=DISCOUNT):
    base = constant_policies(mdp)
    return plan_to_goal(first_occupancy.solve(chain(mdp, base), discount=discount), goal), base


@pytest.fixture(scope="module")
def windy():
    world = maze("...\n.#.\n...", noise=0.3)
    goal = world.state(2, 2)
    plan, base = planned(world.mdp, goal)
    return (
        world.mdp,
        goal,
        plan,
        base,
        evaluation.evaluate(plan, world.mdp, base, discount=DISCOUNT),
    )


@pytest.mark.parametrize("seed", range(2))
def test_in_a_deterministic_world_a_plan_costs_nothing(seed):
    successors = np.random.default_rng(seed).integers(7, size=(2, 7))
    mdp = MDP(jnp.moveaxis(jnp.eye(7)[successors], 0, 1))
    fewest = steps_between(successors)
    for goal in range(7):
        plan, base = planned(mdp, goal)
        brought = evaluation.evaluate(plan, mdp, base, discount=DISCOUNT)
        expected = DISCOUNT ** fewest[:, goal]
        np.testing.assert_allclose(brought.optimal, expected, rtol=1e-12)
        np.testing.assert_allclose(brought.expected_discount, expected, rtol=1e-12)
        np.testing.assert_allclose(brought.leg_by_leg, expected, rtol=1e-12)
        np.testing.assert_allclose(brought.loss, 0, atol=1e-14)


def test_rechoosing_is_what_walks_bring_that_look_the_plan_up_in_every_state(windy):
    mdp, goal, plan, base, brought = windy
    policy = np.full((mdp.num_states, mdp.num_actions), 1 / mdp.num_actions)
    for state, chosen in enumerate(plan.policy):
        if chosen >= 0:
            policy[state] = base[chosen, state]
    starts = jnp.repeat(jnp.arange(mdp.num_states), 1500)
    walks = rollouts(mdp, jax.random.key(0), jnp.asarray(policy), starts, num_steps=80)
    arrived = first_arrival(walks.states, goal).reshape(mdp.num_states, 1500)
    assert_mean_is(arrived, brought.expected_discount, axis=1, slack=1e-5)


def test_leg_by_leg_is_what_walks_bring_that_follow_each_leg_to_its_end(windy):
    mdp, goal, plan, base, brought = windy
    several = [s for s in range(mdp.num_states) if s != goal and len(plan.legs(s)) > 1]
    assert several
    for start in several[:2]:
        legs = options.from_plan(plan, base, start)
        keys = jax.random.split(jax.random.key(start), 3000)
        walk = jax.vmap(
            lambda key, legs=legs, start=start: (
                options.execute(legs, mdp, key, start, num_steps=120).states
            )
        )
        # Passing the goal by on an earlier leg does not count: only the last leg ends there.
        expected = brought.leg_by_leg[start]
        arrived = []
        for states in np.asarray(walk(keys)):
            time, subgoals = 0, [leg.subgoal for leg in plan.legs(start)]
            for subgoal in subgoals:
                ahead = np.flatnonzero(states[time:] == subgoal)
                time = time + ahead[0] if len(ahead) else np.inf
                if time == np.inf:
                    break
            arrived.append(0.0 if time == np.inf else DISCOUNT**time)
        assert_mean_is(np.array(arrived), expected, axis=0, slack=1e-5)


def test_optimal_is_what_an_independent_iteration_finds(windy):
    mdp, goal, _, _, brought = windy
    expected = optimal_discount(mdp.transition, goal, DISCOUNT)
    np.testing.assert_allclose(brought.optimal, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_brings_more_than_the_optimum(seed):
    rng = np.random.default_rng(seed)
    mdp = MDP(rng.dirichlet(np.full(6, 0.3), size=(6, 2)))
    gaps = []
    for goal in range(6):
        plan, base = planned(mdp, goal)
        brought = evaluation.evaluate(plan, mdp, base, discount=DISCOUNT)
        np.testing.assert_allclose(
            brought.optimal, optimal_discount(mdp.transition, goal, DISCOUNT), rtol=1e-11
        )
        assert (brought.loss >= -1e-13).all()
        assert (brought.optimal >= brought.leg_by_leg * (1 - 1e-12)).all()
        assert (
            brought.expected_discount >= plan.promised * (1 - 1e-12)
        ).all()  # see docs/theory.md
        np.testing.assert_allclose(brought.leg_by_leg, plan.promised, rtol=1e-11)
        gaps.append(brought.loss)
    assert np.max(gaps) > 1e-4


def by_linear_programming(transition, goal, discount):
    """Return the smallest v with v(s) >= discount * sum_t p(t|s,a) v(t) and v(goal) >= 1."""
    size, num_actions, _ = transition.shape
    rows = discount * transition - np.eye(size)[:, None]
    kept = np.arange(size) != goal
    bounds = [(1.0, None) if state == goal else (0.0, None) for state in range(size)]
    solved = linprog(
        np.ones(size),
        A_ub=rows[kept].reshape(-1, size),
        b_ub=np.zeros(kept.sum() * num_actions),
        bounds=bounds,
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert solved.status == 0
    return solved.x


def rarely_left(rng, size=6):
    """Return a world in which some states are left with probabilities down to 1e-4."""
    transition = rng.dirichlet(np.full(size, 0.3), size=(size, 2))
    stays = np.where(rng.random(size) < 0.4, 1 - 10 ** rng.uniform(-4, -1, size), 0)
    return stays[:, None, None] * np.eye(size)[:, None] + (1 - stays)[:, None, None] * transition


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("discount", "x64"), [(0.99, True), (0.9999, True), (0.9999, False)])
def test_the_optimum_is_that_of_linear_programming_also_near_a_discount_of_one(seed, discount, x64):
    transition = rarely_left(np.random.default_rng(seed))
    expected = by_linear_programming(transition, 5, discount)
    with jax.enable_x64(x64):
        mdp = MDP(transition)
        plan, base = planned(mdp, 5, discount)
        brought = evaluation.evaluate(plan, mdp, base, discount=discount)
    assert (brought.optimal >= brought.expected_discount).all()
    # In float32 the chain's own rounding moves what a state that is left with 1e-4 is worth.
    np.testing.assert_allclose(brought.optimal, expected, rtol=1e-7 if x64 else 2e-3)


def test_the_optimum_is_not_below_what_the_plan_brings_in_float32():
    """Value iteration stops early at .9999, with the worse of two actions."""
    p, discount = 1e-4, 0.9999
    best = discount * p / (1 - discount * (1 - p))
    gamble = best / discount * 0.998
    transition = np.zeros((5, 2, 5))
    transition[0, 0, 2] = transition[0, 1, 1] = 1
    transition[1, :, 1], transition[1, :, 3] = 1 - p, p
    transition[2, :, 3], transition[2, :, 4] = gamble, 1 - gamble
    transition[3, :, 3] = transition[4, :, 4] = 1
    with jax.enable_x64(False):
        mdp = MDP(transition)
        plan, base = planned(mdp, 3, discount)
        brought = evaluation.evaluate(plan, mdp, base, discount=discount)
    assert (brought.loss >= 0).all()
    assert brought.optimal[0] > discount * gamble * 1.001


def test_a_plan_from_wrong_frs_meets_the_true_world():
    calm, stormy = maze("....\n...."), maze("....\n....", noise=0.5)
    plan, base = planned(calm.mdp, 7)
    brought = evaluation.evaluate(plan, stormy.mdp, base, discount=DISCOUNT)
    assert (brought.expected_discount[:7] < plan.promised[:7]).all()
    followed = np.asarray(stormy.mdp.transition)[np.arange(8), plan.policy]
    followed[7] = 0
    expected = np.linalg.solve(np.eye(8) - DISCOUNT * followed, np.eye(8)[7])
    np.testing.assert_allclose(brought.expected_discount, expected, rtol=1e-12)


def test_where_the_goal_is_out_of_reach_a_plan_brings_nothing():
    world = maze("..#..")
    plan, base = planned(world.mdp, 3)
    brought = evaluation.evaluate(plan, world.mdp, base, discount=DISCOUNT)
    for discounts in (brought.expected_discount, brought.leg_by_leg, brought.optimal):
        np.testing.assert_allclose(discounts, [0, 0, DISCOUNT, 1], rtol=1e-14)


def waiting_or_gambling(leave, odds):
    """Return a world with two ways to state 3: wait in state 1, or gamble in state 2.

    State 1 is left for the goal with probability `leave`; the gamble's chance is `odds` times
    what waiting is worth at a discount of .9999. State 4 is a trap.
    """
    waiting = 0.9999 * leave / (1 - 0.9999 * (1 - leave))
    transition = np.zeros((5, 2, 5))
    transition[0, 0, 2] = transition[0, 1, 1] = 1
    transition[1, :, 1], transition[1, :, 3] = 1 - leave, leave
    transition[2, :, 3], transition[2, :, 4] = odds * waiting, 1 - odds * waiting
    transition[3, :, 3] = transition[4, :, 4] = 1
    return transition


def evaluated(transition, goal, discount):
    mdp = MDP(transition)
    base = constant_policies(mdp)
    plan = plan_to_goal(first_occupancy.solve(chain(mdp, base), discount=discount), goal)
    return mdp, evaluation.evaluate(plan, mdp, base, discount=discount)


@pytest.mark.parametrize("odds", [0.99, 0.998, 1.002, 1.01])
@pytest.mark.parametrize("leave", [1e-2, 1e-3, 1e-4])
def test_the_optimum_waits_where_waiting_is_better(leave, odds):
    with jax.enable_x64(False):
        discount = np.float32(0.9999)
        mdp, brought = evaluated(waiting_or_gambling(leave, odds), 3, discount)
        assert brought.optimal.dtype == jnp.float32
        exact = exact_optimal_discount(mdp.transition, 3, float(discount))
        expected = [float(value) for value in exact]
        np.testing.assert_allclose(brought.optimal, expected, rtol=2.0**-23 / 1e-4)
        assert (brought.loss >= 0).all()


def hardly_ever_left(rng):
    """Return a world of five states that most actions hardly ever leave, some never."""
    transition = rng.dirichlet(np.full(5, 0.3), size=(5, 2)) * (rng.random((5, 2, 5)) < 0.6)
    leave = 10.0 ** -rng.integers(0, 7, size=(5, 1, 1)) * rng.choice([1.0, 0.99, 0.5], (5, 2, 1))
    transition = leave * transition / np.maximum(transition.sum(axis=2, keepdims=True), 1e-9)
    transition[np.arange(5), :, np.arange(5)] += 1 - transition.sum(axis=2)
    return transition


@pytest.mark.parametrize(
    ("x64", "discount"), [(False, 0.99), (False, 0.9999), (True, 0.9999), (True, 1 - 1e-7)]
)
def test_the_optimum_is_that_of_all_policies_in_rationals(x64, discount):
    with jax.enable_x64(x64):
        precision = np.float64 if x64 else np.float32
        discount = precision(discount)
        for seed in range(8):
            transition = hardly_ever_left(np.random.default_rng(seed)).astype(precision)
            mdp, brought = evaluated(transition, 0, discount)
            exact = exact_optimal_discount(mdp.transition, 0, float(discount))
            allowed = np.finfo(precision).eps / (1 - float(discount))
            expected = [float(value) for value in exact]
            np.testing.assert_allclose(brought.optimal, expected, rtol=allowed)
            assert (brought.loss >= 0).all()


def test_half_precision_frs_of_legs_are_multiplied_in_single():
    """Twenty steps by legs of one each: 2^-20 has two digits in half precision."""
    ahead = np.tile(np.arange(21), (2, 1))
    ahead[np.arange(20) % 2, np.arange(20)] += 1
    frs = first_occupancy.solve(jnp.eye(21)[ahead], discount=0.7)
    plan = plan_to_goal(frs, 20)
    found = evaluation.discount_of_legs(plan, frs.astype(jnp.float16))
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, 0.7 ** np.arange(20, -1, -1), rtol=20 * 2**-11)
    half = float(np.float16(0.7))
    np.testing.assert_allclose(found, half ** np.arange(20, -1, -1), rtol=1e-5)


WINDY = maze(["S..#", "...G", "#..."], noise=0.3)


@pytest.mark.parametrize("discount", [0.9, 0.99])
def test_all_numbers_are_those_of_the_same_world_as_sparse_or_dense_arrays(discount):
    for goal in (0, 6):
        chained = fo.plan(WINDY, goal, discount=discount)
        dense = evaluation.evaluate(chained, WINDY, constant_policies(WINDY), discount=discount)
        for world in (WINDY, WINDY.mdp, WINDY.sparse_mdp):
            found = evaluation.evaluate(chained, world, discount=discount)
            for what in ("expected_discount", "leg_by_leg", "optimal"):
                np.testing.assert_allclose(getattr(found, what), getattr(dense, what), rtol=1e-9)
            np.testing.assert_allclose(found.loss, dense.loss, atol=1e-9)


def test_sets_of_goals_and_no_discount_are_evaluated_too():
    surest = fo.plan(WINDY, [0, 6], discount=1.0)
    for world in (WINDY, WINDY.mdp, WINDY.sparse_mdp):
        found = evaluation.evaluate(surest, world, discount=1.0)
        np.testing.assert_allclose(found.expected_discount, 1)
        np.testing.assert_allclose(found.optimal, 1)


def test_deterministic_worlds_are_evaluated_by_paths_and_legs_when_asked_for():
    still = maze(["S..#", "...G", "#..."])
    shortest = fo.plan(still, 6, discount=0.9)
    found = evaluation.evaluate(shortest, still, discount=0.9)
    assert "leg by leg" in str(found)
    for values in (found.expected_discount, found.leg_by_leg, found.optimal):
        np.testing.assert_allclose(values, shortest.expected_discount, rtol=1e-6)
    # A copy still knows how to compute the legs.
    kept = jax.tree.map(lambda leaf: leaf, found)
    np.testing.assert_array_equal(kept.leg_by_leg, found.leg_by_leg)
