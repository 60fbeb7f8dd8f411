"""Plans as policies with `predict`, the interface of Stable-Baselines3 models.

    policy = PlanPolicy(plan, policies, states, environment.action_space)
    action, _ = policy.predict(observation)

Code that runs or evaluates such models therefore also runs and evaluates plans. `PlanPolicy` looks
up the plan in every state; `LegPolicy` follows each leg to its subgoal, whatever happens before.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.base_policies import decider, first_action, own_chance
from first_occupancy.interop.extras import gymnasium, require
from first_occupancy.interop.states import States, unstacked
from first_occupancy.planning.plans import NOTHING, Plan


class PlanPolicy:
    """A policy that looks up in every state which base policy to follow.

    At the goal, and where the goal cannot be reached, it acts at random.

    Args:
        policies: base policies of the plan, in its order: arrays, functions or models
            (`base_policies`).

    Raises:
        InputError: if the plan has several goals, or follows a policy that is not given.
    """

    def __init__(
        self,
        plan: Plan,
        policies: Sequence[Any],
        states: States,
        action_space: Any,
        *,
        seed: int = 0,
    ) -> None:
        caller = type(self).__name__
        require(caller, gymnasium, "Gymnasium", "interop")
        self.states, self.action_space = states, action_space
        self._deciders = [
            decider(caller, policy, n, action_space) for n, policy in enumerate(policies)
        ]
        self._rng = own_chance(seed)
        self._go_by(plan)

    def with_plan(self, plan: Plan) -> "PlanPolicy":
        """Return a copy with another plan, whose random numbers continue instead of repeating."""
        other = copy(self)
        other._go_by(plan)
        return other

    def _go_by(self, plan: Plan) -> None:
        caller = type(self).__name__
        if plan.goal.ndim != 0:
            raise InputError(
                f"{caller}: plan must be the plan to one goal, got many; take plans.to(goal)"
            )
        self.plan, self.goal = plan, int(plan.goal)
        self._policy, self._subgoal = np.asarray(plan.policy), np.asarray(plan.subgoal)
        if int(self._policy.max()) >= len(self._deciders):
            raise InputError(
                f"{caller}: policies must be those of the plan, which follows policy "
                f"{int(self._policy.max())}, got {len(self._deciders)}"
            )

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """Return the action for an observation, or one for each of a batch, and `state` unchanged.

        Args:
            deterministic: ignored; the base policies determine whether actions are stochastic.
        """
        del episode_start, deterministic
        rows = observations_of(observation, self.states)
        if rows is None:
            return self._act(observation)[0], state
        return self._together([self._act(row)[0] for row in rows]), state

    def _together(self, actions: list[Any]) -> np.ndarray:
        """Return a batch of actions, with the dtype and shape of the space even if empty."""
        space = self.action_space
        if space.shape is None:  # a composite space has no common dtype and shape
            return np.array(actions)
        return np.array(actions, space.dtype).reshape(len(actions), *space.shape)

    def _act(self, observation: Any, leg: tuple[int, int] | None = None) -> tuple[Any, int, int]:
        """Return an action, and the policy and subgoal that it follows."""
        here = self.states(observation)
        if here >= len(self._policy):
            raise InputError(
                f"{type(self).__name__}: state must be one of the plan's {len(self._policy)}, "
                f"got {here}; plan again"
            )
        if leg is None or leg[0] == NOTHING or leg[1] == here:
            leg = int(self._policy[here]), int(self._subgoal[here])
        policy, subgoal = leg
        if policy == NOTHING:
            if isinstance(self.action_space, gymnasium.spaces.Discrete):
                action = first_action(self.action_space) + int(
                    self._rng.integers(self.action_space.n)
                )
            else:
                self.action_space.seed(int(self._rng.integers(2**31)))
                action = self.action_space.sample()
            return action, policy, subgoal
        return self._deciders[policy](observation, here, self._rng), policy, subgoal


class LegPolicy(PlanPolicy):
    """A policy that follows each leg of the plan until its subgoal.

    Besides the action, `predict` returns the current leg, (policy, subgoal). Pass it to the next
    call, like the hidden state of a recurrent model.
    """

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, np.ndarray]:
        """Return an action, or one for each of a batch, and the current leg, [2] or [B 2].

        Args:
            state: leg that the previous call returned; None begins a new leg.
            episode_start: whether each observation begins an episode, and with it a new leg; None
                means that none does.
            deterministic: ignored; the base policies determine whether actions are stochastic.
        """
        del deterministic
        rows = observations_of(observation, self.states)
        singles = [observation] if rows is None else list(rows)
        legs: list[Any] = [None] * len(singles)
        if state is not None:
            known = np.reshape(state, (-1, 2))
            begins = np.broadcast_to(
                False if episode_start is None else np.asarray(episode_start, bool), len(singles)
            )
            legs = [
                None if new else (int(policy), int(subgoal))
                for new, (policy, subgoal) in zip(begins, known, strict=True)
            ]
        results = [self._act(row, leg) for row, leg in zip(singles, legs, strict=True)]
        following = np.array([result[1:] for result in results], int).reshape(-1, 2)
        if rows is None:
            return results[0][0], following[0]
        return self._together([result[0] for result in results]), following


def observations_of(observation: Any, states: States) -> list[Any] | None:
    """Return the observations of a batch, or None for a single observation.

    A batch has one axis more than the representative observation of a state; a dictionary or a
    tuple is a batch if its parts are. A sequence of tuples is a batch of tuples, too.

    Args:
        states: numbering of the observations, with at least one state.

    Raises:
        InputError: if there are no states.
    """
    if not states.num_states:
        raise InputError("PlanPolicy: states must have at least one state, got none")
    example = states.observation(0)
    if isinstance(example, tuple) and _are_tuples(observation, example):
        return list(observation)
    return unstacked(observation) if _has_axis_more(observation, example) else None


def _are_tuples(observation: Any, example: tuple[Any, ...]) -> bool:
    """Return whether this is a sequence of tuples instead of a single tuple of parts."""
    if not isinstance(observation, Sequence) or not observation:
        return False
    inner = isinstance(observation[0], tuple)
    return inner and not (isinstance(observation, tuple) and isinstance(example[0], tuple))


def _has_axis_more(observation: Any, example: Any) -> bool:
    if isinstance(example, Mapping):
        name = next(iter(example))
        return _has_axis_more(observation[name], example[name])
    if isinstance(example, tuple) and isinstance(observation, tuple):
        return _has_axis_more(observation[0], example[0])
    return np.ndim(observation) != (1 if isinstance(example, tuple) else np.ndim(example))
