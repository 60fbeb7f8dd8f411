"""Value iteration on a model is that of a plain loop."""

import jax.numpy as jnp
import numpy as np

from first_occupancy_paper.explorers.peers.model import empty, iterate, observe


def test_value_iteration_is_that_of_a_plain_loop():
    random = np.random.default_rng(0)
    chains, rewards = random.dirichlet(np.ones(4), (2, 4)), random.uniform(size=(2, 4))
    expected = np.zeros(4)
    for _ in range(7):
        expected = np.array(
            [max(rewards[a, s] + 0.9 * chains[a, s] @ expected for a in (0, 1)) for s in range(4)]
        )
    found = iterate(
        jnp.array(rewards), jnp.array(chains), jnp.zeros(4), discount=jnp.asarray(0.9), sweeps=7
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_step_is_counted_where_it_was_taken():
    model = observe(empty(3, 2, 1.0, jnp.dtype("float32")), 0, 1, 0.5, 2)
    assert (
        float(model.tries[1, 0]) == float(model.counts[1, 0, 2]) == float(model.counts.sum()) == 1
    )
    assert float(model.reward_sum[1, 0]) == 0.5
