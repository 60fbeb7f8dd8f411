"""Worlds read from Gymnasium's tables are the environments', and their ends are ends."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

from first_occupancy.core import MDP, chain, constant_policies
from first_occupancy.environments import maze, river_swim, six_arms
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy
from oracles import assert_frequencies_are, fr_by_linear_solves
from strategies import distributions, seeds, sizes

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")
from first_occupancy.interop.gym.finite_environments import MazeEnvironment, MDPEnvironment  # noqa: E402
from first_occupancy.interop.gym.tables import read_table  # noqa: E402
from first_occupancy.interop.skills import skills_of  # noqa: E402


@pytest.fixture(scope="module")
def lake():
    return read_table(gymnasium.make("FrozenLake-v1"))


@pytest.mark.parametrize(("name", "samples"), [("FrozenLake-v1", 60), ("CliffWalking-v1", 1)])
def test_what_the_environment_does_is_what_the_world_says(name, samples):
    environment = gymnasium.make(name).unwrapped
    mdp = (world := read_table(environment)).mdp
    transition, reward = np.asarray(mdp.transition), np.asarray(mdp.reward)
    environment.reset(seed=0)
    for state in np.flatnonzero(~world.ended):
        for action in range(mdp.num_actions):
            seen = []
            for _ in range(samples):
                environment.s = state
                following, paid, terminated, _, _ = environment.step(action)
                assert paid == reward[state, action, following]
                assert terminated == world.ended[following]
                seen.append(following)
            assert_frequencies_are(seen, transition[state, action])


def test_taxi_has_four_ends_which_its_table_does_not_keep():
    environment = gymnasium.make("Taxi-v4").unwrapped
    world = read_table(environment)
    assert world.mdp.num_states == 500
    decoded = [tuple(environment.decode(end)) for end in world.ends]
    for row, column, passenger, destination in decoded:
        assert (row, column) == environment.locs[destination]
        assert passenger == destination
    assert len(decoded) == 4
    left = [environment.P[end][action][0][1] != end for end in world.ends for action in range(4)]
    assert any(left)
    ends = np.array(world.ends)
    assert (np.asarray(world.mdp.transition)[ends, :, ends] == 1).all()
    assert not np.asarray(world.mdp.reward)[ends].any()
    np.testing.assert_allclose(world.mdp.start_distribution, environment.initial_state_distrib)


def test_frs_of_the_lake_are_those_of_linear_systems_with_absorbing_goals(lake):
    chains = chain(lake.mdp, constant_policies(lake.mdp))
    frs = first_occupancy.solve(chains, discount=0.9)
    for fr, one in zip(frs, chains, strict=True):
        np.testing.assert_allclose(fr, fr_by_linear_solves(one, 0.9), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    "environment",
    [
        MDPEnvironment(river_swim()),
        MDPEnvironment(six_arms()),
        MazeEnvironment(maze(["S.#", "..G"], noise=0.3, bump_cost=1.0)),
    ],
    ids=["river", "arms", "maze"],
)
def test_our_own_worlds_come_back(environment):
    world = read_table(environment)
    np.testing.assert_allclose(world.mdp.transition, environment.mdp.transition, rtol=1e-12)
    np.testing.assert_allclose(world.mdp.start_distribution, environment.mdp.start_distribution)
    possible = np.asarray(environment.mdp.transition) > 0
    possible[world.ended] = False
    np.testing.assert_allclose(
        np.asarray(world.mdp.reward)[possible], np.asarray(environment.mdp.reward)[possible]
    )


def random_mdp(rng, size):
    """Return a world with absorbing states, of which some pay, and starts in some or all states."""
    transition = distributions(rng, size, 2, size)
    reward = rng.normal(size=(size, 2, size)) * (rng.random((size, 2, size)) < 0.5)
    absorbing = np.flatnonzero(rng.random(size) < 0.5)
    transition[absorbing] = np.eye(size)[absorbing, None]
    unpaid = absorbing[rng.random(len(absorbing)) < 0.7]
    reward[unpaid] = 0
    return MDP(transition, reward, None if rng.random() < 0.5 else distributions(rng, 1, size)[0])


@given(seeds, sizes)
def test_any_mdp_comes_back_from_its_own_environment(seed, size):
    mdp = random_mdp(np.random.default_rng(seed), size)
    skills = skills_of(MDPEnvironment(mdp), discount=0.9)
    np.testing.assert_allclose(skills.mdp.transition, mdp.transition, rtol=1e-12)
    np.testing.assert_allclose(skills.mdp.start_distribution, mdp.start_distribution, rtol=1e-12)
    # The table does not say what impossible transitions would pay.
    paid = np.where(np.asarray(mdp.transition) > 0, mdp.reward, 0)
    np.testing.assert_allclose(skills.mdp.reward, paid, rtol=1e-12)
    frs = first_occupancy.solve(chain(mdp, constant_policies(mdp)), discount=0.9)
    for goal in range(size):
        direct = plan_to_goal(frs, goal).promised
        np.testing.assert_allclose(skills.plan_to(goal).promised, direct, rtol=1e-9)


def table_of(*rows, start=(1.0, 0.0)):
    """Return an environment with one action."""
    table = {state: {0: list(outcomes)} for state, outcomes in enumerate(rows)}
    return SimpleNamespace(P=table, initial_state_distrib=np.array(start))


def test_an_end_in_a_state_one_can_also_be_in_has_a_state_of_its_own():
    # State 1 is passed with half the odds, and ended in with the other half.
    environment = table_of([(0.5, 1, 0.0, False), (0.5, 1, 4.0, True)], [(1.0, 0, 1.0, False)])
    world = read_table(environment)
    expected = [[0, 0.5, 0.5], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_array_equal(world.mdp.transition[:, 0], expected)
    np.testing.assert_array_equal(world.mdp.reward[:, 0], [[0, 0, 4], [1, 0, 0], [0, 0, 0]])
    assert (world.ends.tolist(), world.num_states) == ([2], 3)
    states = world.states
    assert (states(1), states.at_end(1), states.at_end(0), states.observation(2)) == (1, 2, 0, 1)


def test_an_end_where_episodes_may_begin_has_no_second_state_unless_something_can_be_had_there():
    onwards, stays = [(1.0, 1, 0.0, True)], [(1.0, 1, 0.0, True)]
    world = read_table(table_of(onwards, stays, start=(0.5, 0.5)))
    assert (world.ends.tolist(), world.num_states) == ([1], 2)
    paid = [(0.5, 1, 0.0, True), (0.5, 1, 2.0, True)]
    world = read_table(table_of(onwards, paid, start=(0.5, 0.5)))
    assert (world.ends.tolist(), world.num_states) == ([2], 3)
    np.testing.assert_array_equal(world.mdp.transition[:, 0], [[0, 0, 1], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_array_equal(world.mdp.reward[:, 0], [[0, 0, 0], [0, 0, 1], [0, 0, 0]])


def test_outcomes_that_lead_to_one_state_are_joined():
    environment = table_of([(0.25, 1, 4.0, True), (0.75, 1, 0.0, True)], [(1.0, 1, 9.0, True)])
    world = read_table(environment)
    np.testing.assert_array_equal(world.mdp.transition[:, 0], [[0, 1], [0, 1]])
    np.testing.assert_array_equal(world.mdp.reward[:, 0], [[0, 1], [0, 0]])


sure = [(1.0, 0, 0.0, False)]
MISTAKES = {
    "no table": (
        lambda: read_table(gymnasium.make("CartPole-v1")),
        "read_table: needs an environment with a transition table P, got CartPole-v1; "
        "use interop.skills.learn_skills to learn from interaction",
    ),
    "a name": (
        lambda: read_table("Taxi-v3"),
        "read_table: needs an environment with a transition table P, got str; "
        "pass gymnasium.make('Taxi-v3')",
    ),
    "counted from 1": (
        lambda: read_table(SimpleNamespace(P={1: {0: sure}})),
        "read_table: the table must be P[state][action], both counted from 0, with all actions in "
        "each state, got {1: {0: [(1.0, 0, 0.0, False)]}}",
    ),
    "no state": (
        lambda: read_table(table_of(sure, [(1.0, 0.5, 0.0, False)])),
        "read_table: action 0 in state 1 must lead to states in 0..1, got 0.5",
    ),
    "no numbers": (
        lambda: read_table(table_of(sure, [(1.0, "end", 0.0, False)])),
        "read_table: action 0 in state 1 must lead to states in 0..1, got end",
    ),
    "nothing for an action": (
        lambda: read_table(SimpleNamespace(P=[[None]], initial_state_distrib=[1.0])),
        "read_table: outcomes of action 0 in state 0 must be a list of (probability, state), "
        "perhaps with reward and end, got None",
    ),
    "no distribution": (
        lambda: read_table(table_of(sure, [(0.5, 0, 0.0, False)])),
        "read_table: probabilities of action 0 in state 1 must be at least 0 and sum to 1, got a "
        "sum of 0.5",
    ),
    "negative": (
        lambda: read_table(table_of(sure, [(-0.5, 0, 0.0, False), (1.5, 1, 0.0, False)])),
        "read_table: probabilities of action 0 in state 1 must be at least 0 and sum to 1, got a "
        "sum of 1",
    ),
    "unknown state": (
        lambda: read_table(table_of(sure, [(1.0, 7, 0.0, False)])),
        "read_table: action 0 in state 1 must lead to states in 0..1, got 7",
    ),
    "missing action": (
        lambda: read_table(SimpleNamespace(P={0: {0: [], 1: []}, 1: {0: []}}), start=[1, 0]),
        "read_table: the table must be P[state][action], both counted from 0, with all actions in "
        "each state, got {0: {0: [], 1: []}, 1: {0: []}}",
    ),
    "no outcomes": (
        lambda: read_table(table_of(sure, [])),
        "read_table: probabilities of action 0 in state 1 must be at least 0 and sum to 1, got a "
        "sum of 0",
    ),
    "an empty table": (
        lambda: read_table(SimpleNamespace(P={})),
        "read_table: the table P must have states and actions, got none",
    ),
    "no start": (
        lambda: read_table(SimpleNamespace(P={0: {0: sure}})),
        "read_table: start must be 1 probabilities, got None, and SimpleNamespace has no "
        "initial_state_distrib",
    ),
    "wrong start": (
        lambda: read_table(table_of(sure, sure), start=np.array([0.5, 0.4])),
        "read_table: start does not sum to one (sums to 0.9)",
    ),
    "reward": (
        lambda: read_table(table_of(sure, [(1.0, 0, np.nan, False)])),
        "MDP: reward must be finite, got nan at [1, 0, 0]",
    ),
    "observation": (
        lambda: read_table(table_of(sure, sure)).states(2),
        "DiscreteStates: observation must be in 0..1, got 2",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
