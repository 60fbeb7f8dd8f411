r"""FRP for an agent that learns as it goes: one row changes, one state asks.

Converged FRP is a shortest path with edge length $-\log \max_\pi F^\pi(s, s')$, so
Dijkstra's search from the goal gives the same discounts as `frp.plan_to_goal`, and may
stop as soon as the asking state is settled. The folded FRs are kept between steps: a
step of TD changes one row, so `legs.at[:, state].set(legs_from(frs[state], state))`.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.planning.plans import NOTHING


def legs_from(rows: Float[Array, "*B N S"], states: Int[Array, "*B"]) -> Float[Array, "*B S"]:
    """Return the log of the best policy's FR from each state, which is no leg to itself."""
    # Above 1 lies rounding only; a gain from it must not make circles pay.
    best = jnp.log(jnp.minimum(rows.max(axis=-2), 1))
    itself = jax.nn.one_hot(states, rows.shape[-1], dtype=bool)
    return jnp.where(itself, -jnp.inf, best)


def legs_of(frs: Float[Array, "S N S"]) -> Float[Array, "S S"]:
    """Return all legs, the subgoal first: `legs[x, s]` is the leg from s to x.

    They are those of `folding.fold`, but the FRs of one state lie together, as a learner has
    them, which policy leads is looked up for the asking state alone, and numbers so small that
    digits are missing are legs too.
    """
    return legs_from(frs, jnp.arange(len(frs))).T


def log_discounts(legs: Float[Array, "S S"], goal: Index, state: Index) -> Float[Array, " S"]:
    """Return the log discount to the goal of every state nearer to it than `state`.

    The others get minus infinity; so do all that are cut off, and the search then ends
    when none is left.
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
        return settled, waiting, waiting.argmax()

    nothing = jnp.full(len(legs), -jnp.inf, legs.dtype)
    # Of argmax' type, which may be longer than the goal's: a loop's carry keeps its type.
    first = jnp.asarray(goal, nothing.argmax().dtype)
    begin = (nothing, nothing.at[goal].set(0), first)
    return jax.lax.while_loop(unfinished, settle, begin)[0]


def policy_towards(
    legs: Float[Array, "S S"], rows: Float[Array, "N S"], goal: Index, state: Index
) -> Int[Array, ""]:
    """Return the policy FRP follows from `state`, -1 if no plan reaches the goal.

    `rows` are the FRs' rows of `state`. Ties go to the first subgoal, then policy.
    """
    through = legs[:, state] + log_discounts(legs, goal, state)
    subgoal = through.argmax()
    policy = rows[:, subgoal].argmax()
    return jnp.where(through[subgoal] > -jnp.inf, policy, NOTHING)
