"""Plans for a deadline, against plain backward induction."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning.deadlines import DeadlinePlan


def random_world(rng, durations=None):
    size, actions = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    chains = []
    for _ in range(actions):
        chain = np.zeros((size, size))
        for row in chain:
            ends = rng.choice(size, int(rng.integers(1, min(3, size) + 1)), replace=False)
            row[ends] = rng.dirichlet(np.ones(len(ends)))
        chains.append(chain)
    times = None if durations is None else rng.choice(durations, (size, actions))
    return fo.SparseMDP(chains, durations=times), np.array(chains)


def values_by(chains, goal, steps, times=None):
    """Return the values with each number of units left, state by state and action by action."""
    actions, size, _ = chains.shape
    values = np.zeros((steps + 1, size))
    values[:, goal] = 1
    for left in range(1, steps + 1):
        for state in range(size):
            for action in range(actions):
                spent = 1 if times is None else int(times[state, action])
                if state != goal and spent <= left:
                    worth = chains[action, state] @ values[left - spent]
                    values[left, state] = max(values[left, state], worth)
    return values


@pytest.mark.parametrize("durations", [None, [1.0, 2.0, 5.0]])
def test_values_are_those_of_plain_backward_induction_and_the_policy_has_them(durations):
    rng = np.random.default_rng(0)
    for _ in range(60):
        world, chains = random_world(rng, durations)
        goal, steps = int(rng.integers(world.num_states)), int(rng.integers(0, 13))
        plan, exact = fo.plan(world, goal, deadline=float(steps)), values_by(
            chains, goal, steps, world.durations
        )  # fmt: skip
        assert isinstance(plan, DeadlinePlan)
        np.testing.assert_allclose(plan.probability, exact[-1], rtol=1e-12, atol=0)
        for left in range(steps + 1):
            np.testing.assert_allclose(plan.probability_with(left), exact[left], rtol=1e-12)
        for start in range(world.num_states):
            arrival = plan.arrival(start)
            np.testing.assert_allclose(arrival.probability, exact[-1, start], rtol=1e-11)


def test_the_surer_way_is_left_for_the_faster_one_when_time_is_short():
    # 0: risky (a half to the goal, else lost) in one step, or sure by way of 1 in two.
    risky = np.array([[0, 0, 0.5, 0.5], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    sure = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    world = fo.SparseMDP([risky, sure], action_names=["risky", "sure"])
    plan = fo.plan(world, 2, deadline=9.0)
    assert [int(plan.policy_with(left)[0]) for left in (0, 1, 2, 9)] == [-1, 0, 1, 1]
    assert plan.num_changes == 3
    assert plan.probability.tolist() == [1, 1, 1, 0]
    assert [str(leg) for leg in plan.legs(0)] == ["sure until state 1", "risky until state 2"]
    assert repr(plan) == (
        "Plan to 2 by 9\n  in time from 2 of 3 other states, with probability 1\n  3 choices stored"
    )
    with pytest.raises(fo.InputError, match="likeliest"):
        plan.legs(3)


def test_an_agent_keeps_the_clock_and_arrives_as_often_as_the_plan_says():
    world, plan = (maze := fo.four_rooms(noise=0.3)), fo.plan(maze, (1, 9), deadline=22.0)
    agent, rng = plan.agent(seed=1), np.random.default_rng(2)
    chains, tries, arrived = np.asarray(world.mdp.transition, np.float64), 1500, 0
    for _ in range(tries):
        agent.reset()
        state = world.start
        for _ in range(22):
            action, _ = agent.predict(state)
            state = int(rng.choice(world.num_states, p=chains[state, action]))
            if state == int(plan.goal):
                arrived += 1
                break
        else:
            assert agent.left == 1
    chance = plan.probability[world.start]
    assert abs(arrived / tries - chance) < 4 * np.sqrt(chance * (1 - chance) / tries)
    surest = fo.plan(world, (1, 9), discount=0.95).arrival(world.start).by(22)
    assert chance > surest


def test_the_clock_runs_by_the_durations_of_the_moves_seen():
    graph = fo.from_edges([("a", "b"), ("b", "c"), ("a", "c")], weights=[1.5, 2.0, 9.0])
    plan = fo.plan(graph, "c", deadline=4.0)
    assert plan.probability.tolist() == [1, 1, 1]
    agent = plan.agent()
    agent.predict("a")
    agent.predict("b")
    assert agent.left == 2.5
    late = fo.plan(graph, "c", deadline=3.0)
    assert late.probability.tolist() == [0, 1, 1]


def test_durations_without_a_common_unit_are_rounded_up():
    world = fo.SparseMDP([np.eye(2)[[1, 1]]], durations=[[np.sqrt(2)], [1.0]])
    tight = fo.plan(world, 1, deadline=float(np.sqrt(2)))
    assert tight.rounding > 0
    assert tight.probability[0] == 0
    assert fo.plan(world, 1, deadline=1.5).probability[0] == 1


def test_states_to_avoid_are_not_entered():
    world = fo.maze(["S.G", "..."], noise=0.4)
    free, careful = fo.plan(world, 2, deadline=6.0), fo.plan(world, 2, deadline=6.0, avoid=[4])
    assert careful.probability[0] < free.probability[0]
    assert careful.probability[4] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deadline": -1.0}, "deadline must be"),
        ({"deadline": np.nan}, "deadline must be"),
        ({"deadline": 2.5}, "whole number"),
        ({"deadline": 1e30}, "deadline must be a finite number up to"),
        ({"deadline": 5.0, "discount": 0.9}, "discount must be left out"),
        ({"deadline": 5.0, "tolerance": 0.1}, "tolerance must be left out"),
        ({"deadline": 5.0, "goal": 99}, "goal"),
        ({}, "discount or deadline"),
    ],
)
def test_what_a_deadline_cannot_be_is_said(options, message):
    world = fo.maze(["S.", ".."], noise=0.1)
    with pytest.raises(fo.InputError, match=message):
        fo.plan(world, **({"goal": 3} | options))
