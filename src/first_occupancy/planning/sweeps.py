r"""One sweep of FR-planning at the speed at which memory can be read.

$$\Gamma'(s) = \max_x F(s, x)\, \Gamma(x), \qquad x(s) = \arg\max_x F(s, x)\, \Gamma(x)$$

in logs, over the folded table of `folding.py`. The table is read once: groups of subgoals
become their maximum while they are in registers, and where that raises a state's discount only
the members of the winning group are looked at again. A maximum and an argmax asked of
XLA in one breath run at a tenth of that speed on a CPU.
"""

from functools import reduce

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.planning.folding import GROUP, Folded
from first_occupancy.planning.plans import NOTHING, Plan


def indifference(dtype: jnp.dtype) -> float:
    """Return the gain in log discount below which two plans count as equally good.

    A few roundings' worth, so that noise in the last digits adds no switches. It is meant
    for logs near 1 and grows with them. In float32 it is 8e-6: discounts above .99999,
    whose steps are worth less than that, need float64.
    """
    return 64 * float(jnp.finfo(dtype).eps)


def direct(folded: Folded, goal: Int[Array, ""]) -> Plan:
    """Return the plans of one leg, GPI's."""
    at_goal = jnp.arange(folded.num_states) == goal
    log_discount = jnp.where(at_goal, 0, folded.legs[goal])
    reached = log_discount > -jnp.inf
    follow = jnp.where(reached & ~at_goal, folded.leader[goal], NOTHING)
    subgoal = jnp.where(reached, goal, NOTHING)
    return Plan(goal, follow.astype(jnp.int32), subgoal.astype(jnp.int32), log_discount)


def sweep(folded: Folded, plan: Plan, go_on: Bool[Array, ""]) -> tuple[Plan, Bool[Array, ""]]:
    """Return the plan with one more switch allowed, and whether that helped anywhere.

    `go_on` must be true. It is there because the compiler cannot know: it would otherwise
    compute the groups' maxima again for every use of them.
    """
    beyond = len(folded.legs) - folded.num_states
    onward = jnp.pad(plan.log_discount, (0, beyond), constant_values=-jnp.inf)
    if jax.default_backend() == "gpu":
        return _sweep_in_one_breath(folded, plan, onward)
    grouped = folded.legs.reshape(-1, GROUP, folded.num_states)
    ahead = onward.reshape(-1, GROUP, 1)
    largest = reduce(_larger, [grouped[:, i] + ahead[:, i] for i in range(GROUP)])
    return jax.lax.cond(
        go_on,
        lambda: _look_down(folded, plan, onward, largest),
        lambda: (plan, jnp.array(False)),
    )


def _sweep_in_one_breath(
    folded: Folded, plan: Plan, onward: Float[Array, " R"]
) -> tuple[Plan, Bool[Array, ""]]:
    # XLA makes one pass of these on a GPU, and only there.
    through = folded.legs + onward[:, None]
    gained, subgoal = through.max(axis=0), through.argmax(axis=0).astype(jnp.int32)
    better = _is_better(gained, plan.log_discount)
    return _switched(folded, plan, better, gained, subgoal), better.any()


def _look_down(
    folded: Folded, plan: Plan, onward: Float[Array, " R"], largest: Float[Array, "groups S"]
) -> tuple[Plan, Bool[Array, ""]]:
    gained = largest.max(axis=0)
    better = _is_better(gained, plan.log_discount)

    def switch() -> Plan:
        subgoal = _first_subgoal(folded.legs, onward, largest, gained)
        return _switched(folded, plan, better, gained, subgoal)

    helped = better.any()
    return jax.lax.cond(helped, switch, lambda: plan), helped


def _is_better(gained: Float[Array, " S"], before: Float[Array, " S"]) -> Bool[Array, " S"]:
    # Rounding grows with the log itself, and minus infinity must stay comparable.
    size = jnp.where(jnp.isfinite(gained), jnp.maximum(1.0, -gained), 1.0)
    return gained > before + indifference(gained.dtype) * size


def _switched(
    folded: Folded,
    plan: Plan,
    better: Bool[Array, " S"],
    gained: Float[Array, " S"],
    subgoal: Int[Array, " S"],
) -> Plan:
    policy = jnp.take_along_axis(folded.leader, subgoal[None], axis=0)[0].astype(jnp.int32)
    return Plan(
        plan.goal,
        jnp.where(better, policy, plan.policy),
        jnp.where(better, subgoal, plan.subgoal),
        jnp.where(better, gained, plan.log_discount),
    )


def _first_subgoal(
    legs: Float[Array, "R S"],
    onward: Float[Array, " R"],
    largest: Float[Array, "groups S"],
    gained: Float[Array, " S"],
) -> Int[Array, " S"]:
    """Return the first subgoal through which each state gains that much.

    It lies in the first group whose maximum is that large, so only the members of one group
    are looked at again.
    """
    numbers = jnp.arange(len(largest), dtype=jnp.int32)[:, None]
    group = jnp.where(largest == gained[None], numbers, len(largest) - 1).min(axis=0)
    rows = group[None] * GROUP + jnp.arange(GROUP, dtype=jnp.int32)[:, None]
    # All rows are there: not having to make sure halves the time.
    through = jnp.take_along_axis(legs, rows, axis=0, mode="promise_in_bounds")
    through += onward.at[rows].get(mode="promise_in_bounds")
    return jnp.where(through == gained[None], rows, len(legs)).min(axis=0)


def _larger(one: Float[Array, "*B"], other: Float[Array, "*B"]) -> Float[Array, "*B"]:
    # `jnp.maximum` would look for NaN, at twice the cost.
    return jnp.where(other > one, other, one)
