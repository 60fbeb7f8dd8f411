"""Those who act in many episodes at once: agents with plans over landmarks, or one network."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.continuous.followers import GoalAgent
from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments.offline_goals.variants import Variant, plan_of

Policy = Callable[[Float[np.ndarray, "B O"], Float[np.ndarray, "B O"]], Float[np.ndarray, "B A"]]
"""From observations and goals to actions."""


class Team(Protocol):
    """One actor for each of many episodes.

    Attributes:
        known: episodes whose goal is not refused; the others count as not reached.
    """

    known: list[int]

    @property
    def replans(self) -> int:
        """How often agents have stalled, in all episodes together."""
        ...

    def act(
        self, seen: Float[np.ndarray, "B O"], running: Int[np.ndarray, " B"]
    ) -> Float[np.ndarray, "B A"]:
        """Return the action of each episode that still runs."""
        ...


class Planners:
    """Agents that plan over landmarks, each to its goal."""

    def __init__(
        self, variant: Variant, world: LandmarkWorld, goals: Float[np.ndarray, "E O"]
    ) -> None:
        agents = [_agent(variant, world, each) for each in goals]
        # A goal to which no data lead is refused, and counts as not reached.
        self.known = [number for number, agent in enumerate(agents) if agent is not None]
        self._agents = [agent for agent in agents if agent is not None]

    @property
    def replans(self) -> int:
        """How often agents have stalled, and turned away."""
        return sum(agent.stalls for agent in self._agents)

    def act(
        self, seen: Float[np.ndarray, "B O"], running: Int[np.ndarray, " B"]
    ) -> Float[np.ndarray, "B A"]:
        """Return the action of each agent whose episode still runs."""
        pairs = zip(seen, running, strict=True)
        return np.stack([self._agents[number].predict(each)[0] for each, number in pairs])


class Networks:
    """One policy for all goals.

    Args:
        policy: function from observations and goals to actions.
        goals: goal of each episode.
    """

    def __init__(self, policy: Policy, goals: Float[np.ndarray, "E O"]) -> None:
        self.known = list(range(len(goals)))
        self._policy, self._goals = policy, goals

    @property
    def replans(self) -> int:
        """0: nothing is planned."""
        return 0

    def act(
        self, seen: Float[np.ndarray, "B O"], running: Int[np.ndarray, " B"]
    ) -> Float[np.ndarray, "B A"]:
        """Return the action of each episode that still runs."""
        # Episodes that have ended are asked too, so that every batch has one shape.
        everywhere = self._goals.copy()
        everywhere[running] = seen
        return self._policy(everywhere, self._goals)[running]


def _agent(variant: Variant, world: LandmarkWorld, goal: np.ndarray) -> GoalAgent | None:
    try:
        return GoalAgent(plan_of(variant, world, goal))
    except InputError:
        return None
