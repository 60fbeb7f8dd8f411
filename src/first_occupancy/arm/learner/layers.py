r"""Layers of wide networks, with derivatives that move as little memory as they can.

At a width and batch of a thousand, most of the time goes into moving what lies between
layers. So each layer returns that in `dtype`, for which bfloat16 (8 bits) does, and its derivative,
written out here, needs nothing besides what goes in and comes out: no masks, no copies in
full precision. (JAX would also multiply mixed precisions on the way back, which takes as long as if
nothing had been rounded.)

Rounded are the factors of products of width by width, and what lies between layers. Weights,
observations, outputs, sums within a product and the gradients of weights are not.
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
"""Rows of short factors have a multiple of this many entries, or GPUs read them one by one."""


class Dense(eqx.Module):
    """The parameters of a layer x W + b."""

    weight: Float[Array, "I O"]
    bias: Float[Array, " O"]


class Trunk(eqx.Module):
    """The parameters of a first layer: dense, LayerNorm, tanh."""

    dense: Dense
    scale: Float[Array, " W"]
    offset: Float[Array, " W"]


def linear(layer: Dense, inputs: Float[Array, "B I"], dtype: DTypeLike) -> Float[Array, "B O"]:
    """Return x W + b in the precision of b; `inputs` come in `dtype`."""
    return _linear(dtype, layer, inputs)


def rectified(layer: Dense, inputs: Float[Array, "B I"], dtype: DTypeLike) -> Float[Array, "B O"]:
    """Return max(x W + b, 0) in `dtype`; inputs in full precision are not rounded."""
    return _rectified(dtype, layer, inputs)


def normalised(trunk: Trunk, inputs: Float[Array, "B I"], dtype: DTypeLike) -> Float[Array, "B W"]:
    r"""Return $\tanh(s \cdot \mathrm{LayerNorm}(x W + b) + t)$ in `dtype`; x is not rounded."""
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
    # Nothing changes along the mean, nor along what LayerNorm has scaled to length one.
    along = (change * normal).mean(axis=1, keepdims=True)
    change = scale * (change - change.mean(axis=1, keepdims=True) - normal * along)
    to_dense, to_inputs = _product_backward(dtype, trunk.dense, inputs, change)
    return Trunk(to_dense, to_scale, to_offset), to_inputs


_normalised.defvjp(_normalised_forward, _normalised_backward)


def _layer_norm(trunk: Trunk, product: Array) -> tuple[Array, Array]:
    """Return rows with mean 0 and variance 1, and what each was multiplied by."""
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
    """Return derivatives by weights and bias, in full, and by inputs, in their own precision."""
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
    """Return inputs as a factor in `dtype`, and how often they stand in it, side by side.

    Inputs in full precision, which come from outside, stand there twice: rounded, and what rounding
    left over. Both times the same weights their sum is exact to twice as many bits, and a
    product of short numbers takes less than half the time of one of long ones. The rest is
    filled up with zeros to a length that GPUs read fast.
    """
    if inputs.dtype == dtype:
        return inputs, 1
    rounded = inputs.astype(dtype)
    rest = (inputs - rounded.astype(inputs.dtype)).astype(dtype)
    both = jnp.concatenate([rounded, rest], axis=1)
    return jnp.pad(both, ((0, 0), (0, -both.shape[1] % ALIGNMENT))), 2
