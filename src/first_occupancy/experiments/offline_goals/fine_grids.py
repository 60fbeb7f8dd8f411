r"""Value iteration on a fine grid of states: what skills and landmarks are compared with.

For a goal region $G$ and a discount $\gamma$,

$$V(x) = \max_a \gamma\, [f(x, a) \in G] + \gamma\, [f(x, a) \notin G]\, V(f(x, a)),$$

at the nodes of a grid, with V interpolated linearly in between. The dynamics f is known, so this is
no learner: it is the yardstick. What it is worth is measured by acting greedily on V in the true
world, which depends less on the grid than V does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.environments.classic_control import ClassicControl

SETTLED = 1e-5
"""Largest change of a sweep at which values have converged."""

MAX_SWEEPS = 1000
CHECKED = 25
"""Sweeps between two checks of convergence."""

Region = Callable[[Float[np.ndarray, "B O"]], Bool[np.ndarray, " B"]]


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
    def nodes(self) -> Float[np.ndarray, "M K"]:
        """The states at the nodes."""
        axes = [
            np.linspace(low, high, size, endpoint=not wraps)
            for low, high, size, wraps in zip(
                self.low, self.high, self.shape, self.world.wraps, strict=True
            )
        ]
        return np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=-1)

    @cached_property
    def arrivals(self) -> list[Float[Array, "M K"]]:
        """Where each action leads from each node."""
        nodes = jnp.asarray(self.nodes, jnp.float32)
        return [self.world.step(nodes, jnp.full(len(nodes), each)) for each in self.actions]

    @cached_property
    def _cells(self) -> tuple[Int[Array, "A M K"], Float[Array, "A M K"]]:
        return jax.vmap(self.cells)(jnp.stack(self.arrivals))

    def cells(self, states: Float[Array, "B K"]) -> tuple[Int[Array, "B K"], Float[Array, "B K"]]:
        """Return the cell in which each state lies, and where in it, from 0 to 1."""
        sizes = jnp.asarray(self.shape)
        last = jnp.where(jnp.asarray(self.world.wraps), sizes, sizes - 1)
        span = jnp.asarray(self.high - self.low)
        where = (states - jnp.asarray(self.low)) / span * last
        where = jnp.where(jnp.asarray(self.world.wraps), where % last, where)
        where = jnp.clip(where, 0, last - 1e-5)
        cell = jnp.floor(where)
        return cell.astype(jnp.int32), (where - cell).astype(jnp.float32)

    def values(self, inside: Region, *, discount: float) -> Float[Array, " M"]:
        """Return the value of every node for a goal region.

        Args:
            inside: whether observations lie in the region.
            discount: discount factor per step.
        """
        hits = jnp.stack([jnp.asarray(self._inside(inside, each)) for each in self.arrivals])
        arrived = jnp.asarray(self._inside(inside, jnp.asarray(self.nodes, jnp.float32)))
        values = arrived.astype(jnp.float32)
        for _ in range(0, MAX_SWEEPS, CHECKED):
            values, change = _swept(values, arrived, hits, *self._cells, discount, self.shape)
            if float(change) <= SETTLED:
                break
        return values

    def _inside(self, inside: Region, states: Array) -> Bool[np.ndarray, " B"]:
        return np.asarray(inside(np.asarray(self.world.observe(states))))

    def act(
        self, values: Float[Array, " M"], states: Float[Array, "B K"], inside: Region
    ) -> Float[np.ndarray, " B"]:
        """Return the action in each state that leads to the highest value.

        Args:
            values: values of the nodes.
            states: states to act in.
            inside: whether observations lie in the goal region.
        """
        ahead = []
        for action in self.actions:
            after = self.world.step(states, jnp.full(len(states), action, states.dtype))
            found = _between(values, *self.cells(after), self.shape)
            ahead.append(np.where(self._inside(inside, after), 1.0, np.asarray(found)))
        return np.asarray(self.actions)[np.argmax(ahead, axis=0)]


def _between(
    values: Float[Array, " M"],
    cell: Int[Array, "B K"],
    part: Float[Array, "B K"],
    shape: tuple[int, ...],
) -> Float[Array, " B"]:
    """Return values interpolated between the corners of cells."""
    strides = np.append(np.cumprod(shape[::-1])[-2::-1], 1)
    total = jnp.zeros(len(cell), values.dtype)
    for corner in product((0, 1), repeat=len(shape)):
        number, weight = 0, 1.0
        for axis, up in enumerate(corner):
            # The last cell of an angle ends at the first node; others never reach beyond theirs.
            number = number + (cell[:, axis] + up) % shape[axis] * int(strides[axis])
            weight = weight * (part[:, axis] if up else 1 - part[:, axis])
        total = total + weight * values[number]
    return total


@partial(jax.jit, static_argnames=("shape",))
def _swept(
    values: Array,
    arrived: Array,
    hits: Array,
    cells: Array,
    parts: Array,
    discount: float,
    shape: tuple[int, ...],
) -> tuple[Array, Array]:
    def sweep(_: int, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        values = carry[0]
        best = jnp.zeros_like(values)
        for action in range(len(hits)):
            ahead = _between(values, cells[action], parts[action], shape)
            best = jnp.maximum(best, jnp.where(hits[action], 1.0, ahead))
        new = jnp.where(arrived, 1.0, discount * best)
        return new, jnp.abs(new - values).max()

    return jax.lax.fori_loop(0, CHECKED, sweep, (values, jnp.array(jnp.inf, values.dtype)))
