"""Random worlds: FRP compared with SciPy's shortest paths, and the effect of improvement on Q."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from first_occupancy.core import MDP
from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.planning import frp
from first_occupancy.planning.dynamic_programming import policy_iteration
from first_occupancy.planning.dynamic_programming.value_iteration import action_values
from first_occupancy.representations import first_occupancy
from first_occupancy_paper.rows.row import Row

ROUNDING = 1e-9


def shortest_steps(next_states: Int[np.ndarray, "N S"]) -> Float[np.ndarray, "S S"]:
    """Return the fewest steps between all states, if every policy may be followed everywhere."""
    num_policies, num_states = next_states.shape
    here = np.tile(np.arange(num_states), num_policies)
    edges = (np.ones(here.size), (here, next_states.ravel()))
    graph = csr_array(edges, shape=(num_states, num_states))
    return shortest_path(graph, unweighted=True)


def compare_with_shortest_paths(
    key: PRNGKey, *, num_states: int, num_policies: int, trials: int, discount: float
) -> Row:
    """Return how often FRP's discount is not gamma to the shortest path's length (Prop. 4.1).

    Args:
        key: JAX random key.
        num_states: number of states of each world.
        num_policies: number of base policies, which are random and deterministic.
        trials: number of worlds.
        discount: discount factor per step, between 0 and 1 (both exclusive).
    """
    shape = (trials, num_policies, num_states)
    next_states = np.asarray(num_states * jax.random.uniform(key, shape)).astype(int)
    logs = np.asarray(_plan_all(jnp.asarray(next_states), discount))
    planned = logs.swapaxes(1, 2) / np.log(discount)  # infinite where no plan arrives
    steps = np.stack([shortest_steps(table) for table in next_states])
    finite = np.isfinite(steps)
    return {
        "worlds": trials,
        "num_states": num_states,
        "num_policies": num_policies,
        "pairs": steps.size,
        "unreachable": int((~finite).sum()),
        "longest": int(steps[finite].max()),
        "mismatches": int((~np.isclose(planned, steps, rtol=0, atol=1e-6)).sum()),
    }


@jax.jit
def _plan_all(next_states: Int[Array, "B N S"], discount: Scalar) -> Float[Array, "B S S"]:
    """Return FRP's log discounts [world, goal, state] from the exact FRs of the policies."""

    def plan(table: Array) -> Array:
        chains = jax.nn.one_hot(table, table.shape[1])
        return frp.plan_to_every_goal(first_occupancy.solve(chains, discount=discount)).log_promised

    return jax.vmap(plan)(next_states)


def improve_policies(key: PRNGKey, *, num_states: int, trials: int, discount: float) -> Row:
    """Return how often Q rises or falls from a random policy to the policy that is greedy for it.

    Worlds are deterministic, with three actions and rewards between 0 and 1.

    Args:
        key: JAX random key.
        num_states: number of states of each world.
        trials: number of worlds.
        discount: discount factor per step, from 0 to 1 (exclusive).
    """
    # Each state draws three next states, three rewards and the policy's action.
    draws = np.asarray(jax.random.uniform(key, (7, trials, num_states)))
    targets = jnp.asarray(np.moveaxis(num_states * draws[:3], 0, 2).astype(int))
    transition = jax.nn.one_hot(targets, num_states)
    paid = jnp.asarray(np.moveaxis(draws[3:6], 0, 2)[..., None])
    reward = jnp.broadcast_to(paid, transition.shape)
    policy = (3 * draws[6]).astype(int)
    before = _action_values(transition, reward, jnp.asarray(policy), discount)
    after = _action_values(transition, reward, before.argmax(axis=2), discount)
    rise = np.asarray(after - before)
    return {
        "worlds": trials,
        "pairs": rise.size,
        "rises": int((rise > ROUNDING).sum()),
        "falls": int((rise < -ROUNDING).sum()),
        "largest_rise": float(rise.max()),
    }


@jax.jit
@partial(jax.vmap, in_axes=(0, 0, 0, None))
def _action_values(transition: Array, reward: Array, policy: Array, discount: Scalar) -> Array:
    """Return Q of one policy in each world."""
    mdp = MDP(transition, reward)
    return action_values(
        mdp, policy_iteration.evaluate(mdp, policy, discount=discount), discount=discount
    )
