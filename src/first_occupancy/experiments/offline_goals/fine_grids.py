r"""Value iteration on a fine grid of states: what skills and landmarks are compared with.

For a goal region $G$ and a discount $\gamma$,

$$V(x) = \max_a \gamma\, [f(x, a) \in G] + \gamma\, [f(x, a) \notin G]\, V(f(x, a)),$$

at the nodes of a grid, with V interpolated linearly in between. The dynamics f is known, so this is
no learner: it is the yardstick. What it is worth is measured by acting greedily on V in the true
world, which depends less on the grid than V does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float
from scipy.sparse import csr_array

from first_occupancy.environments.classic_control import ClassicControl

SETTLED = 1e-5
"""Largest change of a sweep at which values have converged."""

MAX_SWEEPS = 1000

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
    def _arrivals(self) -> list[Float[np.ndarray, "M K"]]:
        """Where each action leads from each node."""
        return [self._stepped(self.nodes, action) for action in self.actions]

    @cached_property
    def _moves(self) -> list[csr_array]:
        return [self.between(arrivals) for arrivals in self._arrivals]

    def _stepped(self, states: Float[np.ndarray, "B K"], action: float) -> Float[np.ndarray, "B K"]:
        return np.asarray(self.world.step(jnp.asarray(states), jnp.full(len(states), action)))

    def between(self, states: Float[np.ndarray, "B K"]) -> csr_array:
        """Return the weights of nodes that interpolate linearly at states [B M]."""
        sizes, wraps = np.array(self.shape), np.array(self.world.wraps)
        last = np.where(wraps, sizes, sizes - 1)
        where = (states - self.low) / (self.high - self.low) * last
        where = np.where(wraps, where % last, np.clip(where, 0, last))
        cell = np.minimum(where.astype(np.int32), last - 1)
        part = (where - cell).astype(np.float32)
        strides = np.append(np.cumprod(self.shape[::-1])[-2::-1], 1).astype(np.int32)
        corners = list(product((0, 1), repeat=len(sizes)))
        columns = np.empty((len(states), len(corners)), np.int32)
        weights = np.ones((len(states), len(corners)), np.float32)
        for number, corner in enumerate(corners):
            # The last cell of an angle ends at the first node.
            columns[:, number] = ((cell + np.array(corner)) % sizes) @ strides
            for axis, up in enumerate(corner):
                weights[:, number] *= part[:, axis] if up else 1 - part[:, axis]
        begins = np.arange(len(states) + 1, dtype=np.int32) * len(corners)
        shape = (len(states), int(np.prod(sizes)))
        return csr_array((weights.ravel(), columns.ravel(), begins), shape=shape)

    def values(self, inside: Region, *, discount: float) -> Float[np.ndarray, " M"]:
        """Return the value of every node for a goal region.

        Args:
            inside: whether observations lie in the region.
            discount: discount factor per step.
        """
        hits = [self._inside(inside, arrivals) for arrivals in self._arrivals]
        arrived = self._inside(inside, self.nodes)
        values = arrived.astype(np.float32)
        for _ in range(MAX_SWEEPS):
            best = np.zeros_like(values)
            for hit, move in zip(hits, self._moves, strict=True):
                np.maximum(best, np.where(hit, np.float32(1), move @ values), out=best)
            new = np.where(arrived, np.float32(1), np.float32(discount) * best)
            change = np.abs(new - values).max()
            values = new
            if change <= SETTLED:
                break
        return values

    def _inside(self, inside: Region, states: Float[np.ndarray, "B K"]) -> Bool[np.ndarray, " B"]:
        return np.asarray(inside(np.asarray(self.world.observe(jnp.asarray(states)))))

    def ahead(
        self, values: Float[np.ndarray, " M"], states: Float[np.ndarray, "B K"], inside: Region
    ) -> Float[np.ndarray, "A B"]:
        """Return the value after one step of each action.

        Args:
            values: values of the nodes.
            states: states to act in.
            inside: whether observations lie in the goal region.
        """
        tiled = np.tile(states, (len(self.actions), 1))
        actions = np.repeat(np.asarray(self.actions, float), len(states))
        after = np.asarray(self.world.step(jnp.asarray(tiled), jnp.asarray(actions)))
        found = np.where(self._inside(inside, after), 1.0, self.between(after) @ values)
        return found.reshape(len(self.actions), len(states))
