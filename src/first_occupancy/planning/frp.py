r"""FR-planning (FRP, Alg. 1 and 2): reach any goal by chaining base policies.

Follow policy $\pi$ from s until the subgoal s', then continue from there. The expected
discounts of the legs multiply, so the best plan solves

$$\Gamma(s) = \max_{\pi, s'} F^\pi(s, s')\, \Gamma(s'), \qquad \Gamma(g) = 1.$$

Each sweep over all states allows one more switch of policy (`_dense/frp_sweeps.py`). Of all
policies only the best one of each leg matters, so $\max_\pi F^\pi$ is computed once
(`_dense/folding.py`). Discounts are kept as logs: $.95^{2000}$ underflows in float32.

Where we depart from the printed algorithm:
- A new leg must *increase* the discount. The plain argmax may choose a state as its own
  subgoal (F(s, s) = 1 loses nothing), and Alg. 2 then never terminates. With the strict increase,
  the subgoal of every leg is strictly nearer the goal, so plans terminate.
- States from which the goal cannot be reached are marked by policy and subgoal -1.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, Int

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.errors import check_states, is_known
from first_occupancy.core.memory import check_fits
from first_occupancy.planning._dense.folding import BestLegs, best_legs, folded
from first_occupancy.planning._dense.frp_sweeps import chain_to_goal, sweeps_allowed
from first_occupancy.planning.legs import check_goal
from first_occupancy.planning.plans import Plan
from first_occupancy.representations.occupancies import Occupancies

__all__ = ["BestLegs", "best_legs", "plan_to_every_goal", "plan_to_goal", "plan_to_goals"]


@check_arguments
def plan_to_goal(
    frs: Float[Array, "N S S"] | BestLegs | Occupancies,
    goal: Index,
    *,
    max_switches: NonNegativeInt | None = None,
) -> Plan:
    """Return the best plan from every state to `goal` with the base policies' FRs (Alg. 1).

    Sweeps are synchronous, as printed: each uses the discounts of the previous one. Ties go to the
    fewest switches, then to the first subgoal, then to the first policy that leads there.

    Args:
        frs: FRs of the base policies, or the result of `best_legs`, which saves time with many
            goals. From `Occupancies` the plan takes the names of states and policies.
        goal: state to reach.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            allows all that gain more than `limits.indifference`. The bound applies to
            `log_promised`. Executing the plan looks every next leg up in the same table (Alg. 2)
            and may switch more often; with exact FRs it then arrives earlier than promised, never
            later.
    """
    table = folded("plan_to_goal", frs)
    check_goal("plan_to_goal", goal, table.num_states, several="plan_to_goals")
    # int32, since a plan marks missing subgoals by -1, which an unsigned goal could not hold.
    number = jnp.asarray(goal, jnp.int32)
    chained = chain_to_goal(table, number, sweeps_allowed(max_switches, table))
    return _named_after(frs, Plan(number, *chained))


@check_arguments
def plan_to_goals(
    frs: Float[Array, "N S S"] | BestLegs | Occupancies,
    goals: Sequence[int] | Int[ArrayLike, " G"],
    *,
    max_switches: NonNegativeInt | None = None,
) -> Plan:
    """Return the plans of `plan_to_goal` to several goals, with a leading axis for the goal.

    `plans.to(goal)` returns the plan to one of them. `plan_to_every_goal` is faster from about a
    thousand goals on. For deterministic worlds too large for FRs use `plan_paths_to_goals`.

    Args:
        frs: as for `plan_to_goal`.
        goals: states to reach, at least one.
        max_switches: as for `plan_to_goal`.
    """
    table = folded("plan_to_goals", frs)
    check_states("plan_to_goals", "goals", goals, table.num_states, least=1)
    plans = _plan_each(table, jnp.asarray(goals, jnp.int32), sweeps_allowed(max_switches, table))
    return _named_after(frs, plans)


@check_arguments
def plan_to_every_goal(
    frs: Float[Array, "N S S"] | BestLegs | Occupancies,
    *,
    max_switches: NonNegativeInt | None = None,
) -> Plan:
    """Return the plans to all states, with a leading axis for the goal.

    `plans.to(goal)` is then the plan of `plan_to_goal`, and `plans.on_host().to(goal)` the same as
    NumPy arrays, in a fraction of the time. The plans keep 12 bytes for each pair of states in
    float32, 16 in float64. `fo.save` stores them; `plan_files.load_plans` looks goals up on disk.

    Args:
        frs: as for `plan_to_goal`.
        max_switches: as for `plan_to_goal`.
    """
    table = folded("plan_to_every_goal", frs)
    if is_known(table):
        check_fits(
            "plan_to_every_goal", _every_goal_bytes(table), instead="plan_to_goal on best_legs(frs)"
        )
    goals = jnp.arange(table.num_states, dtype=jnp.int32)
    return _named_after(frs, _plan_each(table, goals, sweeps_allowed(max_switches, table)))


def _named_after(frs: Float[Array, "N S S"] | BestLegs | Occupancies, plan: Plan) -> Plan:
    if not isinstance(frs, Occupancies):
        return plan
    return plan.named(states=frs.state_names, policies=frs.policy_names)


@jax.jit
def _plan_each(table: BestLegs, goals: Int[Array, " G"], limit: Index) -> Plan:
    # One goal at a time: all at once would hold a G x S x S array.
    return jax.lax.map(lambda goal: Plan(goal, *chain_to_goal(table, goal, limit)), goals)


def _every_goal_bytes(table: BestLegs) -> int:
    """Return the peak memory of plans to every goal, measured: their arrays, twice."""
    return table.num_states**2 * (2 * table.legs.dtype.itemsize + 20)
