"""Trials of the peers: the rewards that one obtains in worlds, starting without knowledge."""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.mdp import MDP

from ..trials import Agent, check_trials, run, stacked


def run_trials(
    agent: Agent, mdps: Sequence[MDP], key: PRNGKey, *, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards of each step of one trial in each of several worlds.

    Args:
        agent: settings of the method, which is told the largest reward of each world.
        mdps: worlds with the same numbers of states and actions.
        key: JAX random key.
        num_steps: number of steps of a trial, a multiple of the method's `stretch`.

    Raises:
        InputError: if there is no world, or the steps are no multiple of the method's `stretch`.
    """
    check_trials(agent, mdps, num_steps)
    worlds = stacked(mdps)
    dtype = worlds.transition.dtype
    agent = jax.tree.map(lambda number: jnp.asarray(number, dtype), agent)
    keys = jax.random.split(key, len(mdps))
    noise = _draw(keys, num_steps // agent.stretch, agent.stretch, dtype)
    return run(agent, worlds, worlds.reward.max(axis=(1, 2, 3)), *noise)


@partial(jax.jit, static_argnames=("num_stretches", "stretch", "dtype"))
def _draw(
    keys: Array, num_stretches: int, stretch: int, dtype: jnp.dtype
) -> tuple[Float[Array, " B"], Float[Array, "B K L 2"], Array]:
    """Return the random numbers of each trial, and a key for each stretch.

    They are drawn in a program of their own, which all methods share: random number generators
    take long to compile.
    """

    def of_stretch(key: Array) -> tuple[Array, Array]:
        own_key, walk_key = jax.random.split(key)
        return jax.random.uniform(walk_key, (stretch, 2), dtype), own_key

    def of_trial(key: Array) -> tuple[Array, Array]:
        begin_key, walk_key = jax.random.split(key)
        begin = jax.random.uniform(begin_key, (), dtype)
        return begin, jax.random.split(walk_key, num_stretches)

    # Loops, since XLA takes longer to compile generators for all trials at once.
    begin, stretch_keys = jax.lax.map(of_trial, keys)
    return begin, *jax.lax.map(jax.vmap(of_stretch), stretch_keys)
