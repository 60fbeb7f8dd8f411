import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP, chain, constant_policies, rollouts
from first_occupancy.environments import maze
from first_occupancy.planning import evaluation, options
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.plans import unroll
from first_occupancy.representations import first_occupancy
from oracles import assert_mean_is, optimal_discount, steps_between

DISCOUNT = 0.85


def first_arrival(states, goal):
    """Return the discount at the first visit to the goal, per walk."""
    here = np.asarray(states) == goal
    return np.where(here.any(axis=-1), DISCOUNT ** here.argmax(axis=-1), 0.0)


def planned(mdp, goal):
    base = constant_policies(mdp)
    return plan_to_goal(first_occupancy.solve(chain(mdp, base), discount=DISCOUNT), goal), base


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
        np.testing.assert_allclose(brought.rechoosing, expected, rtol=1e-12)
        np.testing.assert_allclose(brought.leg_by_leg, expected, rtol=1e-12)
        np.testing.assert_allclose(brought.gap, 0, atol=1e-14)


def test_rechoosing_is_what_walks_bring_that_look_the_plan_up_in_every_state(windy):
    mdp, goal, plan, base, brought = windy
    policy = np.full((mdp.num_states, mdp.num_actions), 1 / mdp.num_actions)
    for state, chosen in enumerate(plan.policy):
        if chosen >= 0:
            policy[state] = base[chosen, state]
    starts = jnp.repeat(jnp.arange(mdp.num_states), 1500)
    walks = rollouts(mdp, jax.random.key(0), jnp.asarray(policy), starts, num_steps=80)
    arrived = first_arrival(walks.states, goal).reshape(mdp.num_states, 1500)
    assert_mean_is(arrived, brought.rechoosing, axis=1, slack=1e-5)


def test_leg_by_leg_is_what_walks_bring_that_follow_each_leg_to_its_end(windy):
    mdp, goal, plan, base, brought = windy
    several = [s for s in range(mdp.num_states) if s != goal and len(unroll(plan, s)) > 1]
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
            time, subgoals = 0, [leg.subgoal for leg in unroll(plan, start)]
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
        assert (brought.gap >= -1e-13).all()
        assert (brought.optimal >= brought.leg_by_leg * (1 - 1e-12)).all()
        assert (brought.rechoosing >= plan.discount * (1 - 1e-12)).all()  # see docs/theory.md
        np.testing.assert_allclose(brought.leg_by_leg, plan.discount, rtol=1e-11)
        gaps.append(brought.gap)
    assert np.max(gaps) > 1e-4


def test_a_plan_from_wrong_frs_meets_the_true_world():
    calm, stormy = maze("....\n...."), maze("....\n....", noise=0.5)
    plan, base = planned(calm.mdp, 7)
    brought = evaluation.evaluate(plan, stormy.mdp, base, discount=DISCOUNT)
    assert (brought.rechoosing[:7] < plan.discount[:7]).all()
    followed = np.asarray(stormy.mdp.transition)[np.arange(8), plan.policy]
    followed[7] = 0
    expected = np.linalg.solve(np.eye(8) - DISCOUNT * followed, np.eye(8)[7])
    np.testing.assert_allclose(brought.rechoosing, expected, rtol=1e-12)


def test_where_the_goal_is_out_of_reach_a_plan_brings_nothing():
    world = maze("..#..")
    plan, base = planned(world.mdp, 3)
    brought = evaluation.evaluate(plan, world.mdp, base, discount=DISCOUNT)
    for discounts in (brought.rechoosing, brought.leg_by_leg, brought.optimal):
        np.testing.assert_allclose(discounts, [0, 0, DISCOUNT, 1], rtol=1e-14)
