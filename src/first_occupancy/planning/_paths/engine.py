"""The engine of deterministic policies: shortest paths, or cheapest where moves take time."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._found import Found
from first_occupancy.planning._paths.cheapest_paths import (
    TimedCuts,
    TimedEdges,
    cut_cheapest_paths,
    timed_edges,
)
from first_occupancy.planning._paths.few_switches import cut_with_switches
from first_occupancy.planning._paths.leg_graphs import LegGraph, leg_graph
from first_occupancy.planning._paths.shortest_paths import cut_shortest_paths
from first_occupancy.planning._paths.timed_switches import cut_with_timed_switches
from first_occupancy.planning.paths import PathGraph, prepare
from first_occupancy.planning.plans import NOTHING


class PathEngine:
    """Deterministic policies, prepared once for planning to many goals.

    Args:
        steps: next state of each policy from each state.
        times: how long each of these moves takes; None for one step each.
        discount: discount factor per unit of time, from 0 to 1.
    """

    def __init__(
        self, steps: Int[np.ndarray, "N S"], times: Float[np.ndarray, "N S"] | None, discount: float
    ) -> None:
        self.steps, self.times, self.discount = steps, times, discount
        self._served = 0

    @cached_property
    def _graph(self) -> PathGraph:
        return prepare(self.steps)

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
        return leg_graph(self._graph.by_state)

    def plan(self, goals: Int[np.ndarray, " G"], max_switches: int | None) -> Found:
        """Return the best plan to any of the goals.

        Args:
            goals: states to reach.
            max_switches: upper bound on policy switches; None plans until convergence.
        """
        if self.times is None and len(goals) == 1:
            cuts = self._unit(int(goals[0]), max_switches)
        elif max_switches is None:
            cuts = cut_cheapest_paths(self._edges, goals)
        else:
            cuts = cut_with_timed_switches(*self._times_by_state, goals, max_switches)
        converged = max_switches is None
        followed = cuts.time if converged else self._followed(cuts.policy, goals)
        log = self._log(cuts.time)
        # Without any discount left, only a goal itself is worth a plan.
        lost = np.isinf(log)
        return Found(
            policy=np.where(lost, NOTHING, cuts.policy),
            subgoal=np.where(lost, NOTHING, cuts.subgoal),
            log_discount=log,
            followed=np.exp(log if converged else self._log(followed)),
            cost=np.where(lost, np.inf, followed),
            gap=0.0 if converged else None,
        )

    def _unit(self, goal: int, max_switches: int | None) -> TimedCuts:
        edges = self._graph.by_state, self._graph.backwards, goal
        self._served += 1
        if max_switches is not None:
            policy, subgoal, steps = cut_with_switches(*edges, max_switches)
        # Listing the legs takes as long as a plan without them.
        elif self._served > 1 and self._legs is not None:
            policy, subgoal, steps = self._legs.cut(self._graph.backwards, goal)
        else:
            policy, subgoal, steps = cut_shortest_paths(*edges)
        return TimedCuts(policy, subgoal, np.where(steps < 0, np.inf, steps))

    def _log(self, time: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the log of the discount of a time; of no time 0, of infinite time -inf."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log = time * np.log(self.discount)
        return np.where(time == 0, 0.0, np.where(np.isinf(time), -np.inf, log))

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
