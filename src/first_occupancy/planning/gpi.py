"""Generalised policy evaluation and improvement (GPE, GPI) over a set of base policies.

GPE computes the value of each base policy for a new reward; GPI acts greedily on the largest.
With the SR the reward of a state counts on every visit, with the FR on the first only.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import check_shape
from first_occupancy.core.mdp import floats
from first_occupancy.representations.occupancies import expected_returns


@check_arguments
def choose_policy(reps: Float[Array, "N S S"], reward: Float[Array, " S"]) -> Int[Array, " S"]:
    """Return the base policy with the highest value in each state.

    With FRs and a reward at one goal, this is FRP with no switch.
    """
    check_shape("choose_policy", "reps", reps, "N S S")
    return expected_returns(reps, reward).argmax(axis=0)


@check_arguments
def choose_action(reps: Float[Array, "N S A S"], reward: Float[Array, " S"]) -> Int[Array, " S"]:
    r"""Return GPI's action in each state, $\arg\max_a \max_\pi r^\top M^\pi(s, a)$."""
    check_shape("choose_action", "reps", reps, "N S A S")
    return expected_returns(reps, reward).max(axis=0).argmax(axis=-1)


@check_arguments
def set_max(
    reps: Float[Array, "N S S"], reward: Float[Array, " S"], start: Float[Array, " S"]
) -> Int[Array, ""]:
    """Return the one base policy with the highest expected value over starts (SMP).

    For features in place of states there is `planning.feature_policies`.
    """
    check_shape("set_max", "reps", reps, "N S S")
    check_shape("set_max", "start", start, "S", like="reps", S=reps.shape[1])
    return jnp.matmul(expected_returns(reps, reward), floats(start), precision="highest").argmax()
