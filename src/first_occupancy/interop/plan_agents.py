"""An agent that follows a plan, and plans again when the world does not do what was expected.

    agent = ReplanningAgent(skills, goal)
    episode = run_episode(environment, agent, seed=0)
    episode.reached, episode.replans

A plan has an answer for every state, so an outcome that had to be expected now and then needs
no new one. One that could not happen says that the world is not as known: a door is shut, a
wall is gone. The agent then believes what it saw, corrects the FRs (one row of each chain,
`representations.updates`, not a new solve), and plans again.
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
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.plans import NOTHING, Plan
from first_occupancy.representations import first_occupancy, successor, updates

SOLVE_EVERY = 20
"""Surprises after which all is solved anew: changing many rows takes longer than solving."""


class ReplanningAgent:
    """Goes to a goal with skills, and corrects what it knows of them on the way.

    An outcome is a surprise if it was expected with at most `surprise` probability: 0, the
    least, lets nothing but the impossible change the plan. `trust` is how much of what was known
    gives way to what was seen. All of it is right where a change stays; take little where
    states are cells of something continuous, of which no two visits are alike.
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
        """The SRs when all was last solved, and as they are since; which rows differ by now."""
        self._visits: list[Any] = []
        self._rows: list[set[int]] = []
        self._policy = skills.policy_to(self.goal, seed=seed)

    @property
    def plan(self) -> Plan:
        """The plan as it stands."""
        return self._policy.plan

    def act(self, observation: Any) -> Any:
        """Return the action the plan takes here; at random where no plan leads on."""
        return self._policy.predict(observation)[0]

    def learn(
        self, observation: Any, action: Any, next_observation: Any, *, terminated: bool = False
    ) -> bool:
        """Take note of a step; return whether it was a surprise, so that the plan is a new one."""
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
        # Without a plan nobody's chain says what a random action should have done.
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
        plan = plan_to_goal(frs, self.goal).named(
            states=self.skills.state_names, policies=self.skills.policy_names
        )
        self._policy = self._policy.with_plan(plan)

    def _change(self, policies: list[int], state: int) -> None:
        # All changes since the last solve at once, so that errors do not add up.
        for n in policies:
            self._rows[n].add(state)
            rows = _filled_up(self._rows[n], len(self.skills.chains[n]))
            self._visits[n] = updates.change_rows(
                self._solved[n], self.skills.chains[n], rows, discount=self.skills.discount
            )


def _filled_up(rows: set[int], size: int) -> Int[np.ndarray, " R"]:
    """Return the rows and some that did not change, always as many.

    To change a row to what it is changes nothing, and each number of rows would compile anew.
    """
    others = (state for state in range(size) if state not in rows)
    return np.array(sorted([*rows, *islice(others, min(SOLVE_EVERY, size) - len(rows))]))


@dataclass(frozen=True, eq=False)
class Episode:
    """What an agent did: T states, the T - 1 actions and rewards between them, how it ended."""

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
    """Return what happens when the agent acts until its goal, the episode's end, or too long."""
    observation, _ = environment.reset(seed=seed, options=options)
    states, actions, rewards = [agent.skills.states(observation)], [], []
    terminated = truncated = False
    replans = agent.replans
    while states[-1] != agent.goal and not (terminated or truncated) and len(actions) < max_steps:
        action = agent.act(observation)
        before = deepcopy(observation)  # some environments write into what they have handed out
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
