"""Trials of the explorer: the rewards that it obtains in a world, starting without knowledge."""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_discount, is_known
from first_occupancy.core.mdp import MDP

from .draws import outcome_at
from .explorer import Explorer, Knowledge, act, init, reconsider, update
from .stacking import stacked

RECONSIDER = 10
"""Steps between calls of `reconsider`, which changes the probabilities of all pairs at once.

In between only the row of the state just left changes, and a rank-one update is exact.
Calling it after every step would take several times as long.
"""

CACHED = 20_000
"""Entries of A x S x S tables that a core's cache holds beside the other tables.

As many trials run side by side as fit: more would wait for memory, fewer for instructions.
"""

SIZES = (20, 10, 5, 2, 1)
"""Numbers of trials that run side by side. They are few, so that different numbers of trials
share a compiled program: compiling takes as long as hundreds of short trials. Fewer trials than fit
run in one piece, with a program of their own."""


def run_trial(
    agent: Explorer, mdp: MDP, begin: Scalar, walk: Float[Array, "K L 2"]
) -> Float[Array, "K L"]:
    """Return the rewards of one trial: K stretches of L steps, with `reconsider` after each.

    Args:
        agent: settings of the agent.
        mdp: the world.
        begin: uniform random number from 0 to 1 (exclusive), which draws the first state.
        walk: two such numbers per step: the first breaks ties, the second draws the next state.
    """
    outcomes = jnp.cumsum(mdp.transition, axis=-1)
    Carry = tuple[Knowledge, Array]

    def advance(carry: Carry, noise: Array) -> tuple[Carry, Array]:
        knowledge, state = carry
        action = act(agent, knowledge, state, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        return (update(agent, knowledge, state, action, reward, next_state), next_state), reward

    def stretch(carry: Carry, walk: Array) -> tuple[Carry, Array]:
        (knowledge, state), rewards = jax.lax.scan(advance, carry, walk)
        return (reconsider(agent, knowledge), state), rewards

    knowledge = init(mdp.num_states, mdp.num_actions, mdp.transition.dtype)
    start = outcome_at(jnp.cumsum(mdp.start_distribution), begin)
    return jax.lax.scan(stretch, (knowledge, start), walk)[1]


def run_trials(
    agent: Explorer, mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards of each step of independent trials.

    For worlds of one size, agents that differ in numbers only share one compiled program.

    Args:
        agent: settings of the agent.
        mdp: the world; its rewards must not be negative.
        key: JAX random key.
        num_trials: number of trials, at least 1.
        num_steps: number of steps of a trial, a multiple of 10 (`RECONSIDER`).
    """
    _check(agent, mdp, num_trials, num_steps)
    noise = _draw(key, num_trials, num_steps, mdp.transition.dtype)
    told, world = jax.tree.map(jnp.asarray, agent), mdp.unnamed()

    def run(noise: tuple[Array, Array]) -> Array:
        return _run_in_one(told, world, *noise)

    return _in_pieces(run, noise, mdp.transition.size).reshape(num_trials, num_steps)


def run_trial_in_each(
    agent: Explorer, mdps: list[MDP], key: PRNGKey, *, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards of each step of one trial in each of several worlds.

    Args:
        agent: settings of the agent.
        mdps: worlds with the same numbers of states and actions; no reward may be negative.
        key: JAX random key.
        num_steps: number of steps of a trial, a multiple of 10 (`RECONSIDER`).
    """
    for mdp in mdps:
        _check(agent, mdp, len(mdps), num_steps)
    noise = _draw(key, len(mdps), num_steps, mdps[0].transition.dtype)
    told, worlds = jax.tree.map(jnp.asarray, agent), stacked(mdps)

    def run(trials: tuple[MDP, Array, Array]) -> Array:
        return _run_in_each(told, *trials)

    rewards = _in_pieces(run, (worlds, *noise), mdps[0].transition.size)
    return rewards.reshape(len(mdps), num_steps)


@jax.jit
def _run_in_one(
    agent: Explorer, mdp: MDP, begin: Float[Array, " B"], walk: Float[Array, "B K L 2"]
) -> Float[Array, "B K L"]:
    return jax.vmap(run_trial, (None, None, 0, 0))(agent, mdp, begin, walk)


@jax.jit
def _run_in_each(
    agent: Explorer, mdps: MDP, begin: Float[Array, " B"], walk: Float[Array, "B K L 2"]
) -> Float[Array, "B K L"]:
    return jax.vmap(run_trial, (None, 0, 0, 0))(agent, mdps, begin, walk)


def _in_pieces(
    run: Callable[[Any], Float[Array, "_ K L"]], trials: PyTree[Array], entries: int
) -> Float[Array, "B K L"]:
    """Return what `run` returns for all trials, given as many at a time as a cache holds.

    The last piece is filled up with the first trials, so that it needs no program of its own.
    """
    number = len(jax.tree.leaves(trials)[0])
    size = min(number, next(each for each in SIZES if each <= max(1, CACHED // entries)))
    members = np.arange(-(-number // size) * size) % number
    # NumPy, since JAX would compile a program for every number of pieces.
    arrays = np if is_known(trials) else jnp
    trials = jax.tree.map(arrays.asarray, trials)
    pieces = [jax.tree.map(itemgetter(own), trials) for own in members.reshape(-1, size)]
    rewards = [run(jax.tree.map(jnp.asarray, piece)) for piece in pieces]
    if is_known(rewards):
        return jnp.asarray(np.concatenate([np.asarray(each) for each in rewards])[:number])
    return jnp.concatenate(rewards)[:number]


def _draw(
    key: PRNGKey, num_trials: int, num_steps: int, dtype: jnp.dtype
) -> tuple[Float[Array, " B"], Float[Array, "B K L 2"]]:
    begin_key, walk_key = jax.random.split(key)
    # Drawn in advance: a generator inside the loop would slow down every step.
    begin = jax.random.uniform(begin_key, (num_trials,), dtype)
    shape = (num_trials, num_steps // RECONSIDER, RECONSIDER, 2)
    return begin, jax.random.uniform(walk_key, shape, dtype)


def _check(agent: Explorer, mdp: MDP, num_trials: int, num_steps: int) -> None:
    if num_trials < 1 or num_steps < 1 or num_steps % RECONSIDER:
        raise InputError(
            f"run_trials: num_trials must be at least 1 and num_steps a multiple of {RECONSIDER}, "
            f"got {num_trials} and {num_steps}"
        )
    check_discount("run_trials", agent.discount)
    if is_known(mdp.reward) and np.asarray(mdp.reward).min() < 0:
        raise InputError(
            f"run_trials: rewards must not be negative, got {np.asarray(mdp.reward).min():g}"
        )
