"""Trials of the peers: the rewards that one obtains in a world, starting without knowledge."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP
from first_occupancy.core.rollouts import outcome_at

TOGETHER = 40
"""Trials that run side by side."""


@runtime_checkable
class Peer(Protocol):
    """What a method must have; see `optimism.OptimisticPlanner` for what each argument is."""

    stretch: int

    def start(self, num_states: int, num_actions: int, dtype: jnp.dtype, /) -> Any:
        """Return what is known before the first step.

        Args:
            num_states: number of states of the world.
            num_actions: number of actions of the world.
            dtype: floating-point type of all tables.
        """

    def act(self, known: Any, state: Index, noise: Scalar, /) -> Int[Array, ""]:
        """Return an action.

        Args:
            known: what the agent has learned so far.
            state: state of the agent.
            noise: uniform random number from 0 to 1 (exclusive), which breaks ties.
        """

    def learn(
        self, known: Any, state: Index, action: Index, reward: Scalar, next_state: Index, /
    ) -> Any:
        """Return what is known after a step.

        Args:
            known: what the agent has learned before the step.
            state: state before the step.
            action: action taken.
            reward: reward of the step.
            next_state: state after the step.
        """

    def reconsider(self, known: Any, key: PRNGKey, /) -> Any:
        """Return what is known after a stretch of steps.

        Args:
            known: what the agent has learned so far.
            key: JAX random key.
        """


def run_trials(
    agent: Peer, mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards of each step of independent trials in one world.

    Args:
        agent: settings of the method.
        mdp: the world; its largest reward is what the method is told.
        key: JAX random key.
        num_trials: number of trials.
        num_steps: number of steps of a trial, a multiple of the method's `stretch`.

    Raises:
        InputError: if the steps are no multiple of the method's `stretch`.
    """
    return run_trial_in_each(agent, [mdp] * num_trials, key, num_steps=num_steps)


def run_trial_in_each(
    agent: Peer, mdps: Sequence[MDP], key: PRNGKey, *, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards of each step of one trial in each of several worlds.

    Args:
        agent: settings of the method.
        mdps: worlds with the same numbers of states and actions.
        key: JAX random key.
        num_steps: number of steps of a trial, a multiple of the method's `stretch`.

    Raises:
        InputError: if the steps are no multiple of the method's `stretch`.
    """
    if num_steps < 1 or num_steps % agent.stretch:
        raise InputError(
            f"run_trial_in_each: num_steps must be a multiple of the method's stretch, "
            f"{agent.stretch}, got {num_steps}"
        )
    worlds = jax.tree.map(lambda *arrays: jnp.stack(arrays), *(mdp.unnamed() for mdp in mdps))
    keys = jax.random.split(key, len(mdps))
    dtype = mdps[0].transition.dtype
    agent = jax.tree.map(lambda number: jnp.asarray(number, dtype), agent)
    return _run(agent, worlds, keys, jnp.zeros(num_steps // agent.stretch))


@jax.jit
def _run(agent: Peer, mdps: MDP, keys: Array, stretches: Array) -> Float[Array, "B T"]:
    def run(trial: tuple[MDP, Array]) -> Array:
        return _run_trial(agent, *trial, len(stretches))

    size = next(n for n in range(TOGETHER, 0, -1) if len(keys) % n == 0)
    return jax.lax.map(run, (mdps, keys), batch_size=size)


def _run_trial(agent: Peer, mdp: MDP, key: Array, num_stretches: int) -> Float[Array, " T"]:
    outcomes, most = jnp.cumsum(mdp.transition, axis=-1), mdp.reward.max()
    dtype = mdp.transition.dtype

    def advance(carry: tuple[Any, Array], noise: Array) -> tuple[tuple[Any, Array], Array]:
        known, state = carry
        action = agent.act(known, state, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        return (agent.learn(known, state, action, reward / most, next_state), next_state), reward

    def stretch(carry: tuple[Any, Array], key: Array) -> tuple[tuple[Any, Array], Array]:
        known, state = carry
        own_key, walk_key = jax.random.split(key)
        walk = jax.random.uniform(walk_key, (agent.stretch, 2), dtype)
        return jax.lax.scan(advance, (agent.reconsider(known, own_key), state), walk)

    begin_key, walk_key = jax.random.split(key)
    start = outcome_at(jnp.cumsum(mdp.start_distribution), jax.random.uniform(begin_key, (), dtype))
    known = agent.start(mdp.num_states, mdp.num_actions, dtype)
    keys = jax.random.split(walk_key, num_stretches)
    return jax.lax.scan(stretch, (known, start), keys)[1].reshape(-1)
