r"""FR-planning (FRP, Alg. 1 and 2): reach any goal by chaining policies one already has.

Follow policy $\pi$ from s until the subgoal s', then go on from there. The expected
discounts of the legs multiply, so the best plan solves

$$\Gamma(s) = \max_{\pi, s'} F^\pi(s, s')\, \Gamma(s'), \qquad \Gamma(g) = 1.$$

Each sweep over all states allows one more switch of policy. The product does not care
how the legs were chosen, so only $\max_\pi F^\pi$ matters and the policies are folded
into it once. Discounts are kept as logs: $.95^{2000}$ is beyond float32.

Where we depart from the printed algorithm:
- A new leg must *raise* the discount. The plain argmax may choose a state as its own
  subgoal (F(s, s) = 1 loses nothing), and Alg. 2 then never ends. With the rise,
  every leg's subgoal is strictly nearer the goal, so plans end.
- States from which nothing reaches the goal say so: policy and subgoal -1.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_index, check_shape, is_known
from first_occupancy.planning.plans import NOTHING, Leg, Plan, follow, unroll

__all__ = [
    "NOTHING",
    "Leg",
    "Plan",
    "follow",
    "indifference",
    "plan_to_every_goal",
    "plan_to_goal",
    "unroll",
]


def plan_to_goal(
    frs: Float[Array, "N S S"], goal: Index, *, max_switches: int | None = None
) -> Plan:
    """Return the best plan from every state to `goal` with the base policies' FRs (Alg. 1).

    `max_switches` K limits how many changes of policy `log_discount` counts with: 0 is
    generalised policy improvement, None goes on until no further switch helps. Whoever
    follows the plan looks each next leg up in the same table, as Alg. 2 does, and so may
    switch more often than K times; it then arrives sooner than promised, never later.
    Sweeps are synchronous, as printed: each uses the discounts of the sweep before. Ties
    go to the fewest switches, then to the first policy and subgoal.
    """
    frs = jnp.asarray(frs)
    _check("plan_to_goal", frs, max_switches)
    check_index("plan_to_goal", "goal", goal, frs.shape[1])
    best, leader = _fold(frs)
    return _plan(best, leader, jnp.asarray(goal), _limit(max_switches, frs))


def plan_to_every_goal(frs: Float[Array, "N S S"], *, max_switches: int | None = None) -> Plan:
    """Return the plans to all states, with a leading axis for the goal."""
    _check("plan_to_every_goal", frs, max_switches)
    best, leader = _fold(frs)
    return _plan_all(best, leader, _limit(max_switches, frs))


def indifference(dtype: np.dtype) -> float:
    """Return the gain in log discount below which two plans count as equally good.

    A few roundings' worth, so that noise in the last digits adds no switches. It is meant
    for logs near 1 and grows with them. In float32 it is 8e-6: discounts above .99999,
    whose steps are worth less than that, need float64.
    """
    return 64 * float(jnp.finfo(dtype).eps)


@jax.jit
def _fold(frs: Float[Array, "N S S"]) -> tuple[Float[Array, "S S"], Int[Array, "S S"]]:
    """Return the log of the best policy's FR for each pair of states, and which policy it is."""
    # Above 1 lies rounding only, and a gain from going in circles that plans must not see.
    best = jnp.minimum(frs.max(axis=0), 1)
    # Below the smallest normal number digits are missing: better no leg than a wrong one.
    logs = jnp.log(jnp.where(best < jnp.finfo(best.dtype).tiny, 0, best))
    return jnp.fill_diagonal(logs, -jnp.inf, inplace=False), frs.argmax(axis=0)


@jax.jit
def _plan(
    best: Float[Array, "S S"], leader: Int[Array, "S S"], goal: Int[Array, ""], limit: Index
) -> Plan:
    tolerance = indifference(best.dtype)
    at_goal = jnp.arange(len(best)) == goal

    def unfinished(carry: tuple[Plan, Array, Array]) -> Array:
        _, improved, switches = carry
        return improved & (switches < limit)

    def sweep(carry: tuple[Plan, Array, Array]) -> tuple[Plan, Array, Array]:
        plan, _, switches = carry
        through = best + plan.log_discount[None, :]
        subgoal = through.argmax(axis=1)
        gained = through.max(axis=1)
        # Rounding grows with the log itself, and minus infinity must stay comparable.
        size = jnp.where(jnp.isfinite(gained), jnp.maximum(1.0, -gained), 1.0)
        better = gained > plan.log_discount + tolerance * size
        policy = jnp.take_along_axis(leader, subgoal[:, None], axis=1)[:, 0]
        improved = Plan(
            goal,
            jnp.where(better, policy, plan.policy),
            jnp.where(better, subgoal, plan.subgoal),
            jnp.where(better, gained, plan.log_discount),
        )
        return improved, better.any(), switches + 1

    direct = jnp.where(at_goal, 0.0, best[:, goal])
    reached = direct > -jnp.inf
    follow = jnp.where(reached & ~at_goal, leader[:, goal], NOTHING)
    begin = Plan(goal, follow, jnp.where(reached, goal, NOTHING), direct)
    return jax.lax.while_loop(unfinished, sweep, (begin, jnp.array(True), jnp.array(0)))[0]


@jax.jit
def _plan_all(best: Float[Array, "S S"], leader: Int[Array, "S S"], limit: Index) -> Plan:
    # One goal at a time: all at once would hold an S x S x S array.
    return jax.lax.map(lambda goal: _plan(best, leader, goal, limit), jnp.arange(len(best)))


def _limit(max_switches: int | None, frs: Float[Array, "N S S"]) -> int:
    """Return the number of sweeps allowed; a plan without limit visits no state twice."""
    return frs.shape[1] if max_switches is None else max_switches


def _check(caller: str, frs: Float[Array, "N S S"], max_switches: int | None) -> None:
    check_shape(caller, "frs", frs, "N S S")
    if max_switches is not None and max_switches < 0:
        raise InputError(f"{caller}: max_switches must be at least 0 or None, got {max_switches}")
    if not is_known(frs):
        return
    low, high = np.min(np.asarray(frs)), np.max(np.asarray(frs))
    # An entry above 1 would make going in circles profitable. NaN fails both comparisons.
    if not (low >= 0 and high <= 1 + 1e-5):
        raise InputError(
            f"{caller}: frs must hold expected discounts in [0, 1], got {low:.6g} to {high:.6g}"
        )
