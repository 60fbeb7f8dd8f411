r"""FRP for an agent that learns while acting: each step changes one row and plans from one state.

Converged FRP is a shortest path with edge length $-\log \max_\pi F^\pi(s, s')$, so
Dijkstra's search from the goal gives the same discounts as `frp.plan_to_goal`, and can
stop as soon as the agent's state is settled. The folded FRs are kept between steps: a
TD step changes one row, so `legs.at[:, state].set(legs_from(frs[state], state))` updates them.

`Planner.change` would not do: it follows edits of a known world on the host. Here the world is
unknown, each step changes the legs from one state to all others, and trials run compiled. A step of
a trial in the arena takes half as long as an edit and its plan (0.16 and 0.31 ms).
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.mdp import floats
from first_occupancy.planning.limits import NOTHING


def legs_from(rows: Float[Array, "*B N S"], states: Int[Array, "*B"]) -> Float[Array, "*B S"]:
    """Return the log of the best policy's FR from each state, minus infinity to the state itself.

    Args:
        rows: FRs of all policies from each of `states`; half precision gives legs in single.
    """
    rows = floats(rows)
    # Entries above 1 are rounding errors; uncorrected, they would make cycles profitable.
    best = jnp.log(jnp.minimum(rows.max(axis=-2), 1))
    itself = jax.nn.one_hot(states, rows.shape[-1], dtype=bool)
    return jnp.where(itself, -jnp.inf, best)


def legs_of(frs: Float[Array, "S N S"]) -> Float[Array, "S S"]:
    """Return all legs, the subgoal first: `legs[x, s]` is the leg from s to x.

    They are those of `best_legs`, except that the FRs of one state are adjacent, as a learner
    stores them; the best policy is looked up later, for the agent's state only; and subnormal FRs
    count as legs.
    """
    return legs_from(frs, jnp.arange(len(frs))).T


def log_discounts(legs: Float[Array, "S S"], goal: Index, state: Index) -> Float[Array, " S"]:
    """Return the log discount to the goal of every state nearer to it than `state`.

    All other states get minus infinity, unreachable ones included. If `state` cannot reach the
    goal, the search ends when no state is left to settle.

    Args:
        legs: logs of the best FRs, as from `legs_of`.
    """

    def unfinished(carry: tuple[Array, Array, Array]) -> Array:
        _, waiting, nearest = carry
        return (nearest != state) & (waiting[nearest] > -jnp.inf)

    def settle(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        settled, waiting, nearest = carry
        discount = waiting[nearest]
        settled = settled.at[nearest].set(discount)
        reached = jnp.maximum(waiting, legs[nearest] + discount)
        waiting = jnp.where(settled > -jnp.inf, -jnp.inf, reached)
        return settled, waiting, _first_largest(waiting)

    nothing = jnp.full(len(legs), -jnp.inf, legs.dtype)
    # The dtype of indices may be wider than the goal's, and a loop's carry keeps its dtype.
    first = jnp.asarray(goal, _first_largest(nothing).dtype)
    begin = (nothing, nothing.at[goal].set(0), first)
    return jax.lax.while_loop(unfinished, settle, begin)[0]


def _first_largest(values: Float[Array, " S"]) -> Int[Array, ""]:
    """Return argmax, by two reductions that XLA vectorises; searches take half the time with it.

    As with argmax, NaN counts as the largest.
    """
    largest = (values == values.max()) | jnp.isnan(values)
    return jnp.where(largest, jnp.arange(len(values)), len(values)).min()


def policy_towards(
    legs: Float[Array, "S S"], rows: Float[Array, "N S"], goal: Index, state: Index
) -> Int[Array, ""]:
    """Return the policy that FRP follows from `state`, -1 if no plan reaches the goal.

    Ties go to the first subgoal, then to the first policy.

    Args:
        legs: logs of the best FRs, as from `legs_of`.
        rows: FRs of all policies from `state`.
    """
    through = legs[:, state] + log_discounts(legs, goal, state)
    subgoal = through.argmax()
    policy = rows[:, subgoal].argmax()
    return jnp.where(through[subgoal] > -jnp.inf, policy, NOTHING)
