"""Agents that follow a plan to an observation or a region: one, or many side by side.

An agent *stalls* if it hardly moves for a while although the plan has a way to the goal: the model
knows of no wall, or of one where there is none. It then stops trusting the action that it took, at
that landmark, and first goes another way for some steps, for longer the more often it stalls.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float

from first_occupancy.continuous._metrics import Numbers, Observations, Places
from first_occupancy.continuous.goal_plans import PATIENCE, LandmarkPlan, Scores
from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.planning.agents import Agent
from first_occupancy.planning.plans import NOTHING

STALLED = 0.25
"""An agent that moves by less than this share of typical steps has stalled."""

DETOURS = (8, 24)
"""Steps of the first detour and of the longest."""


class Followers:
    """Agents that follow one plan side by side, each with a memory of its own."""

    def __init__(
        self, plan: LandmarkPlan, size: int, *, patience: int | None = PATIENCE, seed: int = 0
    ) -> None:
        self.plan, self._patience = plan, None if plan.world.skills else patience
        self._rng = np.random.default_rng(seed)
        self.stalls = np.zeros(size, int)
        """How often each agent has stalled."""
        self._distrusted: set[tuple[int, int, int]] = set()
        self.reset()

    def reset(self) -> None:
        """Begin new episodes; what stalls have shown is kept."""
        size = len(self.stalls)
        self._trail = np.full((self._patience or 1, size, self.plan.world.points.shape[1]), np.inf)
        self._detour, self._left = np.zeros(size, int), np.zeros(size, int)
        self._last, self._time = np.full(size, NOTHING), np.zeros(size, int)

    def choose(self, observations: Observations, agents: Numbers) -> Numbers:
        """Return the numbers of the actions that some agents take at their observations."""
        places = self.plan.world.scaled(observations)
        scores = self.plan.scores(places)
        if self._patience is not None:
            regions = self.plan.world.regions(places)
            self._turn_away(places, regions, scores, agents)
            self._forbid(scores, regions, agents)
        chosen = scores.argmax(axis=1)
        away = self._left[agents] > 0
        self._left[agents] -= away
        self._last[agents] = np.where(away, self._detour[agents], chosen)
        return self._last[agents]

    def _turn_away(self, places: Places, regions: Numbers, scores: Scores, agents: Numbers) -> None:
        slot = self._time[agents] % len(self._trail)
        moved = np.linalg.norm(places - self._trail[slot, agents], axis=1)
        self._trail[slot, agents] = places
        self._time[agents] += 1
        # Where no way leads to the goal, standing still is no surprise.
        stalled = (moved < STALLED * len(self._trail)) & (scores.max(axis=1) != 0)
        stalled &= self._left[agents] == 0
        if not stalled.any():
            return
        stalled[stalled] = ~self.plan.arrived_at(
            self.plan.world.model.metric.observations(places[stalled])
        )
        for row in np.flatnonzero(stalled):
            agent = int(agents[row])
            self._distrusted.add((agent, int(regions[row]), int(self._last[agent])))
            longest = min(DETOURS[0] * 2 ** int(self.stalls[agent]), DETOURS[1])
            self._detour[agent] = self._rng.integers(scores.shape[1])
            self._left[agent] = self._rng.integers(1, longest + 1)
            self.stalls[agent] += 1
            self._trail[:, agent] = np.inf

    def _forbid(self, scores: Scores, regions: Numbers, agents: Numbers) -> None:
        if not self._distrusted:
            return
        rows = {int(agent): row for row, agent in enumerate(agents)}
        for agent, region, action in self._distrusted:
            row = rows.get(agent)
            if row is not None and regions[row] == region:
                scores[row, action] = -np.inf


class GoalAgent(Agent):
    """An agent that follows a plan, and turns away from where it gets stuck.

    Args:
        plan: plan to follow, to an observation or a region.
        patience: number of steps over which the agent must move; None never turns away. With
            skills it never does: standing still may be part of a skill.
    """

    @check_arguments
    def __init__(self, plan: LandmarkPlan, *, patience: PositiveInt | None = PATIENCE) -> None:
        if not isinstance(plan, LandmarkPlan):
            raise InputError(
                f"GoalAgent: plan must be made in a landmark world, got {as_given(plan)}"
            )
        self._patience = patience
        self.follow(plan)

    def follow(self, plan: Any) -> None:
        """Follow another plan from now on."""
        self.plan, self._followers = plan, Followers(plan, 1, patience=self._patience)

    @property
    def stalls(self) -> int:
        """How often the agent has turned away from where it got stuck."""
        return int(self._followers.stalls[0])

    def predict(
        self,
        observation: Any = None,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Return the action for an observation, and `state`, as Stable-Baselines3 models do.

        Args:
            observation: current observation.
            state: passed through.
            episode_start: ignored; call `reset` when an episode begins.
            deterministic: ignored: detours aside, the agent always is.
        """
        del episode_start, deterministic
        array = self._seen(observation)
        number = self._followers.choose(array[None], np.zeros(1, int))[0]
        return self.plan.command(int(number), array), state

    @partial(check_arguments, caller="predict")
    def _seen(self, observation: Float[ArrayLike, " O"] | Sequence[Any]) -> np.ndarray:
        return np.asarray(observation, np.float64)

    def copy(self) -> "GoalAgent":
        """Return an agent with the same plan and memory, to go on from here in another way."""
        other = GoalAgent(self.plan, patience=self._patience)
        other._followers = deepcopy(self._followers, {id(self.plan): self.plan})
        return other

    def reset(self) -> None:
        """Begin a new episode; what was learned from stalls is kept."""
        self._followers.reset()
