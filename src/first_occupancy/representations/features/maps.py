r"""Feature maps: what an observation of a continuous world looks like as a row of numbers.

A feature map is any callable from one observation [O] to its features [D] that JAX can
trace. These are the usual ones: bumps on a grid (`radial_basis`), shifted grids
(`tile_coding`) and the rows of a table (`one_hot`). A map takes one observation; `jax.vmap`
gives it many.
"""

from collections.abc import Callable, Sequence
from itertools import count, islice
from math import gcd

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Num

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, check_shape, check_share, is_known

FeatureMap = Callable[[Num[Array, "*O"]], Float[Array, " D"]]
"""From one observation to its features."""


class RadialBasis(eqx.Module):
    r"""Bumps on a grid: $\phi_d(x) = \exp(-|z|^2 / 2)$, $z_i = (x_i - c_{di}) / \sigma_i$.

    A bump is 1 at its centre and the product of one bump per axis, so that a grid of
    10 x 10 takes 20 exponentials instead of 100. The last axis varies fastest.
    """

    grid: tuple[Float[Array, " _"], ...]
    widths: Float[Array, " O"]

    @property
    def centres(self) -> Float[Array, "D O"]:
        """Where each feature is 1."""
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
    """Return radial basis functions on a box, `counts` along each of its axes.

    The outer centres lie on the box's sides, the others at equal distances between (an
    axis with one centre has it in the middle). `width` is the standard deviation of a bump
    in units of that distance, so that refining a grid keeps the overlap of neighbours.
    """
    lows, highs, per_axis = _box("radial_basis", low, high, counts)
    if is_known(width) and not 0 < float(np.asarray(width)) < np.inf:
        raise InputError(f"radial_basis: width must be positive and finite, got {width}")
    spacing = (highs - lows) / np.maximum(per_axis - 1, 1)
    grid = tuple(
        jnp.asarray(np.linspace(start, end, count) if count > 1 else [(start + end) / 2], float)
        for start, end, count in zip(lows, highs, per_axis, strict=True)
    )
    return RadialBasis(grid, jnp.asarray(spacing, float) * width)


