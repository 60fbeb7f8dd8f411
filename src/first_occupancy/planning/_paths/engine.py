"""The engine of deterministic policies: shortest paths, or cheapest where moves take time."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._drafts import EXACT, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.path_graphs import PathGraph, path_graph
from first_occupancy.planning.limits import NOTHING


class PathEngine:
    """Deterministic policies, prepared once for planning to many goals."""

    name = "paths"

    def __init__(self, dynamics: Dynamics, steps: Int[np.ndarray, "N S"]) -> None:
        self._dynamics, self.steps = dynamics, steps
        self.times, self.discount = dynamics.step_times(), dynamics.discount

    @cached_property
    def _graph(self) -> PathGraph:
        return path_graph("plan", self.steps, self.times)

    def plan(self, request: Request) -> Draft:
        """Return the plan that is asked for; if it may switch at will, no plan is better."""
        goals, converged = request.goals, request.max_switches is None
        cuts = self._graph.cut(goals, request.max_switches)
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


def log_discounts(time: Float[np.ndarray, "*S"], discount: float) -> Float[np.ndarray, "*S"]:
    """Return the log of the discount of a time; of no time 0, of infinite time -inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log = time * np.log(discount)
    return np.where(time == 0, 0.0, np.where(np.isinf(time), -np.inf, log))
