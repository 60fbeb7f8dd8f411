r"""FR-planning for deterministic policies, without any S x S array: worlds of millions of states.

Where each policy n leads from s to one state, `next_states[n, s]`, its FR is $\gamma^k$ with
k the number of steps, and FRP (Alg. 1) becomes a question about paths:

- Converged, the plan is a shortest path over the edges s -> next_states[n, s] of all
  policies (Prop. 4.1), found by a breadth-first search from the goal and cut into as few
  legs as it can be (`_paths/shortest_paths.py`).
- With at most K switches, a sweep asks those only who are behind what the last one made nearer
  (`_paths/few_switches.py`).

The plans are those of `frp.plan_to_goal` on the exact FRs, ties included: the fewest steps,
then the fewest switches, then the first subgoal, then the first policy that leads there. No
FR can underflow, so no leg is too long; and rounding does not choose among equally good legs,
as it may among logs of FRs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_discount, check_shape
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.planning._goals import check_goal, check_goals
from first_occupancy.planning._paths.few_switches import cut_with_switches
from first_occupancy.planning._paths.shortest_paths import cut_shortest_paths
from first_occupancy.planning.plans import NOTHING, Plan, check_switches
from first_occupancy.representations.deterministic import checked


@dataclass(frozen=True, eq=False)
class PathGraph:
    """Deterministic policies, prepared so that planning to many goals starts at once.

    It lives on the host and is no argument for `jit`. `by_state[s, n]` is `next_states[n, s]`, so
    that what is read together lies together. `backwards` has one edge t -> s for every s that some
    policy leads to another state t.
    """

    by_state: Int[np.ndarray, "S N"]
    backwards: csr_array

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.by_state.shape[0]


def prepare(next_states: Int[np.ndarray, "N S"]) -> PathGraph:
    """Return the graph of the policies' edges; `plan_paths` takes it in place of the array."""
    return _prepared("prepare", next_states)


def _prepared(caller: str, next_states: Int[np.ndarray, "N S"]) -> PathGraph:
    check_shape(caller, "next_states", next_states, "N S")
    count, size = np.shape(next_states)
    if count * size >= 2**31:
        raise InputError(
            f"{caller}: next_states must have fewer than 2**31 entries, got {count} x {size}"
        )
    needed = _EDGE_BYTES * count * size
    check_fits_on_host(caller, needed, instead="fewer policies or a part of the world")
    rows = np.ascontiguousarray(_checked_rows(caller, next_states).T, dtype=np.int32)
    moves = rows != np.arange(size, dtype=np.int32)[:, None]
    starts = np.append(0, np.cumsum(moves.sum(axis=1))).astype(np.int32)
    # The smallest numbers that will do while the edges are turned round.
    forwards = csr_array((np.ones(starts[-1], np.int8), rows[moves], starts), shape=(size, size))
    turned = forwards.tocsc()
    # One edge where several policies lead the same way: else messages along them would multiply.
    turned.sum_duplicates()
    # SciPy searches graphs of float64 only, and would convert this one at every call.
    weights = np.ones(len(turned.indices))
    return PathGraph(rows, csr_array((weights, turned.indices, turned.indptr), shape=(size, size)))


def _checked_rows(caller: str, next_states: Int[np.ndarray, "N S"]) -> Int[np.ndarray, "N S"]:
    try:
        return checked(caller, next_states)
    except InputError as error:
        count, size = np.shape(next_states)
        # More policies than states are most likely states taken for policies.
        turned = f"; it is [N S], a row for each policy, got [{count} {size}]"
        raise InputError(f"{error}{turned if count > size else ''}") from None


_EDGE_BYTES = 24
"""At the worst moment of `prepare`: both directions, what stays of them, and the weights."""

_STATE_BYTES = 128
"""At the worst moment of planning, beside the graph."""


