"""Agents that notice a changed world, and plan again."""

from dataclasses import replace

import numpy as np
import pytest

from first_occupancy.core import MDP
from first_occupancy.environments import Maze, four_rooms
from first_occupancy.interop.gym.finite_environments import MazeEnvironment, MDPEnvironment
from first_occupancy.interop.plan_agents import ReplanningAgent
from first_occupancy.interop.skills import skills_of
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy
from oracles import fr_by_linear_solves, steps_between
from plan_episodes import run_episode

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


DISCOUNT = 0.9


def shut(world, door):
    """Return the world after a door was shut: the same states, but the door is never entered."""
    here = np.arange(world.num_states)
    blocked = np.where(world.next_states == door, here, world.next_states)
    blocked[:, door] = door
    return replace(world, next_states=blocked)


def test_an_agent_walks_round_a_door_that_was_shut(rooms):
    _, skills = rooms
    world: Maze = four_rooms()
    door, goal = world.state(5, 1), world.state(1, 1)
    changed = MazeEnvironment(shut(world, door), goals=[(1, 1)])
    agent = ReplanningAgent(skills, goal)
    before = float(agent.plan.log_promised[world.start])
    episode = run_episode(changed, agent, seed=0, max_steps=200)
    assert episode.reached
    assert episode.terminated
    assert episode.replans >= 1
    # The plan as corrected is the one FRs solved anew would have made.
    anew = first_occupancy.solve(agent.skills.chains, discount=DISCOUNT)
    np.testing.assert_allclose(
        agent.plan.log_promised, plan_to_goal(anew, goal).log_promised, rtol=1e-9
    )
    # Once known, the way round is the shortest there is, and no surprise is left.
    again = run_episode(changed, agent, seed=0, max_steps=200)
    assert again.reached
    assert again.replans == 0
    shortest = steps_between(changed.world.next_states)[world.start, goal]
    assert len(again.actions) == shortest
    assert shortest * np.log(DISCOUNT) < before


def test_an_agent_without_the_change_never_plans_again(rooms):
    environment, skills = rooms
    agent = ReplanningAgent(skills, environment.world.state(8, 8))
    episode = run_episode(environment, agent, seed=0)
    assert episode.reached
    assert (episode.replans, agent.replans, episode.terminated) == (0, 0, False)
    assert len(episode.states) == len(episode.actions) + 1 == len(episode.rewards) + 1


def test_expected_chance_is_no_surprise_but_a_threshold_makes_it_one(noisy):
    environment, skills = noisy
    goal = environment.world.goals[0]
    agent = ReplanningAgent(skills, goal)
    assert not any(run_episode(environment, agent, seed=seed).replans for seed in range(5))
    wary = ReplanningAgent(skills, goal, surprise=0.5, trust=0.5)
    assert sum(run_episode(environment, wary, seed=seed).replans for seed in range(5)) > 0
    assert np.asarray(wary.skills.mdp.transition).sum(axis=-1) == pytest.approx(1)


def test_a_plan_after_many_surprises_is_that_of_the_world_as_it_is_then():
    # Changes made one upon the other would be off by 5e-9 here, and by 1 a few later.
    rng, identity = np.random.default_rng(29), np.eye(5)
    likely, unlikely = identity[rng.integers(5, size=(2, 5, 1))]
    world = MDP(0.9 * likely + 0.1 * unlikely, np.ones((5, 1, 5)))
    agent = ReplanningAgent(skills_of(MDPEnvironment(world), discount=0.999), 3)
    for state, next_state in rng.integers(5, size=(14, 2)).tolist():
        agent.learn(state, 0, next_state)
    assert agent.replans == 8
    exact = fr_by_linear_solves(np.asarray(agent.skills.chains[0]), 0.999)[:, 3]
    assert agent.plan.promised == pytest.approx(exact, abs=1e-11)


lake = skills_of(gymnasium.make("FrozenLake-v1"), discount=0.9)
MISTAKES = {
    "surprise": (
        lambda: ReplanningAgent(lake, 15, surprise=1.0),
        "ReplanningAgent: surprise must be at least 0 and below 1, got 1.0",
    ),
    "trust": (
        lambda: ReplanningAgent(lake, 15, trust=0.0),
        "ReplanningAgent: trust must be above 0 and at most 1, got 0.0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
