"""Keys that leave out what matters are noticed, others are not, also under noise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.interop.enumeration.functional_environments import FunctionalEnvironment
from first_occupancy.interop.enumeration.jax_worlds import enumerate_jax


def clocked(outcome):
    """Return two places and a clock, which `outcome` may use to move."""

    def step(key, state, action):
        moved, reward = outcome(key, state)
        return {"place": moved.astype(jnp.int32), "time": state["time"] + 1}, reward, False

    return FunctionalEnvironment(
        lambda key: {"place": jnp.array(0, jnp.int32), "time": jnp.array(0, jnp.int32)},
        step,
        1,
        key=lambda state: state["place"],
    )


def coin(key, state, share=0.5):
    return (jax.random.uniform(key) < share), 0.0


ENOUGH = {
    "noise": coin,
    # The same probabilities, but from other random numbers at odd times.
    "another draw": lambda key, state: (
        jnp.where(
            state["time"] % 2 == 0, jax.random.uniform(key) < 0.5, jax.random.uniform(key) >= 0.5
        ),
        0.0,
    ),
}
NOT_ENOUGH = {
    "late": lambda key, state: (jnp.where(state["time"] < 20, state["place"], 1), 0.0),
    "rewards": lambda key, state: (state["place"], 1.0 * (state["time"] == 30)),
    "shares": lambda key, state: coin(key, state, jnp.where(state["time"] < 4, 0.2, 0.8)),
}


@pytest.mark.parametrize("kind", ENOUGH)
def test_a_clock_that_changes_nothing_may_be_left_out(kind):
    world = enumerate_jax(clocked(ENOUGH[kind]), samples=400)
    np.testing.assert_allclose(world.action_chains[0].toarray(), 0.5, atol=world.error)


@pytest.mark.parametrize("kind", NOT_ENOUGH)
def test_a_clock_that_changes_something_may_not(kind):
    with pytest.raises(InputError, match=r"they differ in state\['time'\]: add to key= what matt"):
        enumerate_jax(clocked(NOT_ENOUGH[kind]), samples=400)
