"""Sampling from an MDP: one step, a rollout, a batch of rollouts. Pure; keys are passed in."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.axes import Index, PRNGKey
from first_occupancy.core.errors import check_index, check_key, check_shape, check_states
from first_occupancy.core.mdp import MDP, check_policy, floats
from first_occupancy.core.memory import check_fits
from first_occupancy.core.sparse_mdp import SparseMDP


class Trajectory(eqx.Module):
    """A trajectory of T states, with the actions and rewards of the T - 1 steps between them.

    Attributes:
        states: states visited, the start first.
        actions: action taken in each state but the last.
        rewards: reward of each step.
    """

    states: Int[Array, "*B T"]
    actions: Int[Array, "*B T-1"]
    rewards: Float[Array, "*B T-1"]


class _Successors(eqx.Module):
    """The K successors of every state and action, padded where there are fewer.

    The last of the cumulative probabilities are 1; rewards are expected ones.
    """

    states: Int[Array, "S A K"]
    cumulative: Float[Array, "S A K"]
    rewards: Float[Array, "S A"]

    def step(
        self, key: PRNGKey, state: Index, action: Index
    ) -> tuple[Int[Array, ""], Float[Array, ""]]:
        """Return a next state drawn from p(. | state, action), and the expected reward."""
        number = jax.random.uniform(key)
        # The last successor takes what rounding leaves of the sums.
        chosen = (number >= self.cumulative[state, action, :-1]).sum()
        return self.states[state, action, chosen], self.rewards[state, action]


def successors(world: SparseMDP) -> _Successors:
    """Return the successors of a sparse world as padded arrays."""
    size, count = world.num_states, world.num_actions
    most = max(int(np.diff(chain.indptr).max()) for chain in world.action_chains)
    check_fits("rollouts", 3 * 8 * size * count * most, instead="a world with fewer successors")
    states = np.zeros((size, count, most), np.int32)
    shares = np.zeros((size, count, most))
    for action, chain in enumerate(world.action_chains):
        rows = np.repeat(np.arange(size), np.diff(chain.indptr))
        ranks = np.arange(chain.nnz) - chain.indptr[rows]
        states[rows, action, ranks] = chain.indices
        shares[rows, action, ranks] = chain.data
    # Ranks beyond the last successor repeat it.
    last = np.stack([np.diff(chain.indptr) - 1 for chain in world.action_chains], axis=1)
    there = np.minimum(np.arange(most)[None, None], last[..., None])
    states = np.take_along_axis(states, there, axis=2)
    whole = jnp.asarray(states, jnp.result_type(int))
    return _Successors(whole, *map(jnp.asarray, (shares.cumsum(axis=2), world.rewards)))


def step(
    mdp: MDP, key: PRNGKey, state: Index, action: Index
) -> tuple[Int[Array, ""], Float[Array, ""]]:
    """Return the next state, drawn from p(. | state, action), and the reward of the step.

    Args:
        mdp: world to sample from, dense or sparse.
        key: JAX random key.
        state: current state.
        action: action taken in it.
    """
    next_state = _draw(key, mdp.transition[state, action])
    return next_state, mdp.reward[state, action, next_state]


@check_arguments
def rollout(
    mdp: MDP | SparseMDP,
    key: PRNGKey,
    policy: Float[Array, "S A"],
    start: Index,
    *,
    num_steps: NonNegativeInt,
) -> Trajectory:
    """Return a trajectory from a start state, with actions drawn from a policy.

    Args:
        mdp: world to sample from, dense or sparse.
        key: JAX random key.
        policy: probabilities of actions.
        start: first state.
        num_steps: number of steps, at least 0.
    """
    policy = _one_policy("rollout", mdp, policy)
    check_index("rollout", "start", start, mdp.num_states)
    check_key("rollout", "key", key)
    return _rollout(_steppable(mdp), key, policy, jnp.asarray(start, int), num_steps)


@check_arguments
def rollouts(
    mdp: MDP | SparseMDP,
    key: PRNGKey,
    policy: Float[Array, "S A"],
    starts: Int[Array, " B"],
    *,
    num_steps: NonNegativeInt,
) -> Trajectory:
    """Return independent trajectories, one from each start, with a leading batch axis.

    Args:
        mdp: world to sample from, dense or sparse.
        key: JAX random key.
        policy: probabilities of actions.
        starts: first states.
        num_steps: number of steps of each trajectory, at least 0.

    Raises:
        InputError: if `starts` is not one-dimensional, or another argument is invalid.
    """
    policy = _one_policy("rollouts", mdp, policy)
    check_states("rollouts", "starts", starts, mdp.num_states)
    check_key("rollouts", "key", key)
    return _rollouts(_steppable(mdp), key, policy, jnp.asarray(starts, int), num_steps)


def _steppable(mdp: MDP | SparseMDP) -> MDP | _Successors:
    """Return the world as arrays that compiled functions take."""
    return successors(mdp) if isinstance(mdp, SparseMDP) else mdp.unnamed()


def _one_policy(
    caller: str, mdp: MDP | SparseMDP, policy: Float[Array, "S A"]
) -> Float[Array, "S A"]:
    """Return a policy as floats; raise unless it is a single one and fits the MDP."""
    policy = floats(policy)
    check_policy(caller, mdp, policy)
    check_shape(caller, "policy", policy, "S A")
    return policy


@partial(jax.jit, static_argnames="num_steps")
def _rollout(
    mdp: MDP | _Successors, key: Array, policy: Array, start: Array, num_steps: int
) -> Trajectory:
    def advance(state: Array, key: Array):
        act_key, step_key = jax.random.split(key)
        action = _draw(act_key, policy[state])
        is_sparse = isinstance(mdp, _Successors)  # a record of arrays, not a dense MDP
        draw = mdp.step if is_sparse else partial(step, mdp)
        next_state, reward = draw(step_key, state, action)
        return next_state, (state, action, reward)

    keys = jax.random.split(key, num_steps)
    last, (states, actions, rewards) = jax.lax.scan(advance, start, keys)
    return Trajectory(jnp.append(states, last), actions, rewards)


@partial(jax.jit, static_argnames="num_steps")
def _rollouts(
    mdp: MDP | _Successors, key: Array, policy: Array, starts: Array, num_steps: int
) -> Trajectory:
    keys = jax.random.split(key, len(starts))
    walk = jax.vmap(lambda key, start: _rollout(mdp, key, policy, start, num_steps))
    return walk(keys, starts)


def _draw(key: PRNGKey, probabilities: Float[Array, " K"]) -> Int[Array, ""]:
    return jax.random.choice(key, len(probabilities), p=probabilities)
