r"""FRP's sweeps to one goal, each of which reads only the rows that can matter (Alg. 1).

$$\Gamma'(s) = \max_x F(s, x)\, \Gamma(x), \qquad x(s) = \arg\max_x F(s, x)\, \Gamma(x)$$

in logs, over the table of `folding.py`. A subgoal x can only help if the previous sweep raised its
discount: otherwise the leg to it was available before and did not help. So only the rows of such
subgoals are read. A plan in a maze of 3,266 states takes 40 sweeps, which read the table twice in
all. GPUs read the whole table at once.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.planning._dense.folding import BestLegs
from first_occupancy.planning.limits import NOTHING, indifference

GROUP = 16
"""Number of subgoals over which a sweep takes the maximum in registers."""


class Chained(NamedTuple):
    """A draft of a plan, on the device."""

    policy: Int[Array, " S"]
    subgoal: Int[Array, " S"]
    log_promised: Float[Array, " S"]


@jax.jit
def chain_to_goal(table: BestLegs, goal: Int[Array, ""], limit: Index) -> Chained:
    """Return the best plan from every state to one goal."""

    def unfinished(carry: tuple[Chained, Array, Array]) -> Array:
        _, raised, switches = carry
        return raised.any() & (switches < limit)

    def allow_one_more(carry: tuple[Chained, Array, Array]) -> tuple[Chained, Array, Array]:
        plan, raised, switches = carry
        return *sweep(table, plan, raised), switches + 1

    plan = direct(table, goal)
    begin = (plan, plan.log_promised > -jnp.inf, jnp.array(0))
    return jax.lax.while_loop(unfinished, allow_one_more, begin)[0]


def sweeps_allowed(max_switches: int | None, table: BestLegs) -> int:
    """Return the number of sweeps allowed; S is enough, since plans visit no subgoal twice."""
    return table.num_states if max_switches is None else min(max_switches, table.num_states)


def direct(folded: BestLegs, goal: Int[Array, ""]) -> Chained:
    """Return the plan with one leg from each state, which is GPI."""
    at_goal = jnp.arange(folded.num_states) == goal
    log_promised = jnp.where(at_goal, 0, folded.legs[goal])
    reached = log_promised > -jnp.inf
    follow = jnp.where(reached & ~at_goal, folded.leader[goal], NOTHING)
    subgoal = jnp.where(reached, goal, NOTHING)
    return Chained(follow.astype(jnp.int32), subgoal.astype(jnp.int32), log_promised)


Raised = tuple[Chained, Bool[Array, " S"]]
"""A plan, and the states whose discount the last sweep raised."""


def sweep(folded: BestLegs, plan: Chained, raised: Bool[Array, " S"]) -> Raised:
    """Return the plan with one more switch allowed, and the states whose discount that raised.

    `raised` are the states that the previous sweep raised; for the first sweep, all states from
    which the goal is reached.
    """
    on_gpu = sweep_over_all
    return jax.lax.platform_dependent(
        folded, plan, raised, cuda=on_gpu, rocm=on_gpu, default=_sweep_on_cpu
    )


def _sweep_on_cpu(folded: BestLegs, plan: Chained, raised: Bool[Array, " S"]) -> Raised:
    alone = _is_alone(raised)
    return jax.lax.cond(alone, sweep_over_few, sweep_over_all, folded, plan, raised)


@custom_vmap
def _is_alone(_: Bool[Array, " S"]) -> Bool[Array, ""]:
    return jnp.array(True)


@_is_alone.def_vmap
def _is_among_many(_: int, __: list[bool], ___: Array) -> tuple[Bool[Array, ""], bool]:
    # Under `vmap` the rows of a group become gathers, whose fusion takes XLA gigabytes to compile.
    return jnp.array(False), False


def sweep_over_all(folded: BestLegs, plan: Chained, _: Bool[Array, " S"]) -> Raised:
    """Return the result of `sweep` on GPUs, where XLA reads the table once for both reductions."""
    through = folded.legs + plan.log_promised[:, None]
    return _switched(folded, plan, through.max(axis=0), through.argmax(axis=0).astype(jnp.int32))


def sweep_over_few(folded: BestLegs, plan: Chained, raised: Bool[Array, " S"]) -> Raised:
    """Return the result of `sweep`, reading only the rows of `raised`, one group at a time."""
    size = folded.num_states
    rows = _places_of(raised, size + -size % GROUP)
    onward = plan.log_promised.at[rows].get(mode="fill", fill_value=-jnp.inf)

    def challenge(group: Index, champion: tuple[Array, Array]) -> tuple[Array, Array]:
        best, subgoal = champion
        begin = jnp.asarray(group * GROUP, jnp.int32)
        members = jax.lax.dynamic_slice(rows, (begin,), (GROUP,))
        ahead = jax.lax.dynamic_slice(onward, (begin,), (GROUP,))
        for i in range(GROUP):
            # Padding rows have `ahead` minus infinity, so that they never win.
            through = folded.legs[members[i]] + ahead[i]
            better = through > best
            best = jnp.where(better, through, best)
            subgoal = jnp.where(better, members[i], subgoal)
        return best, subgoal

    nothing = (jnp.full(size, -jnp.inf, folded.legs.dtype), jnp.zeros(size, jnp.int32))
    groups = (raised.sum() + GROUP - 1) // GROUP
    return _switched(folded, plan, *jax.lax.fori_loop(0, groups, challenge, nothing))


def _places_of(marked: Bool[Array, " S"], length: int) -> Int[Array, " length"]:
    """Return the marked places, padded with S: as `jnp.nonzero`, at twice its speed."""
    size = len(marked)
    place = jnp.where(marked, jnp.cumsum(marked) - 1, length)
    states = jnp.arange(size, dtype=jnp.int32)
    return jnp.full(length, size, jnp.int32).at[place].set(states, mode="drop")


def _switched(
    folded: BestLegs, plan: Chained, gained: Float[Array, " S"], subgoal: Int[Array, " S"]
) -> Raised:
    """Return the plan that switches where something is gained, and where that is."""
    # Rounding errors grow with the log itself; minus infinity must remain comparable.
    size = jnp.where(jnp.isfinite(gained), jnp.maximum(1.0, -gained), 1.0)
    better = gained > plan.log_promised + indifference(gained.dtype) * size
    # Without a better subgoal, as where FRs are NaN, the number may be out of range.
    chosen = jnp.where(better, subgoal, 0)[None]
    leader = jnp.take_along_axis(folded.leader, chosen, axis=0, mode="promise_in_bounds")[0]
    switched = Chained(
        jnp.where(better, leader.astype(jnp.int32), plan.policy),
        jnp.where(better, subgoal, plan.subgoal),
        jnp.where(better, gained, plan.log_promised),
    )
    return switched, better