def plan_paths(
    next_states: Int[np.ndarray, "N S"] | PathGraph,
    goal: Index,
    *,
    discount: float,
    max_switches: int | None = None,
) -> Plan:
    """Return the best plan from every state to `goal` with deterministic policies (Alg. 1).

    `max_switches` is as in `frp.plan_to_goal`: 0 is generalised policy improvement, None goes
    on until no further switch helps. For many goals in one world, pass `prepare(next_states)`, or
    have the plans together by `plan_paths_to_goals`.

    >>> plan = plan_paths(np.array([[1, 2, 2], [0, 0, 1]]), 2, discount=0.5)
    >>> plan.discount.tolist(), plan.policy.tolist(), plan.subgoal.tolist()
    ([0.25, 0.5, 1.0], [0, 0, -1], [2, 2, 2])
    """
    size, plan = _planner("plan_paths", next_states, discount, max_switches)
    check_goal("plan_paths", goal, size, several="plan_paths_to_goals")
    # Put there, not made there: `jnp.asarray` compiles a program for each new number of states.
    return Plan(*jax.device_put(plan(int(np.asarray(goal)))))


def plan_paths_to_goals(
    next_states: Int[np.ndarray, "N S"] | PathGraph,
    goals: Sequence[int] | Int[ArrayLike, " G"],
    *,
    discount: float,
    max_switches: int | None = None,
) -> Plan:
    """Return the plans of `plan_paths` to each of some goals, with a leading axis for the goal.

    For worlds with too many states for plans to all of them: these take 12 bytes for each goal
    and state in float32, 16 in float64. `plans.to(goal)` looks a goal up among them,
    `plans.on_host()` and `plan_files.load_plans` do so faster and on disk.

    >>> plans = plan_paths_to_goals(np.array([[1, 2, 2], [0, 0, 1]]), [2, 0], discount=0.5)
    >>> plans.goal.tolist(), plans.to(0).discount.tolist()
    ([2, 0], [1.0, 0.5, 0.25])
    """
    caller = "plan_paths_to_goals"
    size, plan = _planner(caller, next_states, discount, max_switches)
    check_goals(caller, goals, size)
    goals = np.asarray(goals, np.int32)
    needed = _PLAN_BYTES * len(goals) * size
    check_fits_on_host(caller, needed, instead="fewer goals at a time")
    shape, precision = (len(goals), size), jnp.result_type(float)
    arrays = [np.empty(shape, dtype) for dtype in (np.int32, np.int32, precision)]
    for row, goal in enumerate(goals):
        for array, part in zip(arrays, plan(int(goal))[1:], strict=True):
            array[row] = part
    return Plan(*jax.device_put((goals, *arrays)))


_PLAN_BYTES = 32
"""For each goal and state: the plans, and JAX's copies of them."""

_Arrays = tuple[np.int32, np.ndarray, np.ndarray, np.ndarray]
"""A plan's goal, policy, subgoal and log discount, still on the host."""


def _planner(
    caller: str,
    next_states: Int[np.ndarray, "N S"] | PathGraph,
    discount: float,
    max_switches: int | None,
) -> tuple[int, Callable[[int], _Arrays]]:
    """Return the number of states and what plans to one of them, everything checked."""
    check_discount(caller, discount)
    check_switches(caller, max_switches)
    prepared = isinstance(next_states, PathGraph)
    graph = next_states if prepared else _prepared(caller, next_states)
    needed = _STATE_BYTES * graph.num_states
    check_fits_on_host(caller, needed, instead="a part of the world")

    def plan(goal: int) -> _Arrays:
        edges = graph.by_state, graph.backwards, goal
        if max_switches is None:
            return _plan(goal, *cut_shortest_paths(*edges), discount)
        return _plan(goal, *cut_with_switches(*edges, max_switches), discount)

    return graph.num_states, plan


def _plan(
    goal: int,
    policy: Int[np.ndarray, " S"],
    subgoal: Int[np.ndarray, " S"],
    steps: Int[np.ndarray, " S"],
    discount: float,
) -> _Arrays:
    if discount == 0:
        # What comes later is worth nothing, and no policy leads to it.
        later = steps > 0
        policy[later] = subgoal[later] = steps[later] = NOTHING
    with np.errstate(divide="ignore"):
        later = np.arange(1, steps.max() + 1) * np.log(discount)
    # Steps of -1 look up the last entry.
    logs = np.concatenate(([0.0], later, [-np.inf])).astype(jnp.result_type(float))
    return np.int32(goal), policy, subgoal, logs.take(steps)
