r"""Landmarks: points that stand for the observations around them.

`k_centres` takes the point farthest from all landmarks, again and again (Gonzalez 1985), until
every point lies within a spacing of some landmark; no set of the same size can cover the points
with less than half of that spacing. `k_means` then moves each landmark to the mean of the points
nearest to it.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.spatial import KDTree

from first_occupancy.core.errors import InputError


def k_centres(
    points: Float[np.ndarray, "P O"], *, spacing: float = 0.0, at_most: int
) -> Int[np.ndarray, " K"]:
    """Return the numbers of points such that every point is within `spacing` of one of them.

    >>> k_centres(np.array([[0.0], [0.1], [1.0], [1.05]]), spacing=0.2, at_most=9).tolist()
    [0, 3]

    Args:
        spacing: distance to be covered; 0 goes on until there are `at_most` landmarks.
        at_most: largest number of landmarks.
    """
    if not len(points) or at_most < 1:
        raise InputError(
            f"k_centres: needs at least one point and one landmark, got {len(points)} points and "
            f"at_most {at_most}"
        )
    count = min(at_most, len(points))
    chosen, size = _farthest_first(jnp.asarray(points), float(spacing), count)
    return np.asarray(chosen)[: int(size)]


@partial(jax.jit, static_argnums=2)
def _farthest_first(
    points: Float[Array, "P O"], spacing: Array, count: int
) -> tuple[Int[Array, " K"], Int[Array, ""]]:
    def unfinished(carry: tuple[Array, Array, Array]) -> Array:
        _, far, size = carry
        return (size < count) & (far.max() > jnp.maximum(spacing, 0) ** 2)

    def choose(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        chosen, far, size = carry
        new = far.argmax().astype(chosen.dtype)
        return chosen.at[size].set(new), jnp.minimum(far, _squares(points, points[new])), size + 1

    chosen = jnp.zeros(count, jnp.int32)
    begin = (chosen, _squares(points, points[0]), jnp.array(1))
    chosen, _, size = jax.lax.while_loop(unfinished, choose, begin)
    return chosen, size


def _squares(points: Float[Array, "P O"], centre: Float[Array, " O"]) -> Float[Array, " P"]:
    return ((points - centre[None]) ** 2).sum(axis=-1)


def k_means(
    points: Float[np.ndarray, "P O"], centres: Float[np.ndarray, "K O"], *, rounds: int
) -> Float[np.ndarray, "K O"]:
    """Return the centres after some rounds of k-means; one without points stays where it is."""
    centres = np.asarray(centres, np.float64)
    for _ in range(rounds):
        nearest = KDTree(centres).query(points)[1]
        count = np.bincount(nearest, minlength=len(centres))[:, None]
        sums = [np.bincount(nearest, each, minlength=len(centres)) for each in points.T]
        centres = np.where(count > 0, np.stack(sums, axis=1) / np.maximum(count, 1), centres)
    return centres
