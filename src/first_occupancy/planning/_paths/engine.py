"""The engine of deterministic policies: shortest paths, or cheapest where moves take time."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._drafts import EXACT, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.cheapest_paths import (
    TimedCuts,
    TimedEdges,
    cut_cheapest_paths,
    timed_edges,
)
from first_occupancy.planning._paths.few_switches import cut_with_switches
from first_occupancy.planning._paths.leg_graphs import LegGraph, leg_graph
from first_occupancy.planning._paths.path_graphs import PathGraph, path_graph
from first_occupancy.planning._paths.shortest_paths import cut_shortest_paths
from first_occupancy.planning._paths.timed_switches import cut_with_timed_switches
from first_occupancy.planning.limits import NOTHING


class PathEngine:
    """Deterministic policies, prepared once for planning to many goals.

    Args:
        once: whether there is one plan to be made only, for which listing all legs does not pay.
    """

    name = "paths"

    def __init__(
        self, dynamics: Dynamics, steps: Int[np.ndarray, "N S"], *, once: bool = False
    ) -> None:
        self._dynamics, self.steps, self._once = dynamics, steps, once
        self.times, self.discount = dynamics.step_times(), dynamics.discount

    @cached_property
    def _graph(self) -> PathGraph:
        return path_graph("plan", self.steps)

    @cached_property
    def _times_by_state(self) -> tuple[Int[np.ndarray, "S N"], Float[np.ndarray, "S N"]]:
        by_state = np.ascontiguousarray(self.steps.T)
        ones = np.ones(by_state.shape)
        return by_state, ones if self.times is None else np.ascontiguousarray(self.times.T)

    @cached_property
    def _edges(self) -> TimedEdges:
        return timed_edges(*self._times_by_state)

    @cached_property
    def _legs(self) -> LegGraph | None:
        return None if self._once else leg_graph(self._graph.by_state)

    def plan(self, request: Request) -> Draft:
        """Return the plan that is asked for; if it may switch at will, no plan is better."""
        goals, max_switches = request.goals, request.max_switches
        if self.times is None and len(goals) == 1:
            cuts = self._unit(int(goals[0]), max_switches)
        elif max_switches is None:
            cuts = cut_cheapest_paths(self._edges, goals)
        else:
            cuts = cut_with_timed_switches(*self._times_by_state, goals, max_switches)
        converged = max_switches is None
        time = cuts.time if converged else self._followed(cuts.policy, goals)
        log = log_discounts(cuts.time, self.discount)
        # Without any discount left, only a goal itself is worth a plan.
        lost = np.isinf(log)
        draft = Draft(
            policy=np.where(lost, NOTHING, cuts.policy),
            subgoal=np.where(lost, NOTHING, cuts.subgoal),
            log_promised=log,
            achieved=np.exp(log if converged else log_discounts(time, self.discount)),
            time=np.where(lost, np.inf, time),
            gap=0.0 if converged else None,
            known=EXACT,
        )
        if converged or request.rounds == 0:
            return draft
        return self._dynamics.refined(draft, request)

    def _unit(self, goal: int, max_switches: int | None) -> TimedCuts:
        edges = self._graph.by_state, self._graph.backwards, goal
        if max_switches is not None:
            policy, subgoal, steps = cut_with_switches(*edges, max_switches)
        elif self._legs is not None:
            policy, subgoal, steps = self._legs.cut(self._graph.backwards, goal)
        else:
            policy, subgoal, steps = cut_shortest_paths(*edges)
        return TimedCuts(policy, subgoal, np.where(steps < 0, np.inf, steps))

    def _followed(
        self, policy: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> Float[np.ndarray, " S"]:
        """Return the time of following a plan, re-choosing in every state.

        With a limit on switches, looking the plan up again in each state may switch more often,
        and then arrives sooner than promised.
        """
        states = np.arange(len(policy))
        chosen = np.maximum(policy, 0)
        ahead = np.where(policy >= 0, self.steps[chosen, states], states)
        ones = np.ones(len(policy))
        time = ones if self.times is None else self.times[chosen, states].astype(np.float64)
        time = np.where(policy >= 0, time, np.inf)
        ahead[goals], time[goals] = goals, 0
        for _ in range(len(policy).bit_length()):
            time, ahead = time + time[ahead], ahead[ahead]
        return np.where(np.isin(ahead, goals), time, np.inf)


def log_discounts(time: Float[np.ndarray, " S"], discount: float) -> Float[np.ndarray, " S"]:
    """Return the log of the discount of a time; of no time 0, of infinite time -inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log = time * np.log(discount)
    return np.where(time == 0, 0.0, np.where(np.isinf(time), -np.inf, log))
