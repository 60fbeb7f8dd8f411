"""An agent that follows a plan, and replans when the world does something unexpected.

    agent = ReplanningAgent(skills, goal)
    action, _ = agent.predict(observation)
    following, _, terminated, truncated, _ = environment.step(action)
    agent.learn(observation, action, following, terminated=terminated)

A plan covers every state, so an outcome that was merely unlikely needs no new plan. An impossible
outcome shows that the model is wrong: a door is shut, a wall is gone. The agent then corrects its
model and plans again.
"""

from dataclasses import replace
from typing import Annotated, Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from first_occupancy.core.arguments import Limits, check_arguments
from first_occupancy.core.errors import check_index
from first_occupancy.interop.gym.experience import action_number
from first_occupancy.interop.skills import Skills
from first_occupancy.planning.agents import Agent
from first_occupancy.planning.limits import NOTHING


class ReplanningAgent(Agent):
    """An agent that uses skills to reach a goal, and corrects its model of them on the way.

    Args:
        skills: base policies and their chains, as `skills_of` or `learn_skills` return them.
        surprise: an outcome is a surprise if its probability was at most this; with 0, only
            impossible outcomes change the plan.
        trust: weight of a surprising outcome in the corrected transition probabilities, above 0
            and at most 1. 1 is right where changes are permanent; use little where states are
            cells of a continuous space, in which no two visits are alike.
    """

    @check_arguments
    def __init__(
        self,
        skills: Skills,
        goal: int,
        *,
        surprise: Annotated[float, Limits(least=0, below=1)] = 0.0,
        trust: Annotated[float, Limits(above=0, most=1)] = 1.0,
        seed: int = 0,
    ) -> None:
        check_index("ReplanningAgent", "goal", goal, skills.num_states)
        self.skills, self.goal, self.replans = skills, int(goal), 0
        self._surprise, self._trust = surprise, trust
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
        check_index("ReplanningAgent", "state", there, self.skills.num_states)
        number = action_number(self.skills.action_space, action)
        policy = int(self.plan.policy[here])
        if self._chance(policy, here, number, there) > self._surprise:
            return False
        self._correct(policy, here, number, there)
        self.follow(self.skills.plan_to(self.goal))
        self.replans += 1
        return True

    def _chance(self, policy: int, here: int, action: int, there: int) -> float:
        if self.skills.mdp is not None:
            return float(self.skills.mdp.transition[here, action, there])
        # Where the plan has no policy to follow, no chain predicts the outcome of a random action.
        return 1.0 if policy == NOTHING else float(self.skills.chains[policy, here, there])

    def _correct(self, policy: int, here: int, action: int, there: int) -> None:
        """Change the outcomes of the action, or without an MDP those of the policy that acted."""
        skills, arrived = self.skills, np.eye(self.skills.num_states)[there]
        mdp, chains = skills.mdp, skills.chains
        if mdp is None or skills.tables is None:
            row = (1 - self._trust) * chains[policy, here] + self._trust * arrived
            self.skills = replace(skills, chains=chains.at[policy, here].set(row))
            return
        row = (1 - self._trust) * mdp.transition[here, action] + self._trust * arrived
        transition = mdp.transition.at[here, action].set(row)
        mdp = eqx.tree_at(lambda world: world.transition, mdp, transition)
        rows = jnp.matmul(skills.tables[:, here], transition[here], precision="highest")
        self.skills = replace(skills, mdp=mdp, chains=chains.at[:, here].set(rows))
