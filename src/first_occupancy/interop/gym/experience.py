"""Experience of policies that act in an environment: transitions between numbered states.

    seen = collect(environment, policies, states, num_steps=10_000, seed=0)

`exploration.explore` instead goes where little is known. An environment is a Gymnasium environment,
or any object with the same `reset` and `step`. `learned_worlds` estimates worlds and FRs from
experience.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.interop.base_policies import check_policies, decider
from first_occupancy.interop.data.logs import Log, transition_log
from first_occupancy.interop.extras import check_environment, gymnasium, require
from first_occupancy.interop.states import States
from first_occupancy.planning.agents import first_action, own_chance

CONTINUOUS = -1
"""Recorded as the action where actions are not discrete."""

COLUMNS = {"states": int, "actions": int, "next_states": int, "rewards": float}
COLUMNS |= {"ended": bool, "policies": int, "episodes": int}
"""What is recorded of each transition."""


@dataclass(frozen=True, eq=False)
class Experience:
    """L transitions in the order in which they happened; none crosses the end of an episode.

    Attributes:
        states: state before each transition.
        actions: action of each transition, counted from 0; -1 where actions are not discrete.
        next_states: state after each transition.
        rewards: reward of each transition.
        ended: whether each transition terminated its episode.
        policies: policy that acted in each transition.
        episodes: episode of each transition, counted from 0.
        starts: first state of each episode.
        num_states: number of states, S.
        num_actions: number of actions; 0 where actions are not discrete.
    """

    states: Int[np.ndarray, " L"]
    actions: Int[np.ndarray, " L"]
    next_states: Int[np.ndarray, " L"]
    rewards: Float[np.ndarray, " L"]
    ended: Bool[np.ndarray, " L"]
    policies: Int[np.ndarray, " L"]
    episodes: Int[np.ndarray, " L"]
    starts: Int[np.ndarray, " E"]
    num_states: int
    num_actions: int

    def __len__(self) -> int:
        """Return L, the number of transitions."""
        return len(self.states)

    @property
    def alive(self) -> Bool[np.ndarray, " S"]:
        """The states in which the agent could act.

        These are the starts, the states that were left, and those reached by a transition that
        did not terminate. Another episode may have terminated there as well.
        """
        alive = np.zeros(self.num_states, bool)
        alive[self.starts] = alive[self.states] = True
        alive[self.next_states[~self.ended]] = True
        return alive

    def log(self, *, num_policies: int | None = None) -> Log:
        """Return the transitions as a log, for counts, chains and intervals (`data.logs`)."""
        return transition_log(
            self.states,
            self.next_states,
            self.policies,
            episodes=self.episodes,
            terminations=self.ended,
            num_states=self.num_states,
            num_policies=num_policies,
        )


class Recorder:
    """Acts in an environment and records the transitions."""

    def __init__(self, environment: Any, states: States, seed: int) -> None:
        require("experience", gymnasium, "Gymnasium", "interop")
        self.environment, self.states = environment, states
        self.rng = own_chance(seed)
        self.observation: Any = None
        self.state = -1
        self.over = True
        self._seed: int | None = seed
        self._rows: list[tuple[int, int, int, float, bool, int, int]] = []
        self._starts: list[int] = []

    def reset(self) -> None:
        """Begin an episode. Only the first is seeded, so that episodes differ."""
        self.observation, _ = self.environment.reset(seed=self._seed)
        self._seed, self.over = None, False
        self.state = self.states.add(self.observation)
        self._starts.append(self.state)

    def step(self, action: Any, policy: int) -> tuple[int, bool]:
        """Return the next state of an action and whether it terminated; record the transition."""
        observation, reward, terminated, truncated, _ = self.environment.step(action)
        following = self.states.add(observation)
        if terminated:
            following = self.states.at_end(observation)
        number = action_number(self.environment.action_space, action)
        ended, episode = bool(terminated), len(self._starts) - 1
        self._rows.append((self.state, number, following, float(reward), ended, policy, episode))
        self.observation, self.state = observation, following
        self.over = bool(terminated or truncated)
        return following, ended

    def experience(self) -> Experience:
        """Return the transitions recorded so far."""
        columns = zip(*self._rows, strict=True) if self._rows else [()] * 7
        arrays: dict[str, Any] = {
            name: np.array(column, kind)
            for (name, kind), column in zip(COLUMNS.items(), columns, strict=True)
        }
        space = self.environment.action_space
        count = int(space.n) if isinstance(space, gymnasium.spaces.Discrete) else 0
        starts, size = np.array(self._starts, int), self.states.num_states
        return Experience(**arrays, starts=starts, num_states=size, num_actions=count)


def action_number(space: Any, action: Any) -> int:
    """Return the number of an action, counted from 0, or -1 if the space is not Discrete."""
    discrete = isinstance(space, gymnasium.spaces.Discrete)
    return int(action) - first_action(space) if discrete else CONTINUOUS


@check_arguments
def collect(
    environment: Any, policies: Sequence[Any], states: States, *, num_steps: PositiveInt, seed: int
) -> Experience:
    """Return the experience of policies that take turns, each for one episode."""
    check_environment("collect", environment)
    check_policies("collect", policies)
    recorder = Recorder(environment, states, seed)
    space = environment.action_space
    deciders = [decider("collect", policy, n, space) for n, policy in enumerate(policies)]
    turn = -1
    for _ in range(num_steps):
        if recorder.over:
            recorder.reset()
            turn = (turn + 1) % len(deciders)
        action = deciders[turn](recorder.observation, recorder.state, recorder.rng)
        recorder.step(action, turn)
    return recorder.experience()
