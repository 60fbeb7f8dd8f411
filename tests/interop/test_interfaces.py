"""Agents in Gymnasium environments act on single observations and on batches."""

from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.interop import interfaces
from first_occupancy.interop.base_policies import tabulate
from first_occupancy.interop.interfaces import gym_interface
from first_occupancy.interop.states import DiscreteStates, KeyedStates
from first_occupancy.planning.agents import Agent
from first_occupancy.planning.plans import Plan
from oracles import fr_by_linear_solves

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


DISCOUNT = 0.9
MOVES = gymnasium.spaces.Discrete(4)


def agent_of(plan, policies, states, space=MOVES):
    return Agent(plan, gym_interface(states, policies, space))


def test_a_batch_is_predicted_as_its_observations_are(rooms):
    _, skills = rooms
    agent = skills.plan_to(9).agent()
    batch, state = agent.predict(np.arange(9), state="passed on")
    assert batch.tolist() == [agent.predict(seen)[0] for seen in range(9)]
    assert state == "passed on"


def test_a_batch_of_none_has_the_type_and_axes_of_one_of_many(rooms):
    environment, skills = rooms
    parts, none = (skills.plan_to(0), skills.policies, skills.states), np.zeros(0, int)
    actions, _ = agent_of(*parts, environment.action_space).predict(none)
    assert (actions.shape, actions.dtype) == ((0,), int)
    actions, _ = agent_of(*parts, gymnasium.spaces.Box(-1, 1, (3,))).predict(none)
    assert (actions.shape, actions.dtype) == ((0, 3), np.float32)


def test_batches_of_dictionaries_and_rows_are_told_from_single_ones():
    states = KeyedStates(lambda seen: tuple(seen["cell"]))
    cells = np.array([[0, 0], [0, 1]])
    for cell in cells:
        states.add({"cell": cell})
    agent = agent_of(one_step, [np.array([3, 2])], states)
    assert agent.predict({"cell": cells[0]})[0] == 3
    assert agent.predict({"cell": cells[:1]})[0].tolist() == [3]


@pytest.mark.parametrize("inner", [lambda row: row[0], lambda row: row, lambda row: tuple(row)])
def test_batches_of_tuples_are_told_from_single_ones(inner):
    cells = np.array([[0, 0], [0, 1]])
    singles = [(inner(cell), number) for number, cell in enumerate(cells)]
    states = KeyedStates(lambda seen: int(seen[1]))
    assert [states.add(single) for single in singles] == [0, 1]
    agent = agent_of(one_step, [np.array([3, 2])], states)
    assert agent.predict(singles[0])[0] == 3
    assert agent.predict(singles)[0].shape == (2,)
    first = singles[0][0]
    parts = (*cells.T,) if isinstance(first, tuple) else np.array([each for each, _ in singles])
    stacked = parts, np.arange(2)
    assert agent.predict(stacked)[0].shape == (2,)
    assert agent.predict(stacked)[0][0] == 3
    # A model is asked for all states at once, and answers for each.
    model = SimpleNamespace(predict=lambda seen, deterministic=True: (seen[1], None))
    assert tabulate([model], states, 2)[0].tolist() == [[1, 0], [0, 1]]


def test_what_the_agent_does_under_noise_is_the_fr_of_the_chain_it_makes(noisy):
    environment, skills = noisy
    world = environment.world
    agent = skills.plan_to(world.goals[0]).agent()
    followed = np.asarray(environment.mdp.transition)[np.arange(8), agent.plan.policy]
    expected = fr_by_linear_solves(followed, DISCOUNT)[world.start, world.goals[0]]
    worths = []
    environment.reset(seed=0)
    for _ in range(200):
        observation, _ = environment.reset()
        steps, terminated = 0, False
        while not terminated:
            observation, _, terminated, _, _ = environment.step(agent.predict(observation)[0])
            steps += 1
        worths.append(DISCOUNT**steps)
    error = np.std(worths) / np.sqrt(len(worths))
    assert abs(np.mean(worths) - expected) < 3 * error


one_step = Plan(
    goal=jnp.array(1),
    policy=jnp.array([0, -1]),
    subgoal=jnp.array([1, 1]),
    log_promised=jnp.array([-1.0, 0.0]),
)
stays = np.zeros(2, int)
two = DiscreteStates(2)
MISTAKES = {
    "action": (
        lambda: agent_of(one_step, [lambda seen: 9], two).predict(0),
        "agent: policy 0 must return actions in 0..3, got 9 in state 0",
    ),
    "unseen state": (
        lambda: agent_of(one_step, [stays], KeyedStates()).predict(2),
        "agent: states must have at least one state, got none",
    ),
    "rows missing": (
        lambda: agent_of(one_step, [np.zeros(0, int)], two).predict(0),
        "agent: policy 0 must have a row for each state, got 0 rows and state 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(interfaces, "gymnasium", None)
    with pytest.raises(InputError, match=r"agent: needs Gymnasium: .*\[interop\]"):
        agent_of(one_step, [], two)
