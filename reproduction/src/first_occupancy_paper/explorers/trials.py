"""Trials: the rewards that agents obtain in worlds, each starting without knowledge."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import InputError, is_known
from first_occupancy.core.mdp import MDP

from .draws import outcome_at


@runtime_checkable
class Agent(Protocol):
    """What an agent must have; see `peers.optimism.OptimisticPlanner` for what each argument is."""

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

    def reconsider(self, known: Any, key: Any, /) -> Any:
        """Return what is known, thought over before each stretch of steps."""


def check_trials(agent: Agent, mdps: Sequence[MDP], num_steps: int) -> None:
    """Raise `InputError` if there is no world, or the steps are no multiple of the stretch."""
    if not mdps:
        raise InputError("run_trials: mdps must hold at least one world, got none")
    if num_steps < 1 or num_steps % agent.stretch:
        raise InputError(
            f"run_trials: num_steps must be a multiple of the agent's stretch, {agent.stretch}, "
            f"got {num_steps}"
        )


def stacked(mdps: Sequence[MDP]) -> MDP:
    """Return worlds as one whose arrays have a first axis over the worlds; names are left out.

    Args:
        mdps: worlds with the same numbers of states and actions.
    """
    worlds = [mdp.unnamed() for mdp in mdps]
    # JAX would compile a program for every number of worlds, which takes seconds for hundreds.
    stack = np.stack if is_known(worlds) else jnp.stack
    return jax.tree.map(lambda *arrays: jnp.asarray(stack(arrays)), *worlds)


TOGETHER, CACHED = 20, 12_000
"""The most trials that run side by side, and entries of A x S x S tables that a core's cache holds
beside the other tables: of large worlds as many trials run side by side as fit, since more would
wait for memory."""


@jax.jit
def run(
    agent: Agent,
    mdps: MDP,
    units: Float[Array, " B"],
    begin: Float[Array, " B"],
    walk: Float[Array, "B K L 2"],
    keys: Array | None,
) -> Float[Array, "B T"]:
    """Return the rewards of each step of one trial in each of several worlds.

    Args:
        agent: settings of the agent.
        mdps: the worlds, `stacked`.
        units: reward that the agent counts as 1 in each world.
        begin: uniform random number from 0 to 1 (exclusive), which draws the first state.
        walk: two such numbers per step: the first breaks ties, the second draws the next state.
        keys: a key for each stretch of steps [trial, stretch]; None if the agent needs none.
    """
    most = max(1, min(TOGETHER, CACHED // mdps.transition[0].size))
    size = next(n for n in range(most, 0, -1) if len(begin) % n == 0)
    trials = (mdps, units, begin, walk, keys)
    return jax.lax.map(lambda trial: _run_trial(agent, *trial), trials, batch_size=size)


def _run_trial(
    agent: Agent,
    mdp: MDP,
    unit: Scalar,
    begin: Scalar,
    walk: Float[Array, "K L 2"],
    keys: Array | None,
) -> Float[Array, " T"]:
    outcomes = jnp.cumsum(mdp.transition, axis=-1)
    Carry = tuple[Any, Array]

    def advance(carry: Carry, noise: Array) -> tuple[Carry, Array]:
        known, state = carry
        action = agent.act(known, state, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        return (agent.learn(known, state, action, reward / unit, next_state), next_state), reward

    def stretch(carry: Carry, noise: tuple[Array, Array | None]) -> tuple[Carry, Array]:
        (known, state), (walk, key) = carry, noise
        return jax.lax.scan(advance, (agent.reconsider(known, key), state), walk)

    start = outcome_at(jnp.cumsum(mdp.start_distribution), begin)
    known = agent.start(mdp.num_states, mdp.num_actions, mdp.transition.dtype)
    return jax.lax.scan(stretch, (known, start), (walk, keys))[1].reshape(-1)
