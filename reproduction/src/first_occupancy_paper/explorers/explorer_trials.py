"""Trials of the explorer: the rewards that it obtains in worlds, starting without knowledge."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError, check_discount, is_known
from first_occupancy.core.mdp import MDP

from .explorer import Explorer
from .trials import check_trials, run, stacked


def run_trials(
    agent: Explorer, mdps: Sequence[MDP], key: PRNGKey, *, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards of each step of one trial in each of several worlds.

    For worlds of one size, agents that differ in numbers only share one compiled program.

    Args:
        agent: settings of the agent.
        mdps: worlds with the same numbers of states and actions; no reward may be negative.
        key: JAX random key.
        num_steps: number of steps of a trial, a multiple of the agent's `stretch`.

    Raises:
        InputError: if there is no world, a reward is negative, the steps are no multiple of the
            agent's `stretch`, or its discount is out of range.
    """
    check_trials(agent, mdps, num_steps)
    check_discount("run_trials", agent.discount)
    worlds = stacked(mdps)
    if is_known(worlds.reward) and np.asarray(worlds.reward).min() < 0:
        raise InputError(
            f"run_trials: rewards must not be negative, got {np.asarray(worlds.reward).min():g}"
        )
    begin_key, walk_key = jax.random.split(key)
    dtype = worlds.transition.dtype
    # Drawn in advance: a generator inside the loop would slow down every step.
    begin = jax.random.uniform(begin_key, (len(mdps),), dtype)
    shape = (len(mdps), num_steps // agent.stretch, agent.stretch, 2)
    noise = begin, jax.random.uniform(walk_key, shape, dtype), None
    agent = jax.tree.map(jnp.asarray, agent)
    return run(agent, worlds, jnp.ones(len(mdps), dtype), *noise)
