"""Agents look their plan up in every state; what they see and do is said by their world."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning.plans import Plan

DRAWING = ["S..", ".#.", "..G"]
one_step = Plan(
    goal=jnp.array(1),
    policy=jnp.array([0, -1]),
    subgoal=jnp.array([1, 1]),
    log_promised=jnp.array([-1.0, 0.0]),
)


def walk(world, agent, state, goal, rng=None):
    """Return the number of steps to the goal."""
    steps = 0
    while state != goal:
        action, _ = agent.predict(state)
        row = np.asarray(world.mdp.transition)[state, action]
        state = int(row.argmax()) if rng is None else int(rng.choice(len(row), p=row))
        steps += 1
    return steps


def test_an_agent_in_a_maze_takes_as_long_as_its_plan_says():
    world = fo.maze(DRAWING)
    plan = fo.plan(world, (2, 2), discount=0.9)
    assert isinstance(plan.agent(), fo.Agent)
    assert walk(world, plan.agent(), world.start, int(plan.goal)) == plan.expected_time[world.start]
    # Cells are observations, too, and arrays are batches of states.
    assert plan.agent().predict((0, 0))[0] == plan.agent().predict(world.start)[0]
    others = [state for state in range(world.num_states) if state != int(plan.goal)]
    actions, state = plan.agent().predict(np.array(others), state="passed on")
    assert actions.tolist() == [plan.agent().predict(each)[0] for each in others]
    assert state == "passed on"


def test_under_noise_walks_are_worth_the_expected_discount():
    world = fo.maze(DRAWING, noise=0.2)
    plan = fo.plan(world, (2, 2), discount=0.9)
    agent, rng, goal = plan.agent(), np.random.default_rng(0), int(plan.goal)
    worths = [0.9 ** walk(world, agent, world.start, goal, rng) for _ in range(200)]
    error = np.std(worths) / np.sqrt(len(worths))
    assert abs(np.mean(worths) - float(plan.expected_discount[world.start])) < 3 * error


def test_observations_and_policies_can_be_of_ones_own():
    world = fo.maze(DRAWING)
    halves = np.full((1, world.num_states, 4), 0.25)
    plan = fo.plan(world, 1, policies=halves, discount=0.9)
    agent = plan.agent(observe=lambda seen: seen["cell"])
    assert {agent.predict({"cell": 0})[0] for _ in range(60)} == {0, 1, 2, 3}
    agent = plan.agent(policies=np.full((1, world.num_states), 2))
    assert {agent.predict(0)[0] for _ in range(9)} == {2}
    agent = plan.agent(observe=lambda seen: -1, policies=np.full((1, world.num_states), 2))
    assert {agent.predict(0)[0] for _ in range(60)} == {0, 1, 2, 3}
    frs = fo.occupancies(world.mdp, fo.constant_policies(world.mdp), discount=0.9)
    agent = fo.plan(world, (2, 2), policies=frs, discount=0.9).agent()
    assert walk(world, agent, world.start, 7) == 4


def test_chance_goes_on_when_the_plan_changes():
    tables = np.full((1, 2, 4), 0.25)
    agents = [one_step.agent(observe=int, policies=tables) for _ in range(2)]
    drawn = [agents[0].predict(0)[0] for _ in range(20)]
    again = [agents[1].predict(0)[0] for _ in range(10)]
    agents[1].follow(one_step)
    assert again + [agents[1].predict(0)[0] for _ in range(10)] == drawn


stays = np.zeros((1, 2), int)
MISTAKES = {
    "many goals": (
        lambda: replace(one_step, goal=jnp.array([0, 1])).agent(policies=stays),
        "agent: plan must be the plan to one goal, got many; take plans.to(goal)",
    ),
    "other policies": (
        lambda: replace(one_step, policy=jnp.array([1, -1])).agent(policies=stays),
        "agent: policies must be those of the plan, which follows policy 1, got 1",
    ),
    "no policies": (
        lambda: one_step.agent(),
        "agent: policies must be given, since the plan does not know its world's actions",
    ),
    "other states": (
        lambda: one_step.agent(policies=np.zeros((1, 3), int)),
        "agent: policies must be actions [N S] or probabilities [N S A] over the plan's 2 states, "
        "got [[0 0 0]]",
    ),
    "no function": (
        lambda: one_step.agent(observe=3, policies=stays),
        "agent: observe must be a function, got 3",
    ),
    "unplanned state": (
        lambda: one_step.agent(policies=stays).predict(2),
        "agent: state must be one of the plan's 2, got 2; plan again",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
