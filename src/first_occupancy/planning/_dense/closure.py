r"""Plans to all goals at once: the closure of the table of legs.

$$\Gamma(s, g) = \max_x F(s, x)\, \Gamma(x, g), \qquad \Gamma(g, g) = 1,$$

for every s and g, is the closure of a matrix under the max-plus product. Repeated squaring takes
$S^3 \log S$ steps. Eliminating one block of states after another (Floyd 1962, Warshall 1962) takes
$S^3$ and joins the same legs, so that is what we do.

Ties go to the plan with the fewest legs, as in `frp.plan_to_goal`. A closure does not count legs,
so each leg pays a toll far below any gain that counts. The plan's discount is then the sum of its
legs' logs, without tolls.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.planning._dense.folding import GROUP, Folded
from first_occupancy.planning._dense.max_plus import accumulate, first_reaching
from first_occupancy.planning._dense.sweep_step import indifference
from first_occupancy.planning.limits import NOTHING
from first_occupancy.planning.plans import Plan

BLOCK = 128
"""Number of states that are eliminated together."""

GOALS = 1024
"""Most goals whose first subgoals are searched together. Per goal, the kernel took 29 microseconds
with so many and 159 with 64 (8,192 states, one H200, tiles of 64 x 64); on a CPU it makes no
difference."""


@jax.jit
def plan_by_closure(table: Folded) -> Plan:
    """Return the plans to every goal; a subgoal of S means that rounding excluded all subgoals.

    That cannot happen below 32 legs, and we have not seen it beyond: each of two sums that should
    be equal is off by at most half a rounding error per leg, and half a toll is 32 rounding errors.
    """
    size = table.num_states
    legs = _whole(table.legs)
    toll, closed = _close_with_tolls(legs)
    paying = legs - toll

    def plans_to(goals: Int[Array, " G"]) -> Plan:
        reach = closed[goals]
        first = first_reaching(reach - toll / 2, reach, paying)[:, :size]
        return _plans(table, goals, reach[:, :size] > -jnp.inf, first)

    together = max(count for count in range(1, GOALS + 1) if len(closed) % count == 0)
    goals = jnp.arange(len(closed), dtype=jnp.int32).reshape(-1, together)
    plans = jax.lax.map(plans_to, goals)
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:])[:size], plans)


def _plans(
    table: Folded, goals: Int[Array, " G"], reached: Bool[Array, "G S"], first: Int[Array, "G S"]
) -> Plan:
    states = jnp.arange(table.num_states, dtype=jnp.int32)[None]
    at_goal = goals[:, None] == states
    followed = reached & ~at_goal & (first < table.num_states)
    onward = jnp.where(followed, first, states)
    log = jnp.where(followed, table.legs[onward, states], jnp.where(at_goal, 0, -jnp.inf))
    policy = jnp.where(followed, table.leader[onward, states], NOTHING)
    subgoal = jnp.where(at_goal, states, jnp.where(reached, first, NOTHING))
    return Plan(goals, policy.astype(jnp.int32), subgoal, _along(log, onward))


def close(legs: Float[Array, "P P"]) -> Float[Array, "P P"]:
    """Return the log discount of the best path between any two states, with any number of legs.

    P must be a multiple of 16, and beyond 128 of 128.
    """
    size = len(legs)
    table = jnp.fill_diagonal(legs, 0, inplace=False)
    block = min(BLOCK, size)
    if block == size:
        return _close_block(table)

    def eliminate(number: Index, table: Array) -> Array:
        start = number * block
        pivot = _close_block(jax.lax.dynamic_slice(table, (start, start), (block, block)))
        rows = jax.lax.dynamic_slice_in_dim(table, start, block, axis=0)
        columns = jax.lax.dynamic_slice_in_dim(table, start, block, axis=1)
        return accumulate(table, accumulate(columns, columns, pivot), accumulate(rows, pivot, rows))

    return jax.lax.fori_loop(0, size // block, eliminate, table)


def _close_block(table: Float[Array, "B B"]) -> Float[Array, "B B"]:
    def eliminate(state: Index, table: Array) -> Array:
        return jnp.maximum(table, table[:, state][:, None] + table[state][None, :])

    return jax.lax.fori_loop(0, len(table), eliminate, table)


def _close_with_tolls(legs: Float[Array, "P P"]) -> tuple[Float[Array, ""], Float[Array, "P P"]]:
    """Return a toll above the rounding errors of the longest plan, and the closure that pays it.

    The toll is the gain below which `plan_to_goal` is indifferent at that distance from the goal.
    The distance is known only afterwards; if the toll was too small, the closure is repeated.
    """
    rounding = indifference(legs.dtype)

    def too_small(carry: tuple[Array, Array, Array]) -> Array:
        toll, needed, _ = carry
        return toll < needed

    def attempt(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        _, toll, _ = carry
        closed = close(legs - toll)
        furthest = -jnp.where(jnp.isfinite(closed), closed, 0).min()
        needed = rounding * furthest
        # Slightly more than needed, because a larger toll increases the distances.
        return toll, jnp.where(needed > toll, 1.1 * needed, toll), closed

    # Float64 has digits to spare, so the first toll is nearly always large enough.
    first = jnp.asarray(max(rounding, 1e-12), legs.dtype)
    begin = (jnp.zeros_like(first), first, jnp.zeros_like(legs))
    toll, _, closed = jax.lax.while_loop(too_small, attempt, begin)
    return toll, closed


def _along(log: Float[Array, "G S"], onward: Int[Array, "G S"]) -> Float[Array, "G S"]:
    """Return the sum of the legs from every state; each round doubles the legs it covers."""

    def unfinished(carry: tuple[Array, Array, Array]) -> Array:
        _, onward, before = carry
        return (onward != before).any()

    def join(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        log, onward, _ = carry
        ahead = jnp.take_along_axis(log, onward, axis=1)
        return log + ahead, jnp.take_along_axis(onward, onward, axis=1), onward

    return jax.lax.while_loop(unfinished, join, (log, onward, jnp.full_like(onward, -1)))[0]


def _whole(legs: Float[Array, "R S"]) -> Float[Array, "P P"]:
    """Return the table padded to a whole number of blocks, with states that lead nowhere."""
    rows, size = legs.shape
    whole = size + -size % (GROUP if size <= BLOCK else BLOCK)
    return jnp.pad(legs, ((0, whole - rows), (0, whole - size)), constant_values=-jnp.inf)
