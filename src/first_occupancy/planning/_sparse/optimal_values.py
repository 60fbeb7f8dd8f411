r"""Value and policy iteration on sparse worlds, with moves that may take time.

$$V(s) = \max_a \big[ r(s, a) + \gamma^{d(s, a)} \sum_{s'} p(s'|s, a)\, V(s') \big]$$

Both are those of `dynamic_programming`, in float64 on the host.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csc_array, csr_array, eye_array, vstack
from scipy.sparse.linalg import splu

from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning.limits import NOISE


class Backups:
    """The Bellman equations of a sparse world."""

    def __init__(self, world: SparseMDP, discount: float) -> None:
        durations = np.ones_like(world.rewards) if world.durations is None else world.durations
        chains = world.policy_chains(None, weights=discount**durations)
        self.rows = csr_array(vstack(chains, format="csr"))
        self.rewards = world.rewards.T

    def ahead(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "A S"]:
        """Return the expected discounted value after one move of each action."""
        return (self.rows @ values).reshape(self.rewards.shape)

    def action_values(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "A S"]:
        """Return the value of each action, given the values of the next states."""
        return self.rewards + self.ahead(values)

    def value_of(self, policy: Int[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the values of a deterministic policy, from the linear Bellman equations."""
        size, states = len(policy), np.arange(len(policy))
        rewards = self.rewards[policy, states]
        matrix = csc_array(eye_array(size) - self.rows[policy * size + states])
        return splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(rewards)


def iterate_values(
    world: SparseMDP, *, discount: float, error: float, limit: int
) -> tuple[Float[np.ndarray, " S"], Int[np.ndarray, " S"], int]:
    """Return values, a greedy policy and the number of sweeps, as `value_iteration.solve`."""
    backups = Backups(world, discount)
    shrinks = float(backups.rows.sum(axis=1).max())
    enough = error * (1 - shrinks) / max(2 * shrinks, np.finfo(float).tiny)
    values, count, changing = np.zeros(world.num_states), 0, True
    while changing and count < limit:
        improved = backups.action_values(values).max(axis=0)
        settled = np.maximum(enough, 4 * np.finfo(float).eps * np.abs(improved))
        changing = bool((np.abs(improved - values) > settled).any())
        values, count = improved, count + 1
    return values, backups.action_values(values).argmax(axis=0), count


def iterate_policies(
    world: SparseMDP, *, discount: float, limit: int
) -> tuple[Float[np.ndarray, " S"], Int[np.ndarray, " S"], int]:
    """Return values, an optimal policy and the number of rounds, as `policy_iteration.solve`."""
    backups, states = Backups(world, discount), np.arange(world.num_states)
    policy, count, changed = np.zeros(world.num_states, int), 0, True
    values = backups.value_of(policy)
    while changed and count < limit:
        ahead = backups.action_values(values)
        sizes = np.abs(backups.rewards) + backups.ahead(np.abs(values))
        rounding = NOISE * sizes.max(axis=0)
        better = ahead.max(axis=0) > ahead[policy, states] + rounding
        policy = np.where(better, ahead.argmax(axis=0), policy)
        changed, count = bool(better.any()), count + 1
        if changed:
            values = backups.value_of(policy)
    return values, policy, count
