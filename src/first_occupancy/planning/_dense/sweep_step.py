r"""One sweep of FR-planning at memory bandwidth, reading only the rows that can matter.

$$\Gamma'(s) = \max_x F(s, x)\, \Gamma(x), \qquad x(s) = \arg\max_x F(s, x)\, \Gamma(x)$$

in logs, over the folded table of `folding.py`. A subgoal x can only help if the previous sweep
raised its discount: otherwise the leg to it was available before and did not help. So while few
subgoals were raised, only their rows are read. A plan in a maze of 3,266 states takes 40 sweeps,
which read the table twice in all.

If many were raised, the whole table is read once: groups of subgoals are reduced to their maximum
in registers, then groups of these groups, up to a few rows. Where that raises some state's
discount, the subgoal is found on the way down, which reads only the members of one group per state
and level. A maximum and an argmax in one XLA program run at a tenth of that speed on a CPU.
"""

from functools import reduce

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Float, Int, Real

from first_occupancy.core.axes import Index
from first_occupancy.planning._dense.folding import GROUP, Folded
from first_occupancy.planning.limits import NOTHING
from first_occupancy.planning.plans import Plan


def indifference(dtype: jnp.dtype) -> float:
    """Return the gain in log discount below which two plans count as equally good.

    It is 64 rounding errors, so that noise in the last digits adds no switches. It applies to logs
    near 1 and grows with them. In float32 it is 8e-6: discounts above about .99999, at which a step
    changes the log by less than that, need float64.
    """
    return 64 * float(jnp.finfo(dtype).eps)


def direct(folded: Folded, goal: Int[Array, ""]) -> Plan:
    """Return the plan with one leg from each state, which is GPI."""
    at_goal = jnp.arange(folded.num_states) == goal
    log_promised = jnp.where(at_goal, 0, folded.legs[goal])
    reached = log_promised > -jnp.inf
    follow = jnp.where(reached & ~at_goal, folded.leader[goal], NOTHING)
    subgoal = jnp.where(reached, goal, NOTHING)
    return Plan(goal, follow.astype(jnp.int32), subgoal.astype(jnp.int32), log_promised)


Raised = tuple[Plan, Bool[Array, " S"]]
"""A plan, and the states whose discount the last sweep raised."""


def sweep(folded: Folded, plan: Plan, raised: Bool[Array, " S"]) -> Raised:
    """Return the plan with one more switch allowed, and the states whose discount that raised.

    `raised` are the states that the previous sweep raised; for the first sweep, all states from
    which the goal is reached.
    """
    on_gpu = sweep_in_one_breath
    return jax.lax.platform_dependent(
        folded, plan, raised, cuda=on_gpu, rocm=on_gpu, default=_sweep_on_cpu
    )


def sweep_in_one_breath(folded: Folded, plan: Plan, _: Bool[Array, " S"]) -> Raised:
    """Return the result of `sweep` on GPUs, where XLA reads the table once for both reductions."""
    through = folded.legs + _onward(folded, plan)[:, None]
    gained, subgoal = through.max(axis=0), through.argmax(axis=0).astype(jnp.int32)
    better = _is_better(gained, plan.log_promised)
    return _switched(folded, plan, better, gained, subgoal), better


def _sweep_on_cpu(folded: Folded, plan: Plan, raised: Bool[Array, " S"]) -> Raised:
    return jax.lax.cond(_are_few(raised), sweep_over_few, sweep_by_groups, folded, plan, raised)


@custom_vmap
def _are_few(raised: Bool[Array, " S"]) -> Bool[Array, ""]:
    return 2 * raised.sum() < len(raised)


@_are_few.def_vmap
def _are_few_in_none(_: int, __: list[bool], raised: Array) -> tuple[Bool[Array, ""], bool]:
    # Under `vmap`, a condition for each world or goal would run both sweeps. One answer for all of
    # them keeps it a choice.
    return jnp.array(False), False


def sweep_over_few(folded: Folded, plan: Plan, raised: Bool[Array, " S"]) -> Raised:
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
    gained, subgoal = jax.lax.fori_loop(0, groups, challenge, nothing)
    better = _is_better(gained, plan.log_promised)
    return _switched(folded, plan, better, gained, subgoal), better


def _places_of(marked: Bool[Array, " S"], length: int) -> Int[Array, " length"]:
    """Return the marked places, padded with S: as `jnp.nonzero`, at twice its speed."""
    size = len(marked)
    place = jnp.where(marked, jnp.cumsum(marked) - 1, length)
    states = jnp.arange(size, dtype=jnp.int32)
    return jnp.full(length, size, jnp.int32).at[place].set(states, mode="drop")


