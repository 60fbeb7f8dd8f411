"""One constructor takes environments of every kind, and their plans become agents."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.interop import environments
from first_occupancy.interop.enumeration.copied_worlds import CopiedWorld
from first_occupancy.interop.enumeration.copying import Copies
from first_occupancy.interop.enumeration.jax_worlds import JaxWorld
from first_occupancy.interop.gym.tables import TableWorld
from functional_worlds import LEFT, Corridor, corridor, full_state

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_tables_are_read(error_of):
    environment = gymnasium.make("FrozenLake-v1", is_slippery=False)
    world = fo.from_environment(environment)
    assert isinstance(world, TableWorld)
    gift = world.where(lambda seen: seen == 15)
    plan = fo.plan(world, gift[-1], discount=0.9)
    assert float(plan.expected_time[world.start]) == 6
    agent, steps, ended = plan.agent(environment), 0, False
    observation, _ = environment.reset(seed=0)
    while not ended:
        action, _ = agent.predict(observation)
        observation, reward, ended, _, _ = environment.step(action)
        steps += 1
    assert (steps, reward) == (6, 1)
    message = "TableWorld.where: condition must hold somewhere, but does in none of the 16 states"
    assert error_of(lambda: world.where(lambda seen: seen > 99)) == message


def test_a_table_is_the_same_world_as_an_enumeration():
    environment = gymnasium.make("FrozenLake-v1", is_slippery=True)
    table = fo.from_environment(environment)
    plan = fo.plan(table, 15, discount=0.9)
    exact = fo.plan(table.mdp, 15, discount=0.9)
    np.testing.assert_allclose(plan.expected_discount, exact.expected_discount, rtol=1e-9)


def test_functions_and_copies_are_enumerated():
    world = fo.from_environment(corridor())
    assert isinstance(world, JaxWorld)
    plan = fo.plan(world, world.ends, discount=0.9)
    assert int(plan.policy_function()(world.state(0))) == LEFT
    copied = fo.from_environment(Corridor(), key=full_state)
    assert isinstance(copied, CopiedWorld)
    assert copied.num_states == world.num_states
    again = fo.from_environment(Copies(Corridor()), key=full_state)
    assert again.num_states == world.num_states


def test_what_is_no_environment_is_told_in_one_sentence(error_of, monkeypatch):
    assert error_of(lambda: fo.from_environment("Taxi-v4")) == (
        "from_environment: environment must be an environment, got the name 'Taxi-v4'; "
        "pass gymnasium.make('Taxi-v4')"
    )
    message = "from_environment: params are of gymnax environments only"
    assert error_of(lambda: fo.from_environment(Corridor(), params=3)) == message
    monkeypatch.setattr(environments, "gymnasium", None)
    found = error_of(lambda: fo.from_environment(Corridor()))
    assert found.startswith("from_environment: needs Gymnasium: ")