class TileCoding(eqx.Module):
    """Several grids laid over a box, each shifted: 1 for the tile one is in, per grid, else 0.

    Observations outside the box count as on its nearest side.
    """

    low: Float[Array, " O"]
    high: Float[Array, " O"]
    shifts: Float[Array, "tilings O"]
    counts: tuple[int, ...] = eqx.field(static=True)

    @property
    def num_features(self) -> int:
        """D, the number of tiles of all tilings."""
        return len(self.shifts) * int(np.prod(np.asarray(self.counts) + 1))

    def tiles(self, observation: Num[Array, " O"]) -> Int[Array, " tilings"]:
        """Return the numbers of the features that are 1, one per tiling."""
        counts = jnp.asarray(self.counts)
        inside = jnp.clip(observation, self.low, self.high)
        place = (inside - self.low) / (self.high - self.low) * counts
        cells = jnp.floor(place[None, :] + self.shifts).astype(int)
        # Each tiling has a tile more per axis than fit the box, for what its shift uncovers.
        cells = jnp.clip(cells, 0, counts[None, :])
        within = jnp.ravel_multi_index(tuple(cells.T), tuple(c + 1 for c in self.counts), "clip")
        return within + jnp.arange(len(self.shifts)) * (self.num_features // len(self.shifts))

    def __call__(self, observation: Num[Array, " O"]) -> Float[Array, " D"]:
        """Return the features of one observation."""
        return jnp.zeros(self.num_features).at[self.tiles(observation)].set(1)


def tile_coding(
    low: Sequence[float] | Float[Array, " O"],
    high: Sequence[float] | Float[Array, " O"],
    counts: int | Sequence[int],
    *,
    num_tilings: int = 8,
) -> TileCoding:
    """Return tile coding of a box: `num_tilings` grids with `counts` tiles along each axis.

    Tiling i is shifted along axis j by k i / num_tilings of a tile, modulo one, with k the
    j-th odd number. Shifts by the odd numbers spread better than shifts along the diagonal
    (Miller and Glanz 1996; Sutton and Barto 2018, sec. 9.5.4). They presume that the number of
    tilings is a power of two; where it is not, we skip those that have a divisor in common
    with it, or two tilings, if not all, would have the same shift along that axis.
    """
    lows, highs, per_axis = _box("tile_coding", low, high, counts)
    if num_tilings < 1:
        raise InputError(f"tile_coding: num_tilings must be at least 1, got {num_tilings}")
    coprime = (odd for odd in count(1, 2) if gcd(odd, num_tilings) == 1)
    odd = np.array(list(islice(coprime, len(per_axis))))
    shifts = (np.arange(num_tilings)[:, None] * odd[None, :]) % num_tilings / num_tilings
    return TileCoding(
        jnp.asarray(lows, float),
        jnp.asarray(highs, float),
        jnp.asarray(shifts, float),
        tuple(int(count) for count in per_axis),
    )


class OneHot(eqx.Module):
    """The rows of a table as features: 1 for the state one is in, 0 for all others."""

    num_states: int = eqx.field(static=True)

    def __call__(self, observation: Num[Array, "*one"]) -> Float[Array, " D"]:
        """Return the features of a state's number, which may be an array of one entry."""
        state = jnp.reshape(observation, ()).astype(int)
        return jax.nn.one_hot(state, self.num_states, dtype=float)


def one_hot(num_states: int) -> OneHot:
    """Return the map under which features are tables: the FF the FR, the SF the SR."""
    if num_states < 1:
        raise InputError(f"one_hot: num_states must be at least 1, got {num_states}")
    return OneHot(num_states)


def thresholds_at_quantile(features: Float[Array, "T D"], quantile: Scalar) -> Float[Array, " D"]:
    """Return, for each feature, the value that a share `quantile` of the data lies below."""
    check_shape("thresholds_at_quantile", "features", features, "T D")
    check_share("thresholds_at_quantile", "quantile", quantile)
    check_finite("thresholds_at_quantile", "features", features)
    return jnp.quantile(features, jnp.asarray(quantile), axis=0)


@eqx.filter_jit
def apply_to_rows(mapping: FeatureMap, observations: Num[Array, "T *O"]) -> Float[Array, "T D"]:
    """Return a map's features at each of T observations, as one program."""
    return jax.vmap(mapping)(observations)


def check_finite(caller: str, what: str, array: Num[Array, "..."]) -> None:
    """Raise unless all entries are finite; name the first that is not."""
    if not is_known(array):
        return
    wrong = ~np.isfinite(np.asarray(array))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        value = np.asarray(array)[place]
        raise InputError(f"{caller}: {what} must be finite, got {value} at {list(place)}")


def _box(
    caller: str,
    low: Sequence[float] | Array,
    high: Sequence[float] | Array,
    counts: int | Sequence[int],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a box's corners and the counts along its axes, checked."""
    corners = [np.asarray(corner, np.float64) for corner in (low, high)]
    if corners[0].ndim != 1 or corners[0].shape != corners[1].shape or not len(corners[0]):
        shapes = [list(corner.shape) for corner in corners]
        raise InputError(f"{caller}: low and high must be rows of equal length, got {shapes}")
    if not (np.isfinite(corners).all() and (corners[0] < corners[1]).all()):
        raise InputError(f"{caller}: low must be below high along each axis, got {low} and {high}")
    per_axis = np.asarray(counts)
    if per_axis.dtype.kind not in "iu":
        raise InputError(f"{caller}: counts must be whole numbers, got {counts}")
    if per_axis.shape not in ((), corners[0].shape) or (per_axis < 1).any():
        raise InputError(
            f"{caller}: counts must be at least 1, one for all or one for each of "
            f"{len(corners[0])} axes, got {counts}"
        )
    return corners[0], corners[1], np.broadcast_to(per_axis, corners[0].shape)
