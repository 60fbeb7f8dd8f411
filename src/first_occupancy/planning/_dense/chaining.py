"""FRP's sweeps to one goal as a compiled program: each allows one more switch (Alg. 1)."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from first_occupancy.core.axes import Index
from first_occupancy.planning._dense.folding import BestLegs
from first_occupancy.planning._dense.sweep_step import direct, sweep
from first_occupancy.planning.plans import Plan


@jax.jit
def chain_to_goal(table: BestLegs, goal: Int[Array, ""], limit: Index) -> Plan:
    """Return the best plan from every state to one goal."""

    def unfinished(carry: tuple[Plan, Array, Array]) -> Array:
        _, raised, switches = carry
        return raised.any() & (switches < limit)

    def allow_one_more(carry: tuple[Plan, Array, Array]) -> tuple[Plan, Array, Array]:
        plan, raised, switches = carry
        return *sweep(table, plan, raised), switches + 1

    plan = direct(table, goal)
    begin = (plan, plan.log_promised > -jnp.inf, jnp.array(0))
    return jax.lax.while_loop(unfinished, allow_one_more, begin)[0]


def sweeps_allowed(max_switches: int | None, table: BestLegs) -> int:
    """Return the number of sweeps allowed; S is enough, since plans visit no subgoal twice."""
    return table.num_states if max_switches is None else min(max_switches, table.num_states)
