r"""Adam (Kingma and Ba 2015) for whole networks.

$$m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad
p \leftarrow p - \alpha\, \hat m / (\sqrt{\hat v} + \epsilon)$$

with $\hat m = m / (1 - \beta_1^t)$ and $\hat v$ likewise. Each array takes one pass over memory.

This is `optax.adam` up to rounding: optax computes $\beta_1 m + (1 - \beta_1) g$ where this module
adds $(1 - \beta_1) (g - m)$, and divides each entry by the bias corrections. Within 800 steps of a
small run on a CPU that changes the rows, in bfloat16 as in float32, and rows of kept runs have to
stay comparable; so the arm keeps its own.
"""

from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, PyTree

from first_occupancy.core.axes import Scalar

MEAN_DECAY, SQUARE_DECAY, FLOOR = 0.9, 0.999, 1e-8

Network = TypeVar("Network", bound=PyTree)


class Moments(eqx.Module):
    """The state of the optimiser.

    Attributes:
        mean: running mean of gradients, a tree like the network.
        square: running mean of squared gradients, a tree like the network.
        count: number of steps so far.
    """

    mean: PyTree
    square: PyTree
    count: Int[Array, ""]


def init(network: PyTree) -> Moments:
    """Return the moments before the first gradient."""
    zeros = jax.tree.map(jnp.zeros_like, network)
    return Moments(zeros, jax.tree.map(jnp.zeros_like, network), jnp.zeros((), jnp.int32))


def descend(
    network: Network, gradient: Network, moments: Moments, *, step_size: Scalar
) -> tuple[Network, Moments]:
    """Return the network and the moments after one step of gradient descent.

    Args:
        network: parameters, as any tree of arrays.
        gradient: gradient of the loss, of the same shape.
        moments: moments so far.
        step_size: learning rate.
    """
    count = moments.count + 1
    mean = jax.tree.map(lambda m, g: m + (1 - MEAN_DECAY) * (g - m), moments.mean, gradient)
    square = jax.tree.map(
        lambda v, g: v + (1 - SQUARE_DECAY) * (g**2 - v), moments.square, gradient
    )

    def move(parameter: Array, mean: Array, square: Array) -> Array:
        time = count.astype(parameter.dtype)
        # The bias corrections as two scalars per array, instead of a division per entry.
        size = step_size / (1 - MEAN_DECAY**time)
        scale = jax.lax.rsqrt(1 - SQUARE_DECAY**time)
        return parameter - size * mean / (jnp.sqrt(square) * scale + FLOOR)

    return jax.tree.map(move, network, mean, square), Moments(mean, square, count)
