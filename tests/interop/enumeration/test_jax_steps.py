"""Whether steps are stochastic is read off the program; batches step as one by one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.interop.enumeration._jax_steps import taken
from first_occupancy.interop.enumeration.functional_environments import FunctionalEnvironment
from functional_worlds import corridor, stepper


@pytest.mark.parametrize(
    ("draw", "stochastic"),
    [
        (lambda key, state: state, False),
        (lambda key, state: state + 0 * jax.random.randint(key, (), 0, 2).astype(float), True),
        (lambda key, state: jax.lax.cond(state > 0, lambda k, s: s, lambda k, s: s, key, state), 0),
        (lambda key, state: state + jax.random.uniform(key), True),
    ],
    ids=["plain", "multiplied away", "passed through", "used"],
)
def test_a_step_is_stochastic_if_its_results_need_the_key(draw, stochastic):
    def step(key, state, action):
        jax.random.normal(key)  # of no consequence
        return draw(key, state), 0.0, False

    environment = FunctionalEnvironment(lambda key: jnp.array(1.0), step, 2)
    assert stepper(environment).is_stochastic == bool(stochastic)


def test_batches_of_any_size_step_as_one_by_one():
    environment = corridor(slip=0.5)
    steps = stepper(environment)
    states = jax.tree.map(lambda leaf: np.repeat(leaf, 7), steps.starts(1).states)
    numbers = np.arange(7)
    together = steps.steps(states, numbers)
    assert together.words.shape[0] == 7 * 3 * 5
    for row in range(7):
        alone = steps.steps(taken(states, [row]), numbers[[row]])
        part = taken(together, slice(row * 15, row * 15 + 15))
        np.testing.assert_array_equal(alone.words, part.words)
        np.testing.assert_array_equal(alone.hashes, part.hashes)
    sizes = [len(batch) for batch in steps.batches(np.arange(10_000))]
    assert sum(sizes) == 10_000
    assert max(sizes) <= steps.largest