def sweep_by_groups(folded: Folded, plan: Plan, raised: Bool[Array, " S"]) -> Raised:
    """Return the result of `sweep`, reading all rows once."""
    onward = _onward(folded, plan)
    grouped = folded.legs.reshape(-1, GROUP, folded.num_states)
    ahead = onward.reshape(-1, GROUP, 1)
    largest = reduce(_larger, [grouped[:, i] + ahead[:, i] for i in range(GROUP)])
    # The condition is always true, but the compiler does not know it. So it stores the groups'
    # maxima; without the branch, it would compute them again for every use.
    return jax.lax.cond(
        raised.any(),
        lambda: _look_down(folded, plan, onward, largest),
        lambda: (plan, raised),
    )


def _onward(folded: Folded, plan: Plan) -> Float[Array, " R"]:
    beyond = len(folded.legs) - folded.num_states
    return jnp.pad(plan.log_promised, (0, beyond), constant_values=-jnp.inf)


def _look_down(
    folded: Folded, plan: Plan, onward: Float[Array, " R"], largest: Float[Array, "groups S"]
) -> Raised:
    levels = [largest]
    while len(levels[-1]) > GROUP:
        levels.append(_largest_of_groups(levels[-1]))
    gained = reduce(_larger, levels[-1])
    better = _is_better(gained, plan.log_promised)

    def switch() -> Plan:
        subgoal = _first_subgoal(folded.legs, onward, levels, gained)
        return _switched(folded, plan, better, gained, subgoal)

    return jax.lax.cond(better.any(), switch, lambda: plan), better


def _largest_of_groups(rows: Float[Array, "rows S"]) -> Float[Array, "groups S"]:
    """Return the maximum of every sixteen rows, and of the remaining rows at the end."""
    whole = len(rows) - len(rows) % GROUP
    grouped = rows[:whole].reshape(-1, GROUP, rows.shape[1])
    largest = reduce(_larger, [grouped[:, i] for i in range(GROUP)])
    if whole == len(rows):
        return largest
    return jnp.concatenate([largest, reduce(_larger, rows[whole:])[None]])


def _is_better(gained: Float[Array, " S"], before: Float[Array, " S"]) -> Bool[Array, " S"]:
    # Rounding errors grow with the log itself; minus infinity must remain comparable.
    size = jnp.where(jnp.isfinite(gained), jnp.maximum(1.0, -gained), 1.0)
    return gained > before + indifference(gained.dtype) * size


def _switched(
    folded: Folded,
    plan: Plan,
    better: Bool[Array, " S"],
    gained: Float[Array, " S"],
    subgoal: Int[Array, " S"],
) -> Plan:
    # Without a better subgoal, as where FRs are NaN, the number may be out of range.
    leader = _entries(folded.leader, jnp.where(better, subgoal, 0)[None])[0]
    return Plan(
        plan.goal,
        jnp.where(better, leader.astype(jnp.int32), plan.policy),
        jnp.where(better, subgoal, plan.subgoal),
        jnp.where(better, gained, plan.log_promised),
    )


def _first_subgoal(
    legs: Float[Array, "R S"],
    onward: Float[Array, " R"],
    levels: list[Float[Array, "_ S"]],
    gained: Float[Array, " S"],
) -> Int[Array, " S"]:
    """Return the first subgoal through which each state attains `gained`.

    On every level it lies in the first group with that maximum, so that the way down from the top
    reads no other group.
    """
    *lower, top = levels
    rows = jnp.arange(len(top), dtype=jnp.int32)[:, None]
    group = _first_reaching(top, rows, gained)
    for level in reversed(lower):
        members = _members(group, len(level))
        group = _first_reaching(_entries(level, members), members, gained)
    members = _members(group, len(legs))
    through = _entries(legs, members) + onward.at[members].get(mode="promise_in_bounds")
    return _first_reaching(through, members, gained)


def _members(group: Int[Array, " S"], count: int) -> Int[Array, "group S"]:
    """Return the rows of each state's group; an incomplete last group repeats its last row."""
    rows = group[None] * GROUP + jnp.arange(GROUP, dtype=jnp.int32)[:, None]
    return rows if count % GROUP == 0 else jnp.minimum(rows, count - 1)


def _entries(level: Real[Array, "rows S"], rows: Int[Array, "group S"]) -> Real[Array, "group S"]:
    # All rows are in bounds; not checking that halves the time.
    return jnp.take_along_axis(level, rows, axis=0, mode="promise_in_bounds")


def _first_reaching(
    entries: Float[Array, "group S"], rows: Int[Array, "group #S"], gained: Float[Array, " S"]
) -> Int[Array, " S"]:
    # One of the entries equals `gained`, unless it is NaN; then any row will do.
    return jnp.where(entries == gained[None], rows, rows[-1:]).min(axis=0)


def _larger(one: Float[Array, "*B"], other: Float[Array, "*B"]) -> Float[Array, "*B"]:
    # `jnp.maximum` would check for NaN, at twice the cost.
    return jnp.where(other > one, other, one)
