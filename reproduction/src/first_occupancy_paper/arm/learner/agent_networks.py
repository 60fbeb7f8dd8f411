r"""The networks of DDPG, APS and APF, for one run; callers `vmap` over runs.

| network | layers |
| --- | --- |
| actor, (o, w) to a | width, LayerNorm, tanh; width, ReLU; actions, tanh |
| critic, (o, w, a) to outputs | width, LayerNorm, tanh; then twice: width, ReLU; outputs |
| features, o to $\phi$ | width, ReLU; width, ReLU; features |

Weights are initialised orthogonal, biases at zero (Laskin et al. 2021). The paper says "3-layer
MLPs with ReLU"; the architecture here is that of the code it refers to.

`dtype` is the precision that wide layers round to (see `layers`).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey

from . import layers
from .layers import Dense, Trunk


class Actor(eqx.Module):
    """The policy: observation and task to an action in [-1, 1].

    Attributes:
        trunk: first layer, with LayerNorm and tanh.
        hidden: second layer, with ReLU.
        output: last layer, with tanh.
    """

    trunk: Trunk
    hidden: Dense
    output: Dense

    def __call__(
        self, observation: Float[Array, "B O"], task: Float[Array, "B D"], dtype: DTypeLike
    ) -> Float[Array, "B A"]:
        """Return the actions without noise."""
        seen = jnp.concatenate([observation, task], axis=1)
        hidden = layers.rectified(self.hidden, layers.normalised(self.trunk, seen, dtype), dtype)
        return jnp.tanh(layers.linear(self.output, hidden, dtype))


class Critic(eqx.Module):
    """Twin critics on one trunk.

    Attributes:
        trunk: first layer, shared by the twins, with LayerNorm and tanh.
        hidden: second layers of both twins side by side as one, with ReLU.
        output_weight: weights of the last layer of each twin.
        output_bias: biases of the last layer of each twin.
    """

    trunk: Trunk
    hidden: Dense
    output_weight: Float[Array, "2 W H"]
    output_bias: Float[Array, "2 H"]

    def __call__(
        self,
        observation: Float[Array, "B O"],
        task: Float[Array, "B D"],
        action: Float[Array, "B A"],
        dtype: DTypeLike,
    ) -> Float[Array, "B 2 H"]:
        """Return the outputs of both critics."""
        seen = jnp.concatenate([observation, task, action], axis=1)
        hidden = layers.rectified(self.hidden, layers.normalised(self.trunk, seen, dtype), dtype)
        # One product with a block-diagonal matrix: slicing the twins apart would copy `hidden`.
        both = Dense(jax.scipy.linalg.block_diag(*self.output_weight), self.output_bias.ravel())
        return layers.linear(both, hidden, dtype).reshape(-1, *self.output_bias.shape)


class Features(eqx.Module):
    """The map from observations to features, not normalised.

    Attributes:
        first: first layer, with ReLU.
        hidden: second layer, with ReLU.
        output: last layer, linear.
    """

    first: Dense
    hidden: Dense
    output: Dense

    def __call__(self, observation: Float[Array, "B O"], dtype: DTypeLike) -> Float[Array, "B D"]:
        """Return the features."""
        first = layers.rectified(self.first, observation, dtype)
        return layers.linear(self.output, layers.rectified(self.hidden, first, dtype), dtype)


def orthogonal(key: PRNGKey, shapes: list[tuple[int, int]]) -> list[Float[Array, "I O"]]:
    """Return random matrices with orthonormal rows or columns, whichever are fewer.

    Args:
        key: random key. All matrices come from one draw, because each draw is slow to compile.
        shapes: rows and columns of each matrix.
    """
    sizes = [rows * columns for rows, columns in shapes]
    draw = jax.random.normal(key, (sum(sizes),))
    pieces = jnp.split(draw, np.cumsum(sizes)[:-1])
    return [_orthonormal(x.reshape(shape)) for x, shape in zip(pieces, shapes, strict=True)]


def _orthonormal(matrix: Float[Array, "I O"]) -> Float[Array, "I O"]:
    """Return the orthogonal factor of a Gaussian matrix, which is uniformly distributed."""
    is_wide = matrix.shape[0] < matrix.shape[1]
    factor, triangle = jnp.linalg.qr(matrix.T if is_wide else matrix)
    # The factor is unique, hence uniform, once the triangle's diagonal is positive.
    factor = factor * jnp.sign(jnp.diagonal(triangle))[None, :]
    return factor.T if is_wide else factor


def actor(key: PRNGKey, num_inputs: int, width: int, num_actions: int) -> Actor:
    """Return an untrained policy.

    Args:
        key: random key of its weights.
        num_inputs: length of observation and task together.
        width: units of each hidden layer.
        num_actions: length of an action.
    """
    first, hidden, output = orthogonal(
        key, [(num_inputs, width), (width, width), (width, num_actions)]
    )
    return Actor(_trunk(first), _dense(hidden), _dense(output))


def critic(key: PRNGKey, num_inputs: int, width: int, num_outputs: int) -> Critic:
    """Return untrained twin critics, each with orthogonal layers of its own.

    Args:
        key: random key of their weights.
        num_inputs: length of observation, task and action together.
        width: units of each hidden layer.
        num_outputs: how many numbers each critic returns.
    """
    hidden, output = (width, width), (width, num_outputs)
    first, *rest = orthogonal(key, [(num_inputs, width), hidden, hidden, output, output])
    return Critic(
        _trunk(first),
        _dense(jnp.concatenate(rest[:2], axis=1)),
        jnp.stack(rest[2:]),
        jnp.zeros((2, num_outputs)),
    )


def features(key: PRNGKey, num_inputs: int, width: int, num_features: int) -> Features:
    """Return an untrained feature network."""
    shapes = [(num_inputs, width), (width, width), (width, num_features)]
    return Features(*map(_dense, orthogonal(key, shapes)))


def _dense(weight: Float[Array, "I O"]) -> Dense:
    return Dense(weight, jnp.zeros(weight.shape[1]))


def _trunk(weight: Float[Array, "I W"]) -> Trunk:
    width = weight.shape[1]
    return Trunk(_dense(weight), jnp.ones(width), jnp.zeros(width))
