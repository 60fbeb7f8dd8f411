r"""FR-planning for deterministic policies, without any S x S array: worlds of millions of states.

Where each policy n leads from s to one state, `next_states[n, s]`, its FR is $\gamma^k$ with
k the number of steps, and FRP (Alg. 1) is a shortest-path problem (Prop. 4.1, `_paths/kernels.py`).
The plans are those of `frp.plan_to_goal` on the exact FRs, ties included (`limits`). No FR can
underflow, so legs may be of any length, and rounding does not decide between equally good legs.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike, Int

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.errors import check_share, check_states
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.planning._paths.engine import PathGraph, ShortestPaths, path_graph
from first_occupancy.planning.legs import check_goal
from first_occupancy.planning.plans import Plan


def prepare(next_states: Int[np.ndarray, "N S"]) -> PathGraph:
    """Return the graph of the policies' edges; `plan_paths` takes it in place of the array."""
    return path_graph("prepare", next_states)


_STATE_BYTES = 128
"""Peak memory of planning per state, beside the graph."""


@check_arguments
def plan_paths(
    next_states: Int[np.ndarray, "N S"] | PathGraph,
    goal: Index,
    *,
    discount: float,
    max_switches: NonNegativeInt | None = None,
) -> Plan:
    """Return the best plan from every state to `goal` with deterministic policies (Alg. 1).

    >>> plan = plan_paths(np.array([[1, 2, 2], [0, 0, 1]]), 2, discount=0.5)
    >>> plan.promised.tolist(), plan.policy.tolist(), plan.subgoal.tolist()
    ([0.25, 0.5, 1.0], [0, 0, -1], [2, 2, 2])

    Args:
        next_states: `next_states[n, s]` is the state to which policy n leads from s. For many goals
            in one world, pass `prepare(next_states)`, or use `plan_paths_to_goals`.
        goal: state to reach.
        discount: discount factor per step, from 0 to 1.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            allows all that shorten the path, which is compared exactly.
    """
    graph = _prepared("plan_paths", next_states, discount)
    check_goal("plan_paths", goal, graph.num_states, several="plan_paths_to_goals")
    goals = np.atleast_1d(np.asarray(goal))
    parts = _legs(ShortestPaths(graph.cut(goals, max_switches), discount))
    # Not `jnp.asarray`, which compiles a program for each new number of states.
    return Plan(*jax.device_put((np.int32(goals[0]), *parts)))


@check_arguments
def plan_paths_to_goals(
    next_states: Int[np.ndarray, "N S"] | PathGraph,
    goals: Sequence[int] | Int[ArrayLike, " G"],
    *,
    discount: float,
    max_switches: NonNegativeInt | None = None,
) -> Plan:
    """Return the plans of `plan_paths` to several goals, with a leading axis for the goal.

    Use it where plans to all states would take too much memory: plans take 12 bytes per goal and
    state in float32, 16 in float64. `plans.to(goal)` returns the plan to one goal;
    `plans.on_host()` makes such look-ups faster, `plan_files.load_plans` makes them from disk.

    >>> plans = plan_paths_to_goals(np.array([[1, 2, 2], [0, 0, 1]]), [2, 0], discount=0.5)
    >>> plans.goal.tolist(), plans.to(0).promised.tolist()
    ([2, 0], [1.0, 0.5, 0.25])

    Args:
        next_states: as for `plan_paths`.
        goals: states to reach, at least one.
        discount: as for `plan_paths`.
        max_switches: as for `plan_paths`.
    """
    caller = "plan_paths_to_goals"
    graph = _prepared(caller, next_states, discount)
    size = graph.num_states
    check_states(caller, "goals", goals, size, least=1)
    goals = np.asarray(goals, np.int32)
    needed = _PLAN_BYTES * len(goals) * size
    check_fits_on_host(caller, needed, instead="fewer goals at a time")
    shape, precision = (len(goals), size), jnp.result_type(float)
    arrays = [np.empty(shape, dtype) for dtype in (np.int32, np.int32, precision)]
    for row in range(len(goals)):
        found = ShortestPaths(graph.cut(goals[row : row + 1], max_switches), discount)
        for array, part in zip(arrays, _legs(found), strict=True):
            array[row] = part
    return Plan(*jax.device_put((goals, *arrays)))


_PLAN_BYTES = 32
"""Memory per goal and state: the plans, and JAX's copies of them."""


def _prepared(
    caller: str, next_states: Int[np.ndarray, "N S"] | PathGraph, discount: float
) -> PathGraph:
    check_share(caller, "discount", discount)
    prepared = isinstance(next_states, PathGraph)
    graph = next_states if prepared else path_graph(caller, next_states)
    needed = _STATE_BYTES * graph.num_states
    check_fits_on_host(caller, needed, instead="a part of the world")
    return graph


def _legs(paths: ShortestPaths) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return policy, subgoal and log discount, in JAX's precision."""
    return paths.policy, paths.subgoal, paths.log_promised.astype(jnp.result_type(float))
