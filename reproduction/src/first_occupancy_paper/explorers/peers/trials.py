"""Trials of the peers: the rewards that one obtains in a world, starting without knowledge."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP

from ..draws import outcome_at
from ..stacking import stacked

TOGETHER = 40
"""Trials that run side by side."""


@runtime_checkable
class Peer(Protocol):
    """What a method must have; see `optimism.OptimisticPlanner` for what each argument is."""

    stretch: int

    def start(self, num_states: int, num_actions: int, dtype: jnp.dtype, /) -> Any:
        """Return what is known before the first step."""

    def act(self, known: Any, state: Index, noise: Scalar, /) -> Int[Array, ""]:
        """Return an action."""

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
        """Return what is known after a stretch of steps."""


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
    dtype = mdps[0].transition.dtype
    agent = jax.tree.map(lambda number: jnp.asarray(number, dtype), agent)
    keys = jax.random.split(key, len(mdps))
    noise = _draw(keys, num_steps // agent.stretch, agent.stretch, dtype)
    return _run(agent, stacked(mdps), *noise)


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


@jax.jit
def _run(
    agent: Peer,
    mdps: MDP,
    begin: Float[Array, " B"],
    walk: Float[Array, "B K L 2"],
    own_keys: Array,
) -> Float[Array, "B T"]:
    def run(trial: tuple[MDP, Array, Array, Array]) -> Array:
        return _run_trial(agent, *trial)

    size = next(n for n in range(TOGETHER, 0, -1) if len(begin) % n == 0)
    return jax.lax.map(run, (mdps, begin, walk, own_keys), batch_size=size)


def _run_trial(
    agent: Peer, mdp: MDP, begin: Scalar, walk: Float[Array, "K L 2"], own_keys: Array
) -> Float[Array, " T"]:
    outcomes, most = jnp.cumsum(mdp.transition, axis=-1), mdp.reward.max()

    def advance(carry: tuple[Any, Array], noise: Array) -> tuple[tuple[Any, Array], Array]:
        known, state = carry
        action = agent.act(known, state, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        return (agent.learn(known, state, action, reward / most, next_state), next_state), reward

    def stretch(
        carry: tuple[Any, Array], given: tuple[Array, Array]
    ) -> tuple[tuple[Any, Array], Array]:
        (known, state), (walk, own_key) = carry, given
        return jax.lax.scan(advance, (agent.reconsider(known, own_key), state), walk)

    start = outcome_at(jnp.cumsum(mdp.start_distribution), begin)
    known = agent.start(mdp.num_states, mdp.num_actions, mdp.transition.dtype)
    return jax.lax.scan(stretch, (known, start), (walk, own_keys))[1].reshape(-1)
