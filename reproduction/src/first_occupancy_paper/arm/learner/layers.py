r"""Layers of wide networks, with derivatives that move as little memory as they can.

At a width and batch of a thousand, moving activations takes most of the time. So each layer returns
them in `dtype`, for which bfloat16 (8 bits) suffices, and its derivative, written out here, needs
only the layer's input and output: no masks, no copies in full precision. (JAX's own derivative
would also multiply mixed precisions, which takes as long as if nothing had been rounded.)

The factors of width-by-width products and the activations are rounded. Weights, observations,
outputs, sums within a product and gradients of weights are not.

Neither `equinox.nn` nor JAX's own derivatives can replace them. In 20 runs of width and batch
1,024 on an H200, these layers are part of what brought an update of APS from 6.9 to 4.9 ms
(`benchmarks/jaco_updates.py`), and deriving the same layers by JAX changes the rows of a small run
in float32, which have to stay comparable with those of kept runs.
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float

NORM_FLOOR = 1e-5
"""Added to variances in LayerNorm."""


ALIGNMENT = 8
"""Rows of rounded factors are padded to a multiple of this; GPUs read others entry by entry."""


class Dense(eqx.Module):
    """The parameters of a layer x W + b.

    Attributes:
        weight: W.
        bias: b.
    """

    weight: Float[Array, "I O"]
    bias: Float[Array, " O"]


class Trunk(eqx.Module):
    """The parameters of a first layer: dense, LayerNorm, tanh.

    Attributes:
        dense: the dense layer.
        scale: factor after LayerNorm.
        offset: summand after LayerNorm.
    """

    dense: Dense
    scale: Float[Array, " W"]
    offset: Float[Array, " W"]


def linear(layer: Dense, inputs: Float[Array, "B I"], dtype: DTypeLike) -> Float[Array, "B O"]:
    """Return x W + b in the precision of b."""
    return _linear(dtype, layer, inputs)


def rectified(layer: Dense, inputs: Float[Array, "B I"], dtype: DTypeLike) -> Float[Array, "B O"]:
    """Return max(x W + b, 0) in `dtype`.

    Args:
        layer: W and b.
        inputs: x; not rounded if in full precision.
        dtype: precision of the factors and of the result.
    """
    return _rectified(dtype, layer, inputs)


def normalised(trunk: Trunk, inputs: Float[Array, "B I"], dtype: DTypeLike) -> Float[Array, "B W"]:
    r"""Return $\tanh(s \cdot \mathrm{LayerNorm}(x W + b) + t)$ in `dtype`.

    Args:
        trunk: W, b, s and t.
        inputs: x; not rounded if in full precision.
        dtype: precision of the factors and of the result.
    """
    return _normalised(dtype, trunk, inputs)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _linear(dtype: DTypeLike, layer: Dense, inputs: Array) -> Array:
    own = layer.bias.dtype
    return (
        jnp.dot(inputs, layer.weight.astype(dtype), preferred_element_type=own) + layer.bias[None]
    )


def _linear_forward(dtype: DTypeLike, layer: Dense, inputs: Array) -> tuple:
    return _linear(dtype, layer, inputs), (layer, inputs)


def _linear_backward(dtype: DTypeLike, kept: tuple, change: Array) -> tuple:
    layer, inputs = kept
    return _product_backward(dtype, layer, inputs, change)


_linear.defvjp(_linear_forward, _linear_backward)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _rectified(dtype: DTypeLike, layer: Dense, inputs: Array) -> Array:
    product = _product(dtype, layer, inputs)
    return jnp.maximum(product + layer.bias[None], 0).astype(dtype)


def _rectified_forward(dtype: DTypeLike, layer: Dense, inputs: Array) -> tuple:
    outputs = _rectified(dtype, layer, inputs)
    return outputs, (layer, inputs, outputs)


def _rectified_backward(dtype: DTypeLike, kept: tuple, change: Array) -> tuple:
    layer, inputs, outputs = kept
    return _product_backward(dtype, layer, inputs, jnp.where(outputs > 0, change, 0))


_rectified.defvjp(_rectified_forward, _rectified_backward)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _normalised(dtype: DTypeLike, trunk: Trunk, inputs: Array) -> Array:
    return _normalised_forward(dtype, trunk, inputs)[0]


def _normalised_forward(dtype: DTypeLike, trunk: Trunk, inputs: Array) -> tuple:
    product = _product(dtype, trunk.dense, inputs)
    normal, _ = _layer_norm(trunk, product)
    outputs = jnp.tanh(normal * trunk.scale[None] + trunk.offset[None]).astype(dtype)
    return outputs, (trunk, inputs, product, outputs)


def _normalised_backward(dtype: DTypeLike, kept: tuple, change: Array) -> tuple:
    trunk, inputs, product, outputs = kept
    own = trunk.scale.dtype
    normal, scale = _layer_norm(trunk, product)
    change = change.astype(own) * (1 - outputs.astype(own) ** 2)
    to_scale, to_offset = (change * normal).sum(axis=0), change.sum(axis=0)
    change = change * trunk.scale[None]
    # LayerNorm is constant along the mean and along its own output.
    along = (change * normal).mean(axis=1, keepdims=True)
    change = scale * (change - change.mean(axis=1, keepdims=True) - normal * along)
    to_dense, to_inputs = _product_backward(dtype, trunk.dense, inputs, change)
    return Trunk(to_dense, to_scale, to_offset), to_inputs


_normalised.defvjp(_normalised_forward, _normalised_backward)


def _layer_norm(trunk: Trunk, product: Array) -> tuple[Array, Array]:
    """Return rows with mean 0 and variance 1, and the factor of each."""
    raw = product.astype(trunk.scale.dtype) + trunk.dense.bias[None]
    centred = raw - raw.mean(axis=1, keepdims=True)
    scale = jax.lax.rsqrt((centred**2).mean(axis=1, keepdims=True) + NORM_FLOOR)
    return centred * scale, scale


def _product(dtype: DTypeLike, layer: Dense, inputs: Array) -> Array:
    """Return x W in `dtype`."""
    left, copies = _factor(dtype, inputs)
    weight = jnp.tile(layer.weight.astype(dtype), (copies, 1))
    padding = ((0, left.shape[1] - len(weight)), (0, 0))
    return jnp.dot(left, jnp.pad(weight, padding), preferred_element_type=dtype)


def _product_backward(
    dtype: DTypeLike, layer: Dense, inputs: Array, change: Array
) -> tuple[Dense, Array]:
    """Return derivatives by weights and bias in full precision, and by inputs in their own."""
    own, size = layer.weight.dtype, inputs.shape[1]
    left, copies = _factor(dtype, inputs)
    to_bias = change.astype(own).sum(axis=0)
    change = change.astype(dtype)
    to_weight = jnp.dot(left.T, change, preferred_element_type=own)
    to_weight = to_weight[: copies * size].reshape(copies, size, -1).sum(axis=0)
    back = layer.weight.astype(dtype).T
    to_inputs = jnp.dot(change, back, preferred_element_type=inputs.dtype)
    return Dense(to_weight, to_bias), to_inputs


def _factor(dtype: DTypeLike, inputs: Array) -> tuple[Array, int]:
    """Return inputs as a factor in `dtype`, and how many copies of them it holds side by side.

    Inputs in full precision, such as observations, appear twice: rounded, and the remainder of the
    rounding. Multiplied by the same weights, both together have twice as many bits, and a product
    in `dtype` takes less than half the time of one in full precision. Rows are padded with zeros to
    a length that GPUs read fast.
    """
    if inputs.dtype == dtype:
        return inputs, 1
    rounded = inputs.astype(dtype)
    rest = (inputs - rounded.astype(inputs.dtype)).astype(dtype)
    both = jnp.concatenate([rounded, rest], axis=1)
    return jnp.pad(both, ((0, 0), (0, -both.shape[1] % ALIGNMENT))), 2
