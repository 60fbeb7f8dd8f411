r"""Shortest paths cut into legs, compiled: for many goals in one small world.

The recursion is that of `shortest_paths`, level by level. There each level costs a dozen calls of
NumPy, whose overhead is most of the time in worlds of a few thousand states. Here SciPy still
searches, and one program of XLA walks through the levels, `WIDTH` states at a time. Compiling takes
as long as some hundreds of plans, so it pays for worlds that serve many goals.
"""

from functools import cache, reduce
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.planning._paths.shortest_paths import packing
from first_occupancy.planning.plans import NOTHING

WIDTH = 64
"""States that are processed at once. Levels of mazes with some thousand states have about 40."""

NEVER = np.iinfo(np.int32).max
"""The key of a path that reaches no subgoal."""


class DeviceCuts(NamedTuple):
    """A plan to one goal, as arrays of JAX.

    Attributes:
        goal: state to reach.
        policy: policy to follow; -1 at the goal and where none leads there.
        subgoal: state at which to switch; -1 where the goal is unreachable.
        log_discount: log of the discount of the path.
        followed: the discount itself.
        cost: number of steps; infinite where the goal is unreachable.
    """

    goal: Int[Array, ""]
    policy: Int[Array, " S"]
    subgoal: Int[Array, " S"]
    log_discount: Float[Array, " S"]
    followed: Float[Array, " S"]
    cost: Float[Array, " S"]


class CompiledPaths:
    """Deterministic policies in a small world, on the device.

    Args:
        by_state: where each policy leads from each state.
        backwards: an edge t -> s for every s that some policy leads to t.
        discount: discount factor per step, above 0.
    """

    def __init__(
        self, by_state: Int[np.ndarray, "S N"], backwards: csr_array, discount: float
    ) -> None:
        self._backwards, self._discount = backwards, discount
        self._numbers = np.arange(len(by_state), dtype=np.int32)
        self._next_states = jax.device_put(np.ascontiguousarray(by_state.T, np.int32))
        self._tables = cache(self._tables_in)

    @staticmethod
    def suits(num_states: int, num_policies: int) -> bool:
        """Return whether the keys of so many states and policies fit into 31 bits."""
        keys = packing(num_states, num_policies)
        return 2 * keys.state_bits + keys.policy_bits < 31

    def cut(self, goal: int) -> DeviceCuts:
        """Return the shortest paths to a goal, cut into the fewest legs.

        Args:
            goal: state to reach.
        """
        numbers = self._numbers
        size = len(numbers)
        order, parent = breadth_first_order(self._backwards, goal)
        reached = len(order)
        place = np.full(size, size + WIDTH, np.int32)
        place[order] = numbers[:reached]
        parent[goal] = goal
        ends = np.zeros(size + 1, np.int32)
        behind = np.bincount(place.take(parent.take(order)), minlength=size)
        np.cumsum(behind, out=ends[1:])
        if reached < size:
            order = np.append(order, np.full(size - reached, goal, order.dtype))
        tables = self._tables(jax.dtypes.canonicalize_dtype(np.float64))
        return DeviceCuts(*_cut(self._next_states, tables, order, np.int32(reached), place, ends))

    def _tables_in(self, reals: np.dtype) -> Float[Array, "3 B"]:
        """Return log discount, discount and cost of 0, 1, ... steps, and of no path at the end."""
        steps = np.arange(len(self._numbers))
        logs = np.append(steps * np.log(self._discount), -np.inf)
        return jax.device_put(
            np.stack([logs, np.exp(logs), np.append(steps, np.inf)]).astype(reals)
        )


class _Front(NamedTuple):
    """How far the loop has come.

    Attributes:
        at: place where the next chunk begins, where its level begins and ends, and its steps.
        met: best key on each policy's path from each place; its last column stands for paths
            that leave the shortest paths.
        steps: distance of each place from the goal.
    """

    at: Int[Array, " 4"]
    met: Int[Array, "N K"]
    steps: Int[Array, " K"]


@jax.jit
def _cut(
    next_states: Int[Array, "N S"],
    tables: Float[Array, "3 B"],
    order: Int[Array, " S"],
    reached: Int[Array, ""],
    place: Int[Array, " S"],
    ends: Int[Array, " B"],
) -> tuple[Array, ...]:
    """Return the arrays of `DeviceCuts`.

    Args:
        next_states: where each policy leads from each state.
        tables: what a number of steps is worth (`CompiledPaths._tables_in`).
        order: states as breadth-first search reached them; what follows `reached` is ignored.
        reached: number of states from which the goal can be reached.
        place: place of each state in the order; `S + WIDTH` for others.
        ends: `ends[p]` is where the level ends that follows a level which ends at place p.
    """
    count, size = next_states.shape
    last = size + WIDTH
    keys = packing(size, count)
    places = jnp.pad(_take(place, _take(next_states.T, order).T), ((0, 0), (0, WIDTH)))
    own = jnp.pad((order << keys.policy_bits) + keys.one, (0, WIDTH))
    rows = jnp.arange(count, dtype=jnp.int32)[:, None] * (last + 1)

    def advance(front: _Front) -> _Front:
        begin, level, end, steps = front.at
        ahead = lax.dynamic_slice_in_dim(places, begin, WIDTH, axis=1)
        # Edges that do not lead to the level before are not tight: last column.
        slots = jnp.where(ahead < level, ahead, last) + rows
        # Kept apart from what is written, so that XLA writes in place.
        met = lax.optimization_barrier(_take(front.met.ravel(), slots))
        best = reduce(jnp.minimum, list(met))
        mine = (best & -keys.one) + lax.dynamic_slice_in_dim(own, begin, WIDTH)
        met = lax.dynamic_update_slice_in_dim(front.met, jnp.minimum(met, mine[None]), begin, 1)
        noted = lax.dynamic_update_slice_in_dim(front.steps, jnp.full(WIDTH, steps), begin, 0)
        inside = jnp.stack([begin + WIDTH, level, end, steps])
        behind = jnp.stack([end, end, _take(ends, end), steps + 1])
        return _Front(jnp.where(begin + WIDTH < end, inside, behind), met, noted)

    one = jnp.int32(1)
    met = jnp.full((count, last + 1), NEVER, jnp.int32).at[:, 0].set(order[0] << keys.policy_bits)
    front = _Front(jnp.stack([one, one, ends[1], one]), met, jnp.zeros(last + 1, jnp.int32))
    front = lax.while_loop(lambda front: front.at[0] < reached, advance, front)
    # A state's own key has one leg more than the best it meets, so it does not win here.
    best = _take(reduce(jnp.minimum, [met | n for n, met in enumerate(front.met)]), place)
    steps = jnp.where(place < last, _take(front.steps, place), size)
    policy = jnp.where((steps > 0) & (steps < size), best & ((1 << keys.policy_bits) - 1), NOTHING)
    subgoal = (best >> keys.policy_bits) & ((1 << keys.state_bits) - 1)
    subgoal = jnp.where(steps < size, subgoal, NOTHING)
    return order[0], policy, subgoal, *(_take(table, steps) for table in tables)


def _take(array: Array, index: Array) -> Array:
    """Return entries whose indices are known to be inside: checking takes longer than reading."""
    return array.at[index].get(mode="promise_in_bounds")
