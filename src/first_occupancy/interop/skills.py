"""Plans made of existing skills: from an environment to a policy for any goal.

    skills = skills_of(gymnasium.make("Taxi-v4"), discount=0.95)      # exact, from its table
    plan = skills.plan_to(skills.nearest(skills.ends, skills.states(observation)))
    action, _ = plan.agent().predict(observation)

Skills are base policies together with the Markov chains that they induce. `skills_of` computes the
chains from the environment's transition table, `learn_skills` estimates them by trying every
action, and `watch_skills` by letting each policy act. Planning to another goal takes no new
learning.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.errors import InputError, check_discount, check_index, shown
from first_occupancy.core.mdp import MDP, chain, constant_policies
from first_occupancy.core.names import checked_names
from first_occupancy.core.world import KnownByChains
from first_occupancy.interop.base_policies import check_policies, tabulate
from first_occupancy.interop.data.logs import count_transitions
from first_occupancy.interop.ends import policies_with_ends, separate_ends, with_ends
from first_occupancy.interop.extras import check_environment
from first_occupancy.interop.gym.experience import collect
from first_occupancy.interop.gym.exploration import explore, warn_of_untried
from first_occupancy.interop.gym.tables import read_table
from first_occupancy.interop.gym.toy_names import action_names
from first_occupancy.interop.interfaces import gym_interface
from first_occupancy.interop.learned_worlds import learned_world
from first_occupancy.interop.states import States
from first_occupancy.planning.agents import Interface, first_action
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import first_occupancy
from first_occupancy.representations.occupancies import Occupancies


@dataclass(frozen=True, eq=False)
class Skills(KnownByChains):
    """Base policies, and the Markov chains that they induce.

    Attributes:
        policies: arrays, functions or models (`interop.base_policies`).
        states: numbering of the observations.
        chains: transition matrix of the Markov chain of each policy.
        discount: discount factor per step, from 0 to 1 (exclusive).
        action_space: action space of the environment.
        mdp: MDP behind the chains; None if they come from watching the policies.
        tables: action probabilities of each policy in each state; None without `mdp`.
        ends: terminal states, known or seen. Where episodes can also continue from what is observed
            there, it is a separate state, numbered after those of the observations.
        state_names: names of the states, if any.
        policy_names: names of the policies, if any.
        tries: how often each action was tried in each state, if the world was explored.
    """

    policies: Sequence[Any]
    states: States
    chains: Float[Array, "N S S"]
    discount: float
    action_space: Any
    mdp: MDP | None = None
    tables: Float[Array, "N S A"] | None = None
    ends: Sequence[int] = ()
    state_names: Sequence[str] | None = None
    policy_names: Sequence[str] | None = None
    tries: Int[np.ndarray, "S A"] | None = None

    def __post_init__(self) -> None:
        """Raise unless there is one name for each policy, or none at all."""
        checked_names("Skills", "policy_names", self.policy_names, len(self.policies))

    @cached_property
    def planner(self) -> Planner:
        """The planner for these skills, prepared once for all goals."""
        return Planner(self, discount=self.discount)

    def plan_to(self, goal: int | str) -> Plan:
        """Return the best plan from every state to a goal, given by number or by name."""
        return self.planner.plan(goal)

    @cached_property
    def occupancies(self) -> Occupancies:
        """The FRs with their discount, policies and names, to save (`fo.save`) or plan with."""
        return Occupancies(
            first_occupancy.solve(self.chains, discount=self.discount),
            discount=self.discount,
            policies=self.tables,
            state_names=self.state_names,
            policy_names=self.policy_names,
        )

    def nearest(self, goals: Sequence[int], state: int) -> int:
        """Return the goal with the highest expected discount from a state.

        This is for goals that comprise several states, such as a cell that can be reached facing
        in any direction.
        """
        if not len(goals):
            raise InputError("nearest: needs at least one goal, got none")
        check_index("nearest", "state", state, self.chains.shape[-1])
        discounts = {int(goal): float(self.plan_to(goal).log_promised[state]) for goal in goals}
        best = max(discounts, key=discounts.__getitem__)
        if discounts[best] == -np.inf:
            raise InputError(
                f"nearest: one of the goals must be reachable from state "
                f"{shown(state, self.state_names)}, but none of {len(goals)} is"
            )
        return best

    def interface(self, environment: Any, policies: Any) -> Interface:
        """Return what agents of plans see and do; `policies` None stands for the skills' own."""
        del environment
        own = self.policies if policies is None else policies
        return gym_interface(self.states, own, self.action_space)


