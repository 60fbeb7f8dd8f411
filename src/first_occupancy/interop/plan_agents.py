"""An agent that follows a plan, and replans when the world does something unexpected.

    agent = ReplanningAgent(skills, goal)
    episode = run_episode(environment, agent, seed=0)
    episode.reached, episode.replans

A plan covers every state, so an outcome that was merely unlikely needs no new plan. An impossible
outcome shows that the model is wrong: a door is shut, a wall is gone. The agent then corrects its
model and the FRs (a change of one row of each chain, `representations.updates`, instead of a new
solve), and replans.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from first_occupancy.core.errors import InputError, check_index
from first_occupancy.interop.gym.experience import action_number
from first_occupancy.interop.skills import Skills, corrected
from first_occupancy.planning.agents import Agent
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.limits import NOTHING
from first_occupancy.representations import first_occupancy, successor, updates

SOLVE_EVERY = 20
"""Number of surprises after which the SRs are solved anew: many row changes cost more than that."""


class ReplanningAgent(Agent):
    """An agent that uses skills to reach a goal, and corrects its model of them on the way.

    Args:
        skills: base policies and their chains, as `skills_of` or `learn_skills` return them.
        surprise: an outcome is a surprise if its probability was at most this; with 0, only
            impossible outcomes change the plan.
        trust: weight of a surprising outcome in the corrected transition probabilities, above 0
            and at most 1. 1 is right where changes are permanent; use little where states are
            cells of a continuous space, in which no two visits are alike.

    Raises:
        InputError: if `goal`, `surprise` or `trust` is out of range.
    """

    def __init__(
        self,
        skills: Skills,
        goal: int,
        *,
        surprise: float = 0.0,
        trust: float = 1.0,
        seed: int = 0,
    ) -> None:
        check_index("ReplanningAgent", "goal", goal, skills.chains.shape[-1])
        if not 0 <= surprise < 1:
            raise InputError(
                f"ReplanningAgent: surprise must be at least 0 and below 1, got {surprise}"
            )
        if not 0 < trust <= 1:
            raise InputError(f"ReplanningAgent: trust must be above 0 and at most 1, got {trust}")
        self.skills, self.goal, self.replans = skills, int(goal), 0
        self._surprise, self._trust = surprise, trust
        self._solved: list[Any] = []
        """The SRs of the last full solve."""
        self._visits: list[Any] = []
        """The current SRs."""
        self._rows: list[set[int]] = []
        """The rows of each chain that have changed since the last full solve."""
        super().__init__(skills.plan_to(self.goal), skills.interface(None, None), seed=seed)

    def learn(
        self, observation: Any, action: Any, next_observation: Any, *, terminated: bool = False
    ) -> bool:
        """Compare a step with the model, and replan if it was a surprise.

        Returns:
            Whether the step was a surprise, so that there is a new plan.
        """
        states = self.skills.states
        here = states(observation)
        there = (states.at_end if terminated else states)(next_observation)
        check_index("ReplanningAgent", "state", there, self.skills.chains.shape[-1])
        number = action_number(self.skills.action_space, action)
        policy = int(self.plan.policy[here])
        if self._chance(policy, here, number, there) > self._surprise:
            return False
        self._correct(policy, here, number, there)
        self.replans += 1
        return True

    def _chance(self, policy: int, here: int, action: int, there: int) -> float:
        if self.skills.mdp is not None:
            return float(self.skills.mdp.transition[here, action, there])
        # Where the plan has no policy to follow, no chain predicts the outcome of a random action.
        return 1.0 if policy == NOTHING else float(self.skills.chains[policy, here, there])

    def _correct(self, policy: int, here: int, action: int, there: int) -> None:
        self.skills, changed = corrected(
            self.skills,
            policy=policy,
            state=here,
            action=action,
            next_state=there,
            trust=self._trust,
        )
        if not self._solved or self.replans % SOLVE_EVERY == 0:
            self._solved = list(successor.solve(self.skills.chains, discount=self.skills.discount))
            self._visits, self._rows = list(self._solved), [set() for _ in self._solved]
        else:
            self._change(changed, here)
        frs = first_occupancy.from_visits(jnp.stack(self._visits))
        names = {"states": self.skills.state_names, "policies": self.skills.policy_names}
        self.follow(plan_to_goal(frs, self.goal).named(**names))

    def _change(self, policies: list[int], state: int) -> None:
        # Apply all changes since the last solve at once, so that rounding errors do not add up.
        for n in policies:
            self._rows[n].add(state)
            rows = _filled_up(self._rows[n], len(self.skills.chains[n]))
            self._visits[n] = updates.change_rows(
                self._solved[n], self.skills.chains[n], rows, discount=self.skills.discount
            )


def _filled_up(rows: set[int], size: int) -> Int[np.ndarray, " R"]:
    """Return the changed rows, filled up to a fixed number with unchanged ones.

    Updating an unchanged row has no effect, and a varying number of rows would recompile.
    """
    others = (state for state in range(size) if state not in rows)
    return np.array(sorted([*rows, *islice(others, min(SOLVE_EVERY, size) - len(rows))]))


@dataclass(frozen=True, eq=False)
class Episode:
    """A recorded episode of an agent.

    Attributes:
        states: the T states.
        actions: the T - 1 actions between them, as the environment takes them.
        rewards: the T - 1 rewards.
        reached: whether the last state is the agent's goal.
        terminated: whether the environment terminated the episode.
        truncated: whether the environment truncated the episode.
        replans: number of times the agent replanned.
    """

    states: Sequence[int]
    actions: Sequence[Any]
    rewards: Sequence[float]
    reached: bool
    terminated: bool
    truncated: bool
    replans: int


def run_episode(
    environment: Any,
    agent: ReplanningAgent,
    *,
    max_steps: int = 10_000,
    seed: int | None = None,
    options: dict[str, Any] | None = None,
) -> Episode:
    """Return the episode of an agent that acts until its goal or the end of the episode.

    Args:
        max_steps: upper bound on the number of steps.
        seed: seed of the environment; None does not reseed it.
        options: passed to `reset`.
    """
    observation, _ = environment.reset(seed=seed, options=options)
    states, actions, rewards = [agent.skills.states(observation)], [], []
    terminated = truncated = False
    replans = agent.replans
    while states[-1] != agent.goal and not (terminated or truncated) and len(actions) < max_steps:
        action, _ = agent.predict(observation)
        before = deepcopy(observation)  # some environments reuse the array they returned
        following, reward, terminated, truncated, _ = environment.step(action)
        agent.learn(before, action, following, terminated=terminated)
        numbering = agent.skills.states
        states.append((numbering.at_end if terminated else numbering)(following))
        actions.append(action)
        rewards.append(float(reward))
        observation = following
    return Episode(
        states=states,
        actions=actions,
        rewards=rewards,
        reached=states[-1] == agent.goal,
        terminated=bool(terminated),
        truncated=bool(truncated),
        replans=agent.replans - replans,
    )
