"""R-MAX and MBIE-EB plan as their equations say, and find the far end of RiverSwim."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.environments import river_swim
from first_occupancy_paper.explorers.peers.model import observe
from first_occupancy_paper.explorers.peers.optimism import OptimisticPlanner
from first_occupancy_paper.explorers.peers.trials import run_trials


def observed(agent, steps, num_states=3, num_actions=2):
    model = agent.start(num_states, num_actions, jnp.dtype("float32"))
    for step in steps:
        model = observe(model, *step)
    return model


def test_r_max_tries_a_pair_until_it_is_known_and_no_longer():
    agent = OptimisticPlanner(known=3.0, discount=0.9, sweeps=200)
    step = (0, 0, 0.5, 1)
    for tries, expected in ((2, 0), (3, 1)):
        model = observed(agent, [(0, 1, 0.0, 1)] * 2 + [step] * tries)
        model = agent.reconsider(model, jax.random.key(0))
        # Both are unknown at first, and ties are broken by the noise; after three tries one is not.
        action = int(agent.act(model, 0, 0.0))
        assert action == expected if tries == 3 else action in (0, 1)
    # A known world has the empirical values: state 1 and 2 are unknown and worth the most.
    assert float(model.values[1]) == pytest.approx(10)
    assert float(model.values[0]) == pytest.approx(10)


def test_mbie_eb_adds_a_bonus_that_falls_with_the_square_root_of_tries():
    agent = OptimisticPlanner(bonus=0.2, discount=0.5, sweeps=300)
    one, four = (
        agent.reconsider(observed(agent, [(0, 0, 0.0, 0)] * n, 1, 1), jax.random.key(0))
        for n in (1, 4)
    )
    # One state that stays and pays nothing: the value is bonus / (1 - discount).
    assert float(one.values[0]) == pytest.approx(0.2 / 0.5)
    assert float(four.values[0]) == pytest.approx(0.1 / 0.5)


@pytest.mark.parametrize("agent", [OptimisticPlanner(known=16.0), OptimisticPlanner(bonus=0.3)])
def test_it_finds_the_far_end_of_river_swim(agent):
    """Sarsa, which does not explore, gets 0.7% of what the optimum gets."""
    with jax.enable_x64(True):
        rewards = run_trials(agent, [river_swim()] * 8, jax.random.key(3), num_steps=5_000)
    assert np.asarray(rewards).sum(axis=1).mean() > 0.8 * 3_336_494