def skills_of(
    environment: Any,
    *,
    discount: float,
    policies: Sequence[Any] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Skills:
    """Return skills with exact chains, for an environment with a transition table.

    Args:
        environment: Gymnasium environment with a transition table (`gym.tables.read_table`).
        discount: discount factor per step, from 0 to 1 (exclusive).
        policies: arrays, functions or models (`base_policies`) for the states of the table.
            Functions must be deterministic; pass a stochastic policy as an array of
            probabilities [S A]. None stands for one policy per action, which always takes it.
        policy_names: names of the policies; None takes those of the actions if `policies` is
            None.

    Raises:
        InputError: if there is no table, or an argument does not match it.
    """
    check_discount("skills_of", discount)
    check_environment("skills_of", environment, ["action_space"])
    if policies is not None:
        check_policies("skills_of", policies)
    world = read_table(environment)
    states = world.states
    observed = np.array([states.observation(state) for state in range(world.num_states)])
    policies = policies_with_ends(policies, observed)
    skills = _of_world(environment, world.mdp, states, discount, policies, policy_names)
    return replace(skills, ends=world.ends.tolist())


def learn_skills(
    environment: Any,
    states: States,
    *,
    discount: float,
    num_steps: int,
    seed: int = 0,
    tries: int = 1,
    policies: Sequence[Any] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Skills:
    """Return skills in an environment after exploring it.

    Each action is tried `tries` times in each state in which the agent can act (`exploration`), and
    the frequencies of the outcomes estimate their probabilities. One try is enough only in a
    deterministic world. In a stochastic one, FRs and plans would rely on a single lucky outcome, so
    use dozens of tries, and enough steps. `exploration.UntriedWarning` reports that steps ran out,
    or that an action led to different states, which a few tries need not show.

    Args:
        environment: Gymnasium environment with Discrete actions.
        states: numbering of its observations; new states are added as they are met.
        discount: discount factor per step, from 0 to 1 (exclusive).
        num_steps: upper bound on the number of steps.
        seed: seed of the environment.
        tries: how often to try each action in each state.
        policies: as for `skills_of`. For stochastic policies without a table of
            probabilities, use `watch_skills`.
        policy_names: as for `skills_of`.

    Returns:
        The skills, with the number of `tries`. Where an episode terminated in a state from which
        others continued, the end is a separate state (`ends`), and the skills' `states` are a
        `StatesWithEnds`.

    Raises:
        InputError: if the actions are not discrete, or an argument is out of range.
    """
    check_discount("learn_skills", discount)
    check_environment("learn_skills", environment)
    if policies is not None:
        check_policies("learn_skills", policies)
    wanted = {"num_steps": num_steps, "tries": tries}
    seen, observed = separate_ends(explore(environment, states, seed=seed, **wanted))
    states, policies = with_ends(states, observed), policies_with_ends(policies, observed)
    world = learned_world(seen, state_names=states.names, action_names=action_names(environment))
    warn_of_untried("learn_skills", seen, world.tries, names=states.names, **wanted)
    skills = _of_world(environment, world.mdp, states, discount, policies, policy_names)
    return replace(skills, ends=np.flatnonzero(world.ended).tolist(), tries=world.tries)


def watch_skills(
    environment: Any,
    policies: Sequence[Any],
    states: States,
    *,
    discount: float,
    num_steps: int,
    seed: int = 0,
    policy_names: Sequence[str] | None = None,
) -> Skills:
    """Return skills whose chains are estimated by letting the policies act, one episode at a time.

    Actions may be continuous, and may depend on the whole observation. Ends are separate states
    where they are for `learn_skills`.
    """
    check_discount("watch_skills", discount)
    check_environment("watch_skills", environment)
    check_policies("watch_skills", policies)
    seen = collect(environment, policies, states, num_steps=num_steps, seed=seed)
    seen, observed = separate_ends(seen)
    states = with_ends(states, observed)
    return Skills(
        policies,
        states,
        count_transitions(seen.log(num_policies=len(policies))).chains,
        discount,
        environment.action_space,
        ends=sorted(set(seen.next_states[seen.ended].tolist())),
        state_names=states.names,
        policy_names=policy_names,
    )


def _of_world(
    environment: Any,
    mdp: MDP,
    states: States,
    discount: float,
    policies: Sequence[Any] | None,
    policy_names: Sequence[str] | None,
) -> Skills:
    if policies is None:
        tables = constant_policies(mdp)
        policy_names = mdp.action_names if policy_names is None else policy_names
        policies = list(np.asarray(tables.argmax(axis=-1)))
    else:
        first = first_action(environment.action_space)
        tables = tabulate(policies, states, mdp.num_actions, first=first)
    return Skills(
        policies,
        states,
        chain(mdp, tables),
        discount,
        environment.action_space,
        mdp,
        tables,
        state_names=mdp.state_names,
        policy_names=policy_names,
    )
