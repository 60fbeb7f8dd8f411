"""Worlds of known outcomes are exact, and take part in everything that worlds do."""

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo

WALL = {(1, 0), (1, 1)}


class Room:
    """A room of 3 x 3 cells; a move fails with a chance of 0.2, and (2, 0) ends the episode."""

    start, num_actions = (0, 0), 4

    def outcomes(self, state, action):
        right, down = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        ahead = state[0] + right, state[1] + down
        if ahead in WALL or not (0 <= ahead[0] < 3 and 0 <= ahead[1] < 3):
            return [(1.0, state, -1.0)]
        return [(0.8, ahead, 0.0, ahead == (2, 0)), (0.2, state), (0.0, "never")]


@pytest.fixture(scope="module")
def world():
    return fo.from_environment(Room())


def test_probabilities_rewards_and_ends_are_exact(world):
    assert (world.num_states, world.samples, world.error) == (7, 1, 0)
    assert world.states[world.start] == (0, 0)
    assert [world.states[end] for end in world.ends] == [(2, 0)]
    below = world.number((0, 1))
    row = world.action_chains[2][[0]].toarray()[0]
    assert {n: row[n] for n in np.flatnonzero(row)} == {0: pytest.approx(0.2), below: 0.8}
    assert world.mdp.rewards[0].tolist() == [-1, -1, 0, -1]
    assert world.where(lambda state: state[1] == 2).tolist() == sorted(
        world.number((column, 2)) for column in range(3)
    )
    assert (
        repr(world)
        == f"OutcomeWorld(7 states, 1 ends, 4 actions, {world.num_transitions} transitions)"
    )


def test_functions_of_worlds_take_it_as_they_take_a_dense_mdp(world):
    dense, size = world.mdp.dense(), world.num_states
    uniform = jnp.full((size, 4), 0.25)
    chain = fo.chain(world, uniform)
    np.testing.assert_allclose(chain.toarray(), fo.chain(dense, uniform), atol=1e-7)
    table = fo.first_occupancy.solve(chain, discount=0.9)
    np.testing.assert_allclose(
        table, fo.occupancies(world, uniform[None], discount=0.9).values[0], rtol=1e-6
    )
    for solver in (fo.value_iteration.solve, fo.policy_iteration.solve):
        ours, theirs = (solver(each, discount=0.9).values for each in (world, dense))
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert fo.constant_policies(world).shape == (4, size, 4)
    plan = fo.plan(world, world.ends, discount=0.9)
    found = [
        fo.evaluate(plan, each, fo.constant_policies(dense), discount=0.9).expected_discount
        for each in (world, dense)
    ]
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_a_list_of_sparse_chains_is_solved_like_a_stack(world):
    policies = np.array([[0] * 7, [2] * 7])
    chains = fo.chain(world, policies)
    stack = jnp.stack([jnp.asarray(chain.toarray()) for chain in chains])
    for discount in (0.9, 1.0):
        for kind in (fo.first_occupancy, *([fo.successor] if discount < 1 else [])):
            np.testing.assert_allclose(
                kind.solve(chains, discount=discount),
                kind.solve(stack, discount=discount),
                rtol=1e-6,
            )


def test_agents_observe_states_and_others_are_refused(world, error_of):
    plan = fo.plan(world, world.ends, discount=0.9)
    agent, room = plan.agent(), Room()
    state, rng, steps = room.start, np.random.default_rng(0), 0
    while state != (2, 0):
        options = room.outcomes(state, agent.predict(state)[0])
        state = options[rng.choice(len(options), p=[each[0] for each in options])][1]
        steps += 1
    assert steps >= 6
    assert error_of(lambda: world.number((9, 9))) == (
        "number: state must be one that was met, got (9, 9); begin with the world's seed, and say "
        "whether the state `ended` its episode"
    )


def test_outcomes_replace_the_samples_of_an_environment():
    gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")
    lake = gymnasium.make("FrozenLake-v1")
    table = lake.unwrapped.P

    def outcomes(state, action):
        return [(share, ahead, reward, end) for share, ahead, reward, end in table[state][action]]

    world = fo.from_environment(lake, outcomes=outcomes)
    theirs = fo.from_environment(lake)
    assert world.error == 0
    goal = world.where(lambda state: state == 15)
    ours = fo.plan(world, goal, discount=0.99).expected_discount[world.start]
    expected = fo.plan(theirs, theirs.state_number(15), discount=0.99).expected_discount[0]
    assert float(ours) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([(0.5, 1)], "probabilities of action 0 in state 0 must be at least 0 and sum to 1, got a"),
        ([(1.5, 1), (-0.5, 2)], "probabilities of action 0 in state 0 must be at least 0"),
        ([(1.0,)], "outcomes of action 0 in state 0 must be a list of (probability, state), perh"),
        (3, "outcomes of action 0 in state 0 must be a list of (probability, state), perhaps wi"),
        ([("all", 1)], "outcomes of action 0 in state 0 must be a list"),
        ([(1.0, object)], None),
        ([(1.0, {1})], "states must be numbers, text, tuples or arrays, got {1}"),
    ],
)
def test_what_is_no_distribution_is_refused(found, said, error_of):
    class Odd:
        start, num_actions = 0, 1

        def outcomes(self, state, action):
            return found

    if said is None:
        assert fo.from_environment(Odd()).num_states == 2
    else:
        assert error_of(lambda: fo.from_environment(Odd())).startswith(f"from_environment: {said}")


def test_endless_worlds_are_limited(error_of):
    class Endless:
        start, num_actions = 0, 1

        def outcomes(self, state, action):
            return [(1.0, state + 1)]

    assert error_of(lambda: fo.from_environment(Endless(), limit=50)) == (
        "from_environment: there must be at most 50 states"
    )
