"""The engine of deterministic policies: shortest paths, or cheapest where moves take time."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core import memory
from first_occupancy.core.action_worlds import policy_means
from first_occupancy.core.errors import InputError, check_shape
from first_occupancy.planning._drafts import EXACT, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning.limits import NOTHING
from first_occupancy.representations.deterministic import checked

_EDGE_BYTES = 24
"""Peak memory of `path_graph` and of planning, per edge."""


class Cuts(NamedTuple):
    """The first leg from each state, as in a `Draft`, and the time of the whole path."""

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    time: Float[np.ndarray, " S"]


@dataclass(frozen=True, eq=False)
class PathGraph:
    """Deterministic policies, prepared once for planning to many goals.

    It is kept in host memory and cannot be passed to a `jit`-compiled function.

    Attributes:
        by_state: `by_state[s, n]` is `next_states[n, s]`, laid out so that the entries of a state
            are adjacent in memory.
        durations: how long each of these moves takes, above 0; a single 1 if all take one step.
    """

    by_state: Int[np.ndarray, "S N"]
    durations: Float[np.ndarray, "S N"] | Float[np.ndarray, "1 1"]

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.by_state.shape[0]

    def cut(self, goals: Int[np.ndarray, " G"], max_switches: int | None = None) -> Cuts:
        """Return the shortest paths to the goals, cut into the fewest legs."""
        from first_occupancy.planning._paths import kernels  # imports Numba

        goals = goals.astype(np.int32)
        if max_switches is not None:
            most = min(int(max_switches), self.num_states)
            by_policy = np.ascontiguousarray(self.by_state.T)
            times = np.broadcast_to(self.durations, self.by_state.shape).T
            return Cuts(*kernels.cut_with_switches(by_policy, times, goals, most))
        given = self.by_state, self.durations
        if self.durations.size == 1:
            return Cuts(*kernels.shortest_paths(*self.backwards, *given, goals))
        time = self.times(goals)
        order = np.argsort(time, kind="stable")[: int(np.isfinite(time).sum())]
        policy, subgoal = kernels.cut_into_legs(*given, time, order.astype(np.int32), goals)
        if (subgoal[order] < 0).any():
            raise InputError("plan: durations must not differ by more than a factor of 10^15")
        return Cuts(policy, subgoal, time)

    def times(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
        """Return the times of the shortest paths to the goals."""
        from first_occupancy.planning._paths import kernels  # imports Numba

        if self.durations.size == 1:
            return kernels.breadth_first(*self.backwards, goals.astype(np.int32))[0]
        return dijkstra(self._timed_backwards, indices=goals, min_only=True)

    @cached_property
    def backwards(self) -> tuple[Int[np.ndarray, " B"], Int[np.ndarray, " E"]]:
        """Where the states that lead to each state begin in a list, and the list."""
        from first_occupancy.planning._paths import kernels  # imports Numba

        return kernels.reversed_edges(self.by_state)

    @cached_property
    def _timed_backwards(self) -> csr_array:
        moving = self.by_state != np.arange(self.num_states)[:, None]
        starts = np.append(0, moving.sum(axis=1).cumsum())
        edges = self.durations[moving], self.by_state[moving], starts
        size = (self.num_states, self.num_states)
        turned = csr_array(edges, shape=size).tocsc()
        return csr_array((turned.data, turned.indices, turned.indptr), shape=size)


def path_graph(
    caller: str, next_states: Int[np.ndarray, "N S"], times: Float[np.ndarray, "N S"] | None = None
) -> PathGraph:
    """Return the graph of the policies' edges.

    Args:
        next_states: `next_states[n, s]` is the state to which policy n leads from s.
        times: how long each of these moves takes; None if all take one step.
    """
    table = np.asarray(next_states)
    usual = table.dtype == np.int32 and table.ndim == 2 and 0 < table.size < 2**31
    if not usual or table.min() < 0 or table.max() >= table.shape[1]:
        table = _checked_rows(caller, table)
    needed = _EDGE_BYTES * table.size
    if needed > memory.ALWAYS_FITS:  # small plans have nothing to ask
        memory.check_fits_on_host(caller, needed, instead="fewer policies or a part of the world")
    rows = np.ascontiguousarray(table.T, dtype=np.int32)
    durations = np.ones((1, 1)) if times is None else np.ascontiguousarray(times.T, np.float64)
    return PathGraph(rows, durations)


def _checked_rows(caller: str, next_states: Int[np.ndarray, "N S"]) -> Int[np.ndarray, "N S"]:
    check_shape(caller, "next_states", next_states, "N S")
    count, size = np.shape(next_states)
    if count * size >= 2**31:
        raise InputError(
            f"{caller}: next_states must have fewer than 2**31 entries, got {count} x {size}"
        )
    try:
        return checked(caller, next_states)
    except InputError as error:
        # With more policies than states, the array is most likely transposed.
        turned = f"; it is [N S], a row for each policy, got [{count} {size}]"
        raise InputError(f"{error}{turned if count > size else ''}") from None


class ShortestPaths(Draft):
    """The plan that may switch at will; what is not needed to follow it is computed when read."""

    gap, known = 0.0, EXACT
    time: Float[np.ndarray, " S"]
    _discount: float

    def __init__(self, cuts: Cuts, discount: float) -> None:
        vars(self).update(_worth_following(cuts, discount)._asdict(), _discount=discount)

    @cached_property
    def log_promised(self) -> Float[np.ndarray, " S"]:  # pyrefly: ignore[bad-override]
        return log_discounts(self.time, self._discount)

    @cached_property
    def achieved(self) -> Float[np.ndarray, " S"]:  # pyrefly: ignore[bad-override]
        return np.exp(self.log_promised)


class PathEngine:
    """Deterministic policies, prepared once for planning to many goals."""

    name = "paths"

    def __init__(self, dynamics: Dynamics, steps: Int[np.ndarray, "N S"]) -> None:
        self._dynamics, self.steps, self._discount = dynamics, steps, dynamics.discount
        self._graph = path_graph("plan", steps, step_times(dynamics))

    def best(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
        """Return the largest expected discount to the goals, without a plan."""
        return np.exp(log_discounts(self._graph.times(goals), self._discount))

    def plan(self, request: Request) -> Draft:
        """Return the plan that is asked for; if it may switch at will, no plan is better."""
        goals, discount = request.goals, self._discount
        cuts = self._graph.cut(goals, request.max_switches)
        if request.max_switches is None:
            return ShortestPaths(cuts, discount)
        time = followed(self._dynamics, self.steps, cuts.policy, goals)
        promised, cuts = cuts.time, _worth_following(cuts._replace(time=time), discount)
        draft = Draft(
            policy=cuts.policy,
            subgoal=cuts.subgoal,
            log_promised=log_discounts(promised, discount),
            achieved=np.exp(log_discounts(time, discount)),
            time=cuts.time,
            known=EXACT,
        )
        return draft if request.rounds == 0 else self._dynamics.refined(draft, request)


def certain_steps(dynamics: Dynamics) -> Int[np.ndarray, "N S"] | None:
    """Return the next state of each policy from each state, or None if some are stochastic.

    Where actions that lead to one state take different times, a policy that draws actions is
    stochastic too: the expected discount of its moves is not that of their mean time.
    """
    steps = dynamics.world.steps(dynamics.policies)
    if steps is None or (dynamics.discount < 1 and _draws_durations(dynamics)):
        return None
    if len(dynamics.avoided):
        steps = np.array(steps)
        steps[:, dynamics.avoided] = dynamics.avoided[None]
    return steps


def _draws_durations(dynamics: Dynamics) -> bool:
    """Return whether some policy draws among actions that take different times."""
    policies, durations = dynamics.policies, dynamics.world.durations
    if durations is None or policies is None or np.asarray(policies).dtype.kind != "f":
        return False
    drawn = np.asarray(policies).reshape(-1, *durations.shape) > 0
    longest = np.where(drawn, durations, -np.inf).max(axis=2)
    return bool((longest > np.where(drawn, durations, np.inf).min(axis=2)).any())


def step_times(dynamics: Dynamics) -> Float[np.ndarray, "N S"] | None:
    """Return how long deterministic moves take; None if they all take one step."""
    durations = dynamics.world.durations
    return None if durations is None else policy_means(dynamics.policies, durations)


def log_discounts(time: Float[np.ndarray, "*S"], discount: float) -> Float[np.ndarray, "*S"]:
    """Return the log of the discount of a time; of no time 0, of infinite time -inf."""
    if 0 < discount < 1:
        return np.asarray(time * np.log(discount) + 0.0)  # not -0.0, and no scalar of one time
    with np.errstate(divide="ignore", invalid="ignore"):
        log = time * np.log(discount)
    return np.where(time == 0, 0.0, np.where(np.isinf(time), -np.inf, log))


def _worth_following(cuts: Cuts, discount: float) -> Cuts:
    """Return the plan without what no discount is left of: all but the goal itself."""
    if discount > 0:
        return cuts
    lost = cuts.time > 0
    return Cuts(
        *(
            np.where(lost, no, part)
            for no, part in zip((NOTHING, NOTHING, np.inf), cuts, strict=True)
        )
    )


def followed(
    dynamics: Dynamics,
    steps: Int[np.ndarray, "N S"],
    policy: Int[np.ndarray, " S"],
    goals: Int[np.ndarray, " G"],
) -> Float[np.ndarray, " S"]:
    """Return the time of following a plan, re-choosing in every state.

    With a limit on switches, looking the plan up again in each state may switch more often, and
    then arrives sooner than promised.
    """
    from first_occupancy.planning._paths.kernels import cut_with_switches

    states, times = np.arange(len(policy)), step_times(dynamics)
    moving = policy >= 0
    moving[goals] = False
    chosen = np.where(moving, policy, 0)
    # A single policy, which stays where the plan follows none.
    ahead = np.where(moving, steps[chosen, states], states).astype(np.int32)
    taken = np.ones(len(states)) if times is None else times[chosen, states]
    return cut_with_switches(ahead[None], taken[None], goals.astype(np.int32), 0)[2]
