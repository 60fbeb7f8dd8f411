r"""Value iteration on a fine grid of states: what skills and landmarks are compared with.

For a goal region $G$ and a discount $\gamma$,

$$V(x) = \max_a \gamma\, [f(x, a) \in G] + \gamma\, [f(x, a) \notin G]\, V(f(x, a)),$$

at the nodes of a grid, V = 1 in G, with V interpolated linearly in between. The dynamics f is
known, so this is no learner: it is the yardstick. Its policy is measured by acting greedily on V in
the true world, which depends less on the grid than V does.

Sweeps compute arrivals and weights anew instead of storing them, so a grid takes a few bytes per
node: a GPU sweeps over a hundred million nodes in a fraction of a second.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.ndimage import map_coordinates
from jaxtyping import Array, Bool, Float, Int

from first_occupancy_paper.worlds.classic_control import ClassicControl

SETTLED = 1e-5
"""Largest change of a sweep at which values have converged."""

MAX_SWEEPS = 1000

CHUNK = 2**20
"""Nodes that are stepped at once."""

Region = Callable[[Any], Any]
"""From observations [B O], arrays of NumPy or of JAX, to whether each lies in the region [B]."""


@dataclass(frozen=True, eq=False)
class FineGrid:
    """A grid of states, and where actions lead from its nodes.

    Attributes:
        world: world.
        shape: nodes in each number of a state.
        actions: actions to choose from.
        low: lowest node; states beyond the grid have the value of its edge.
        high: highest node.
    """

    world: ClassicControl
    shape: tuple[int, ...]
    actions: Sequence[float]
    low: Float[np.ndarray, " K"]
    high: Float[np.ndarray, " K"]

    @cached_property
    def num_nodes(self) -> int:
        """M, the number of nodes."""
        return int(np.prod(self.shape))

    @cached_property
    def _lasts(self) -> Int[np.ndarray, " K"]:
        """Cells along each axis: the last one of an angle ends at the first node."""
        return np.array(self.shape) - np.where(self.world.wraps, 0, 1)

    def nodes(self, numbers: Int[Array, " B"]) -> Float[Array, "B K"]:
        """Return the states at nodes, in single precision.

        Args:
            numbers: numbers of the nodes, the last axis running fastest.
        """
        steps = ((self.high - self.low) / self._lasts).astype(np.float32)
        places = jnp.stack(jnp.unravel_index(numbers, self.shape), axis=-1)
        return jnp.asarray(self.low, jnp.float32)[None] + places.astype(jnp.float32) * steps[None]

    def at(self, values: Float[Array, " M"], states: Float[Array, "B K"]) -> Float[Array, " B"]:
        """Return values at states, interpolated linearly in every number.

        Args:
            values: values of the nodes.
            states: states; those beyond the grid get the value of its edge.
        """
        last = self._lasts[None]
        where = (states - self.low[None]) / (self.high - self.low)[None] * last
        # Angles go around, and other numbers never leave the grid.
        where = jnp.where(np.array(self.world.wraps)[None], where, jnp.clip(where, 0, last))
        return map_coordinates(values.reshape(self.shape), list(where.T), order=1, mode="wrap")

    def values(
        self, inside: Region, *, discount: float, begin: Float[Array, " M"] | None = None
    ) -> Float[Array, " M"]:
        """Return the value of every node for a goal region.

        Args:
            inside: whether observations lie in the region.
            discount: discount factor per step.
            begin: values to begin with, such as those of a coarser grid (`taken_from`). The buffer
                is donated: do not reuse it after the call.

        Raises:
            RuntimeError: if values have not converged after `MAX_SWEEPS` sweeps.
        """
        arrived = jnp.concatenate([self._inside(inside, self.nodes(part)) for part in self._parts])
        hits = [
            jnp.concatenate([self._inside(inside, self._led(part, action)) for part in self._parts])
            for action in self.actions
        ]
        begin = jnp.zeros(self.num_nodes, jnp.float32) if begin is None else begin
        values, change = _settled(self, begin, jnp.stack(hits), arrived, discount)
        if not change <= SETTLED:
            raise RuntimeError(f"FineGrid: values still change by {change:.1e} in a sweep")
        return values

    def taken_from(self, other: "FineGrid", values: Float[Array, " N"]) -> Float[Array, " M"]:
        """Return the values of another grid at the nodes of this one."""
        return jnp.concatenate([other.at(values, self.nodes(part)) for part in self._parts])

    def ahead(
        self, values: Float[Array, " M"], states: Float[np.ndarray, "B K"], inside: Region
    ) -> Float[np.ndarray, "A B"]:
        """Return the value after one step of each action.

        Args:
            values: values of the nodes.
            states: states to act in.
            inside: whether observations lie in the goal region.
        """
        found = []
        for action in self.actions:
            after = self.world.step(jnp.asarray(states), jnp.full(len(states), action))
            found.append(jnp.where(self._inside(inside, after), 1.0, self.at(values, after)))
        return np.asarray(jnp.stack(found))

    @property
    def _parts(self) -> list[Int[Array, " B"]]:
        begins = range(0, self.num_nodes, CHUNK)
        return [jnp.arange(begin, min(begin + CHUNK, self.num_nodes)) for begin in begins]

    def _led(self, numbers: Int[Array, " B"], action: float) -> Float[Array, "B K"]:
        """Return where an action leads from nodes."""
        return self.world.step(self.nodes(numbers), jnp.full(len(numbers), action, jnp.float32))

    def _inside(self, inside: Region, states: Float[Array, "B K"]) -> Bool[Array, " B"]:
        return jnp.asarray(inside(self.world.observe(states)))


@partial(jax.jit, static_argnums=(0, 4), donate_argnums=1)
def _settled(
    grid: FineGrid,
    begin: Float[Array, " M"],
    hits: Bool[Array, "A M"],
    arrived: Bool[Array, " M"],
    discount: float,
) -> tuple[Float[Array, " M"], Float[Array, ""]]:
    """Return the values after sweeps until none changes by more than `SETTLED`, and the change."""
    size = grid.num_nodes
    each = min(CHUNK, size)
    begins = jnp.arange(0, size, each)

    def best(values: Float[Array, " M"], first: Int[Array, ""]) -> Float[Array, " C"]:
        numbers = jnp.minimum(first + jnp.arange(each), size - 1)
        found = jnp.zeros(each, jnp.float32)
        for hit, action in zip(hits, grid.actions, strict=True):
            ahead = grid.at(values, grid._led(numbers, action))
            found = jnp.maximum(found, jnp.where(hit[numbers], 1.0, ahead))
        return jnp.where(arrived[numbers], 1.0, discount * found).astype(jnp.float32)

    def sweep(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        values, _, count = carry
        new = jax.lax.map(partial(best, values), begins).ravel()[:size]
        return new, jnp.abs(new - values).max(), count + 1

    def going(carry: tuple[Array, Array, Array]) -> Array:
        return (carry[1] > SETTLED) & (carry[2] < MAX_SWEEPS)

    first = (begin.astype(jnp.float32), jnp.asarray(jnp.inf, jnp.float32), jnp.asarray(0))
    values, change, _ = jax.lax.while_loop(going, sweep, first)
    return values, change
