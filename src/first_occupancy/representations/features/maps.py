r"""Feature maps: functions from an observation of a continuous world to a feature vector.

A feature map is any callable from one observation [O] to its features [D] that JAX can trace. This
module has radial basis functions (`radial_basis`). With `jax.nn.one_hot` of a state, features are
tables: the FF is the FR, the SF is the SR. Use `jax.vmap` for many observations.
"""

from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, is_known

FeatureMap = Callable[[Num[Array, "*O"]], Float[Array, " D"]]
"""A function from one observation to its features."""


class RadialBasis(eqx.Module):
    r"""Gaussians on a grid: $\phi_d(x) = \exp(-|z|^2 / 2)$, $z_i = (x_i - c_{di}) / \sigma_i$.

    Each is 1 at its centre and a product of one Gaussian per axis, so that a grid of 10 x 10 takes
    20 exponentials instead of 100. The last axis varies fastest.
    """

    grid: tuple[Float[Array, " _"], ...]
    """Coordinates of the centres along each axis."""
    widths: Float[Array, " O"]
    """Standard deviation along each axis."""

    @property
    def centres(self) -> Float[Array, "D O"]:
        """The centre of each feature, where it is 1."""
        axes = jnp.meshgrid(*self.grid, indexing="ij")
        return jnp.stack([axis.ravel() for axis in axes], axis=-1)

    def __call__(self, observation: Num[Array, " O"]) -> Float[Array, " D"]:
        """Return the features of one observation."""
        features = jnp.ones(1, self.widths.dtype)
        for place, centres, width in zip(observation, self.grid, self.widths, strict=True):
            along_axis = jnp.exp(-jnp.square((place - centres) / width) / 2)
            features = jnp.ravel(features[:, None] * along_axis[None, :])
        return features


def radial_basis(
    low: Sequence[float] | Float[Array, " O"],
    high: Sequence[float] | Float[Array, " O"],
    counts: int | Sequence[int],
    *,
    width: Scalar = 1.0,
) -> RadialBasis:
    """Return radial basis functions on a regular grid over a box.

    The outer centres lie on the sides of the box, the others at equal distances in between. An axis
    with a single centre has it in the middle.

    Args:
        low: lowest coordinate along each axis.
        high: highest coordinate along each axis.
        counts: number of centres along each axis, at least 1; one number for all axes, or one each.
        width: standard deviation in units of the distance between neighbouring centres, or of the
            side of the box for a single centre, so that a finer grid keeps the same overlap.

    Raises:
        InputError: if `width` is not positive and finite, or the box or the counts are not valid.
    """
    lows, highs, per_axis = _box(low, high, counts)
    if is_known(width) and not 0 < float(np.asarray(width)) < np.inf:
        raise InputError(f"radial_basis: width must be positive and finite, got {width}")
    spacing = (highs - lows) / np.maximum(per_axis - 1, 1)
    grid = tuple(
        jnp.asarray(np.linspace(start, end, count) if count > 1 else [(start + end) / 2], float)
        for start, end, count in zip(lows, highs, per_axis, strict=True)
    )
    return RadialBasis(grid, jnp.asarray(spacing, float) * width)


@eqx.filter_jit
def apply_to_rows(mapping: FeatureMap, observations: Num[Array, "T *O"]) -> Float[Array, "T D"]:
    """Return the features of T observations, in one compiled program."""
    return jax.vmap(mapping)(observations)


def _box(
    low: Sequence[float] | Array, high: Sequence[float] | Array, counts: int | Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the corners of a box and the counts along its axes, after checking them."""
    corners = [np.asarray(corner, np.float64) for corner in (low, high)]
    if corners[0].ndim != 1 or corners[0].shape != corners[1].shape or not len(corners[0]):
        shapes = [list(corner.shape) for corner in corners]
        raise InputError(f"radial_basis: low and high must be rows of equal length, got {shapes}")
    if not (np.isfinite(corners).all() and (corners[0] < corners[1]).all()):
        raise InputError(
            f"radial_basis: low must be below high along each axis, got {low} and {high}"
        )
    per_axis = np.asarray(counts)
    if per_axis.dtype.kind not in "iu":
        raise InputError(f"radial_basis: counts must be whole numbers, got {counts}")
    if per_axis.shape not in ((), corners[0].shape) or (per_axis < 1).any():
        raise InputError(
            f"radial_basis: counts must be at least 1, one for all or one for each of "
            f"{len(corners[0])} axes, got {counts}"
        )
    return corners[0], corners[1], np.broadcast_to(per_axis, corners[0].shape)
