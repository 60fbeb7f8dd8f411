"""Plans to every goal at once, against searches and planners that know nothing of closures."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall

from first_occupancy.environments import maze
from first_occupancy.planning._dense import closure
from first_occupancy.planning._dense.closure import close
from first_occupancy.planning.frp import fold, plan_to_every_goal
from first_occupancy.planning.paths import plan_paths
from oracles import plan_by_plain_sweeps, steps_between
from strategies import random_legs


def frs_by_walking(next_states, discount, dtype):
    """Return the FRs of deterministic policies, powers of the discount by definition."""
    count, size = next_states.shape
    frs = np.zeros((count, size, size), dtype)
    for policy, ahead in enumerate(next_states):
        for start in range(size):
            state, steps = start, 0
            while not frs[policy, start, state]:
                frs[policy, start, state] = discount**steps
                state, steps = ahead[state], steps + 1
    return jnp.asarray(frs)


def test_the_closure_holds_the_shortest_way_between_any_two_states():
    legs = random_legs(48, 48, share=1 / 12)
    np.fill_diagonal(legs, 0)
    lengths = np.where(np.isfinite(legs), -legs, np.inf)
    shortest = floyd_warshall(lengths)
    assert np.isfinite(shortest).mean() > 0.5
    np.testing.assert_allclose(-jax.jit(close)(jnp.asarray(legs)), shortest, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_plan_of_a_maze_is_the_one_a_search_finds_ties_included(dtype):
    free = np.random.default_rng(5).random((13, 13)) > 0.3
    world = maze(["".join(".#"[not cell] for cell in row) for row in free])
    with jax.enable_x64(dtype == np.float64):
        plans = plan_to_every_goal(frs_by_walking(world.next_states, 0.95, dtype))
        assert plans.log_promised.dtype == dtype
        for goal in range(0, world.num_states, 7):
            plan, searched = plans.to(goal), plan_paths(world.next_states, goal, discount=0.95)
            np.testing.assert_array_equal(plan.subgoal, searched.subgoal)
            np.testing.assert_array_equal(plan.policy, searched.policy)
            np.testing.assert_allclose(plan.log_promised, searched.log_promised, rtol=1e-5)


def test_a_plan_has_the_discount_and_the_legs_of_the_plan_to_its_goal_alone(monkeypatch):
    """More than one block of states and of goals, and legs that are worth anything."""
    monkeypatch.setattr(closure, "GOALS", 100)  # the table has 256 rows: so 64 goals together
    rng = np.random.default_rng(2)
    frs = rng.random((2, 150, 150)) ** 9 * (rng.random((2, 150, 150)) < 0.1)
    plans = plan_to_every_goal(fold(jnp.asarray(frs)))
    for goal in (0, 77, 149):
        policy, subgoal, log_promised = plan_by_plain_sweeps(frs, goal)
        plan = plans.to(goal)
        np.testing.assert_allclose(plan.log_promised, log_promised, rtol=1e-12)
        np.testing.assert_array_equal(plan.subgoal, subgoal)
        np.testing.assert_array_equal(plan.policy, policy)


def test_far_float32_plans_end_and_have_no_needless_legs():
    """A snake, five times as long as the first toll is meant for."""
    lines = ["." * 14 if row % 2 == 0 else "#" * 13 + "." for row in range(15)]
    drawing = [line[::-1] if row % 4 == 3 else line for row, line in enumerate(lines)]
    world = maze(drawing)
    fewest = steps_between(world.next_states)
    assert fewest.max() * -np.log(0.95) > 5
    with jax.enable_x64(False):
        plans = plan_to_every_goal(frs_by_walking(world.next_states, 0.95, np.float32))
        logs = np.asarray(plans.log_promised)
        legs = len((plans.to(world.num_states - 1)).legs(0))
    np.testing.assert_allclose(logs, fewest.T * np.log(0.95), rtol=1e-5)
    assert legs == 14  # seven lines and the seven ways from one to the next
