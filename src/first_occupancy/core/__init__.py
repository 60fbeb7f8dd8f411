"""What every other package builds on: worlds, policies, Markov chains and rollouts."""

from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP, absorbing, chain, constant_policies
from first_occupancy.core.rollouts import Trajectory, rollout, rollouts, step
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.core.world import World

__all__ = [
    "MDP",
    "Index",
    "InputError",
    "PRNGKey",
    "Scalar",
    "SparseMDP",
    "Trajectory",
    "World",
    "absorbing",
    "chain",
    "constant_policies",
    "rollout",
    "rollouts",
    "step",
]
