"""Generalised policy evaluation and improvement (GPE, GPI) over a set of base policies.

GPE asks what a new reward is worth under each policy one knows; GPI acts by the best
answer. With the SR the reward counts on every visit, with the FR once.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_index, check_shape
from first_occupancy.representations.values import value


def choose_policy(reps: Float[Array, "N S S"], reward: Float[Array, " S"]) -> Int[Array, " S"]:
    """Return the base policy worth most in each state; FRP with no switch does this."""
    check_shape("choose_policy", "reps", reps, "N S S")
    return value(reps, reward).argmax(axis=0)


def choose_action(reps: Float[Array, "N S A S"], reward: Float[Array, " S"]) -> Int[Array, " S"]:
    r"""Return GPI's action in each state, $\arg\max_a \max_\pi r^\top M^\pi(s, a)$."""
    check_shape("choose_action", "reps", reps, "N S A S")
    return value(reps, reward).max(axis=0).argmax(axis=-1)


def act(reps: Float[Array, "N S A S"], reward: Float[Array, " S"], state: Index) -> Int[Array, ""]:
    """Return GPI's action in one state."""
    check_shape("act", "reps", reps, "N S A S")
    # JAX reads the last entry for what lies beyond, and would act as in another state.
    check_index("act", "state", state, reps.shape[1])
    return value(reps[:, state], reward).max(axis=0).argmax()


def set_max(
    reps: Float[Array, "N S S"], reward: Float[Array, " S"], start: Float[Array, " S"]
) -> Int[Array, ""]:
    """Return the one base policy with the highest expected value over starts (SMP).

    For features in place of states there is `planning.feature_policies`.
    """
    check_shape("set_max", "reps", reps, "N S S")
    if np.shape(start) != reps.shape[1:2]:
        raise InputError(
            f"set_max: start must have shape [S] = {list(reps.shape[1:2])} as reps say, "
            f"got {list(np.shape(start))}"
        )
    return jnp.matmul(value(reps, reward), start, precision="highest").argmax()
