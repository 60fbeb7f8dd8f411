"""On Gymnasium's worlds, FRs and optima are QuantEcon's answers to the first-visit problem."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'peers' is not installed")
markov = pytest.importorskip("quantecon.markov", reason="the extra 'peers' is not installed")

import first_occupancy as fo  # noqa: E402
from first_occupancy.interop.gym.tables import read_table  # noqa: E402

DISCOUNT = 0.95


def first_visit_problem(environment, ended, goal):
    """Return QuantEcon's problem from the environment's own table: arriving at the goal pays 1.

    The goal and the ends are absorbing, and pay nothing once one is there.
    """
    table = environment.unwrapped.P
    size, actions = len(table), len(table[0])
    transition = np.zeros((size, actions, size))
    for state, action in np.ndindex(size, actions):
        for probability, following, _, _ in table[state][action]:
            transition[state, action, following] += probability
    for state in {*ended, goal}:
        transition[state] = np.eye(size)[state]
    reward = transition[:, :, goal].copy()
    reward[goal] = 0
    return markov.DiscreteDP(reward, transition, DISCOUNT)


@pytest.mark.parametrize(
    ("name", "num_goals"), [("FrozenLake8x8-v1", 64), ("CliffWalking-v1", 48), ("Taxi-v4", 8)]
)
def test_fr_values_are_quantecons_policy_values(name, num_goals):
    environment = gymnasium.make(name)
    world = read_table(environment)
    size = world.num_states
    assert size == len(environment.unwrapped.P)
    chains = fo.chain(world.mdp, fo.constant_policies(world.mdp))
    frs = np.asarray(fo.first_occupancy.solve(chains, discount=DISCOUNT))
    others = np.random.default_rng(0).permutation(np.setdiff1d(np.arange(size), world.ends))
    goals = [int(goal) for goal in (*world.ends, *others)][:num_goals]
    for goal in goals:
        problem = first_visit_problem(environment, world.ends, goal)
        for action, fr in enumerate(frs):
            value = DISCOUNT * problem.evaluate_policy(np.full(size, action))
            value[goal] = 1
            np.testing.assert_allclose(fr[:, goal], value, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", ["FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4"])
def test_the_optimum_plans_are_measured_by_is_quantecons(name):
    environment = gymnasium.make(name)
    world = read_table(environment)
    goal = world.ends[-1]
    problem = first_visit_problem(environment, world.ends, goal)
    value = DISCOUNT * problem.solve(method="policy_iteration").v
    value[goal] = 1
    plan = fo.plan(world.mdp, goal, discount=DISCOUNT)
    optimum = fo.evaluate(plan, world.mdp, discount=DISCOUNT).optimal
    np.testing.assert_allclose(optimum, value, rtol=1e-9, atol=1e-13)
