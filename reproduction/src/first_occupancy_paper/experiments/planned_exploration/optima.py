"""The largest expected total reward, of an agent that knows the world from the start."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core import MDP


def optimum(mdp: MDP, num_steps: int) -> Float[Array, ""]:
    """Return the largest expected total reward of an agent that knows the world.

    Args:
        mdp: world of the trial.
        num_steps: number of steps of the trial.
    """
    return _optimum(mdp, jnp.zeros(num_steps))


@jax.jit
def _optimum(mdp: MDP, steps: Float[Array, " T"]) -> Float[Array, ""]:
    paid = (mdp.transition * mdp.reward).sum(axis=-1)

    def back(values: Array, _: Array) -> tuple[Array, None]:
        ahead = jnp.einsum("sat,t->sa", mdp.transition, values, precision="highest")
        return (paid + ahead).max(axis=1), None

    values, _ = jax.lax.scan(back, jnp.zeros_like(mdp.start_distribution), steps)
    return values @ mdp.start_distribution
