import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy.planning._summaries import summary_of_many, summary_of_plan
from first_occupancy.planning.plans import Origin, Plan


def plan_with(achieved, known="exact", arrival=None):
    logs = jnp.log(jnp.array([0.25, 0.5, 1.0, 0.0]))
    policy, subgoal = jnp.array([0, 0, -1, -1]), jnp.array([2, 2, 2, -1])
    options = {"known": known, "origin": arrival and Origin(lambda: arrival)}
    return Plan(jnp.array(2), policy, subgoal, logs, achieved=achieved, **options)


def test_a_plan_tells_its_goal_from_where_and_how_soon():
    assert summary_of_plan(plan_with(None, "estimate")).splitlines() == [
        "Plan to 2",
        "  reached from 2 of 3 other states",
        "  expected discount 0.25 to 0.5, mean 0.375 (estimate)",
    ]


def test_the_promise_is_told_where_it_differs():
    same = summary_of_plan(plan_with(jnp.array([0.25, 0.5, 1.0, 0.0])))
    assert same.endswith("expected discount 0.25 to 0.5, mean 0.375")
    better = summary_of_plan(plan_with(jnp.array([0.5, 0.75, 1.0, 0.0])))
    assert better.endswith(
        "expected discount 0.5 to 0.75, mean 0.625\n  promised by the legs 0.25 to 0.5, mean 0.375"
    )


def test_probabilities_and_times_are_told_where_they_are_known():
    achieved, times = jnp.array([0.25, 0.5, 1.0, 0.0]), np.array([2, 1, 0, np.inf])
    sure = plan_with(achieved, arrival=(np.array([1.0, 1.0, 1.0, 0.0]), times))
    assert summary_of_plan(sure).endswith("mean 0.375\n  expected time 1 to 2, mean 1.5")
    unsure = plan_with(achieved, arrival=(np.array([0.5, 1.0, 1.0, 0.0]), times))
    assert summary_of_plan(unsure).splitlines()[-2:] == [
        "  arrives with probability 0.5 to 1, mean 0.75",
        "  expected time, given arrival, 1 to 2, mean 1.5",
    ]


def test_plans_to_many_goals_tell_the_goals():
    logs = jnp.array([[0.0, -jnp.inf], [-1.0, 0.0]])
    plans = Plan(jnp.array([0, 1]), jnp.zeros((2, 2), int), jnp.zeros((2, 2), int), logs)
    assert summary_of_many(plans, None) == (
        "Plan to 2 goals over 2 states\n  goals: 0, 1\n"
        "  reached: 75.0% of all pairs of goal and state"
    )


def test_showing_a_large_noisy_plan_solves_nothing():
    def solve():
        raise AssertionError("solved")

    size = 3000
    policy, logs = np.zeros(size, np.int32), np.zeros(size)
    arrays = jnp.array(0), jnp.asarray(policy), jnp.asarray(policy), jnp.asarray(logs)
    plan = Plan(*arrays, engine="sparse", origin=Origin(solve))
    assert not plan.arrives_at_once
    assert "expected time" not in summary_of_plan(plan)


def test_where_the_world_says_where_it_starts_the_arrival_from_there_is_told():
    world = fo.maze(["S.", "#G"], noise=0.2)
    assert repr(fo.plan(world, (1, 1), discount=0.9)).splitlines()[-1] == (
        "  from the start 0 '(0, 0)': arrives for certain, after 2.422 ± 0.822 steps"
    )
