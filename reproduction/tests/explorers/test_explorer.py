import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP
from first_occupancy.environments import river_swim, small_room
from first_occupancy.planning.dynamic_programming import value_iteration
from first_occupancy.representations import first_occupancy
from first_occupancy_paper.explorers import explorer
from first_occupancy_paper.explorers.explorer import Explorer

STAY, GO = 0, 1


@pytest.fixture(scope="module")
def agent():
    return jax.tree.map(jnp.asarray, Explorer())


learn, reconsider = jax.jit(Explorer.learn), jax.jit(Explorer.reconsider)


def after(agent, steps):
    """Return what steps show in a world of six states and two actions."""
    knowledge = agent.start(6, 2)
    for state, action, next_state in steps:
        knowledge = learn(agent, knowledge, state, action, 0.0, next_state)
    return knowledge


@pytest.fixture(scope="module")
def walked(agent):
    """What 200 random steps in RiverSwim show, with kin looked at every ten."""
    mdp, rng = river_swim(6), np.random.default_rng(3)
    knowledge, state = agent.start(6, 2), 1
    for step in range(1, 201):
        action = int(rng.choice(2, p=[0.7, 0.3]))
        ahead = int(rng.choice(6, p=np.asarray(mdp.transition[state, action])))
        reward = float(mdp.reward[state, action, ahead])
        knowledge = learn(agent, knowledge, state, action, reward, ahead)
        state = ahead
        if step % 10 == 0:
            knowledge = reconsider(agent, knowledge)
    return knowledge


def test_chances_of_surprise_by_hand(agent):
    steps = [(0, STAY, 0)] * 3 + [(0, GO, 1), (1, GO, 0), (1, GO, 1)]
    knowledge = after(agent, steps)
    chances = explorer.surprise_chances(agent, knowledge)
    assert chances[:, :2] == pytest.approx(np.array([[1 / 4, 1], [1 / 2, 1 / 3]]))
    assert (chances[:, 2:] == 1).all()


def test_kin_that_never_varied_lower_the_suspicion_of_those_that_did_not(agent):
    tried_twice = [(state, GO, state) for state in (0, 1, 2) for _ in range(2)]
    steps = [*tried_twice, (3, GO, 3)]
    knowledge = after(agent, steps)
    suspicion = explorer.suspicion(knowledge)
    # The fourth state has three kin that did not vary, the others two, beside an imagined one.
    assert suspicion[GO, 3] == pytest.approx(1 / 4)
    assert suspicion[GO, :3] == pytest.approx(np.full(3, 1 / 3))
    varied = after(agent, [*steps, (2, GO, 4)])
    assert explorer.suspicion(varied)[GO, 3] == pytest.approx(2 / 4)


def test_kin_tried_less_often_say_nothing(agent):
    steps = [(0, GO, 0)] * 50 + [(1, GO, 1)] * 3
    suspicion = explorer.suspicion(after(agent, steps))
    assert suspicion[GO, :2] == pytest.approx(np.array([1, 1 / 2]))


def test_updates_of_one_row_and_of_all_are_exact(agent, walked):
    tries = np.asarray(walked.counts).sum(axis=-1)
    assert tries == pytest.approx(np.asarray(walked.tries))
    assert (np.asarray(walked.counts) > 0).sum(axis=-1) == pytest.approx(walked.successors)
    chains = np.asarray(walked.counts) / np.maximum(tries, 1)[..., None]
    leaking = (1 - np.asarray(explorer.surprise_chances(agent, walked)))[..., None] * chains
    for kept, chain in ((walked.visits, chains), (walked.unsurprised, leaking)):
        assert np.asarray(kept) == pytest.approx(np.linalg.inv(np.eye(6) - 0.999 * chain))


def test_known_values_are_those_of_value_iteration_where_moves_are_certain(agent):
    rooms = small_room()
    goal = rooms.num_states - 1
    arrival = np.eye(rooms.num_states)[rooms.next_states.T]
    reward = np.zeros_like(arrival)
    reward[:, :, goal] = 1
    chains = jnp.asarray(arrival.swapaxes(0, 1))
    known = agent.start(rooms.num_states, rooms.num_actions)
    visits = jnp.linalg.inv(jnp.eye(rooms.num_states)[None] - 0.999 * chains)
    known = eqx.tree_at(
        lambda k: (k.counts, k.tries, k.reward_sum, k.visits),
        known,
        (chains, known.tries + 1, jnp.asarray((arrival * reward).sum(axis=-1).T), visits),
    )
    exact = value_iteration.solve(MDP(arrival, reward), discount=0.999, error=1e-6).values
    values = jax.jit(explorer.known_values)(agent, known)
    assert np.asarray(values) == pytest.approx(np.asarray(exact), rel=1e-6)


def test_plans_of_chance_moves_are_never_worth_more_than_the_optimum(agent, walked):
    chains = np.asarray(walked.counts) / np.maximum(np.asarray(walked.tries), 1)[..., None]
    untried = np.asarray(walked.tries) == 0
    chains[untried] = np.eye(6)[np.nonzero(untried)[1]]
    rewards = np.asarray(walked.rewards).T[:, :, None] * np.ones(6)
    mdp = MDP(chains.swapaxes(0, 1), rewards)
    best = value_iteration.solve(mdp, discount=0.999, error=1e-6).values
    values = jax.jit(explorer.known_values)(agent, walked)
    assert (values <= best * (1 + 1e-6)).all()
    assert float(values.max()) == pytest.approx(float(best.max()), rel=0.05)


def test_the_frs_used_are_those_of_the_library(walked):
    tries = np.asarray(walked.tries)
    action = int(np.argmin((tries == 0).sum(axis=1)))
    assert (tries[action] > 0).all()
    chain = walked.counts[action] / walked.tries[action][:, None]
    frs = walked.visits[action] / jnp.diagonal(walked.visits[action])[None, :]
    assert frs == pytest.approx(np.asarray(first_occupancy.solve(chain, discount=0.999)))


def test_an_agent_that_is_told_seeks_the_largest_reward_until_it_has_had_it():
    told = Explorer(largest=2.0, sought=0.5, found=0.01, discount=0.9)
    knowledge = told.learn(told.start(2, 1), 0, 0, 1.0, 1)
    values = jnp.array([8.0, 4.0])
    worth = explorer.surprise_worths(told, knowledge, values)
    np.testing.assert_allclose(worth[0], [0.5 * 20, 20], rtol=1e-6)  # tried, untried
    had = told.learn(knowledge, 1, 0, 2.0, 0)
    np.testing.assert_allclose(
        explorer.surprise_worths(told, had, values)[0], [0.08, 0.08], rtol=1e-6
    )
    # Whoever is not told values surprises by the highest known value.
    assert float(explorer.surprise_worths(Explorer(), knowledge, values)[0, 1]) == 16
