"""Teams that act in many episodes at once: one agent for each episode, or one network for all.

A team's `known` are the episodes whose goal is not refused; the others count as not reached. Its
`act` takes the observations and numbers of the episodes that still run, and returns actions. Its
`replans` counts how often agents have stalled, in all episodes together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError

Policy = Callable[[Float[np.ndarray, "B O"], Float[np.ndarray, "B O"]], Float[np.ndarray, "B A"]]
"""From observations and goals to actions."""


class Agents:
    """Agents that go to one goal each.

    Args:
        agent_of: function from a goal and the number of its episode to an agent, which has
            `predict` and `stalls`, or to an `InputError` if no data lead there.
        goals: goal of each episode.
    """

    def __init__(
        self, agent_of: Callable[[np.ndarray, int], Any], goals: Float[np.ndarray, "E O"]
    ) -> None:
        self.known: list[int] = []
        self._agents = []
        for number, goal in enumerate(goals):
            try:
                self._agents.append(agent_of(goal, number))
            except InputError:
                continue
            self.known.append(number)

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

    replans = 0

    def __init__(self, policy: Policy, goals: Float[np.ndarray, "E O"]) -> None:
        self.known = list(range(len(goals)))
        self._policy, self._goals = policy, goals

    def act(
        self, seen: Float[np.ndarray, "B O"], running: Int[np.ndarray, " B"]
    ) -> Float[np.ndarray, "B A"]:
        """Return the action of each episode that still runs."""
        # Episodes that have ended are asked too, so that every batch has one shape.
        everywhere = self._goals.copy()
        everywhere[running] = seen
        return self._policy(everywhere, self._goals)[running]
