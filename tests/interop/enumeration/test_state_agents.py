"""Agents act by the state of their environment, and only for plans of their world."""

import numpy as np

import first_occupancy as fo
from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
from functional_worlds import LEFT, RIGHT, Corridor, full_state


def test_agents_draw_from_probabilities_and_act_at_random_where_the_plan_is_at_an_end(error_of):
    environment = Corridor()
    world = enumerate_copies(Corridor(), key=full_state)
    plan = fo.plan(world, world.ends, discount=0.9)
    environment.reset()
    halves = np.tile([0.5, 0.5, 0.0], (3, world.num_states, 1))
    agent = world.agent(plan, environment, halves)
    assert {agent.predict()[0] for _ in range(40)} == {LEFT, RIGHT}
    environment.place = (9, False, False)  # where it has never been
    assert {agent.predict()[0] for _ in range(60)} == {0, 1, 2}
    assert error_of(lambda: world.agent(plan, environment, np.zeros((1, 3), int))) == (
        "StateAgent: plan and policies must be for the world's 11 states, got [11] and [1, 3]"
    )
    assert error_of(lambda: world.agent(plan, environment, np.zeros((1, 11), int))) == (
        "StateAgent: policies must be those of the plan, which follows policy 2, got 1"
    )
