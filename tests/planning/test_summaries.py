import jax.numpy as jnp

from first_occupancy.planning._summaries import summary_of_many, summary_of_plan
from first_occupancy.planning.plans import Plan


def plan_with(followed):
    logs = jnp.log(jnp.array([0.25, 0.5, 1.0, 0.0]))
    policy, subgoal = jnp.array([0, 0, -1, -1]), jnp.array([2, 2, 2, -1])
    return Plan(jnp.array(2), policy, subgoal, logs, followed=followed)


def test_a_plan_tells_its_goal_from_where_and_how_soon():
    assert summary_of_plan(plan_with(None)).splitlines() == [
        "Plan to 2",
        "  reached from 2 of 3 other states",
        "  promised discount 0.25 to 0.5, mean 0.375",
    ]


def test_what_following_brings_is_told_where_it_differs():
    same = summary_of_plan(plan_with(jnp.array([0.25, 0.5, 1.0, 0.0])))
    assert same.endswith("followed discount as promised")
    better = summary_of_plan(plan_with(jnp.array([0.5, 0.75, 1.0, 0.0])))
    assert better.endswith("followed discount 0.5 to 0.75, mean 0.625")


def test_plans_to_many_goals_tell_the_goals():
    logs = jnp.array([[0.0, -jnp.inf], [-1.0, 0.0]])
    plans = Plan(jnp.array([0, 1]), jnp.zeros((2, 2), int), jnp.zeros((2, 2), int), logs)
    assert summary_of_many(plans, None) == (
        "Plan to 2 goals over 2 states\n  goals: 0, 1\n"
        "  reached: 75.0% of all pairs of goal and state"
    )
