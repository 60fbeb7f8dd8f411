"""Plans become functions only with the world and the policies they were made for."""

import numpy as np

import first_occupancy as fo
from first_occupancy.interop.enumeration.jax_worlds import enumerate_jax
from first_occupancy.interop.enumeration.plan_functions import plan_function
from functional_worlds import corridor


def test_mistakes_get_one_sentence(error_of):
    world = enumerate_jax(corridor())
    plan = fo.plan(world, world.ends, discount=0.9)
    assert error_of(lambda: plan_function(world, plan, np.zeros((1, 3), int))) == (
        "plan_function: plan and policies must be for the world's 11 states, got [11] and [1, 3]"
    )
    assert error_of(lambda: plan_function(world, plan, np.zeros((1, 11), int))) == (
        "plan_function: policies must be those of the plan, which follows policy 2, got 1"
    )
    stochastic = np.full((3, 11, 3), 1 / 3)
    act = plan_function(world, plan, stochastic)
    assert error_of(lambda: act(world.state(0))) == (
        "PlanFunction: key must be given where base policies are stochastic"
    )
