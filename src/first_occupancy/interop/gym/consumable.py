r"""Tasks in which each reward can be collected once, to check FR values by simulation.

    task = ConsumableRewards(environment, {goal: 1.0, snack: 0.3}, states)
    mean, error = mean_return(task, policy, discount=0.95, num_episodes=1000, seed=0)

The FR's value of a reward vector, $V(s) = \sum_{s'} F(s, s')\, r(s')$, is the expected
discounted return when every state pays on its first visit only, and the current state at once.
Gymnasium has no reward at time 0 and pays with the step that arrives, so

$$V(s_0) = r(s_0) + \gamma \sum_t \gamma^t\, \mathrm{reward}_t,$$

which is what `mean_return` averages. `reset` returns the reward of the first state as
`info["reward_at_start"]`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.errors import InputError, check_discount, check_index
from first_occupancy.interop.base_policies import decider
from first_occupancy.interop.extras import Wrapper, gymnasium, require
from first_occupancy.interop.states import States, states_of
from first_occupancy.planning.agents import own_chance

NEGLIGIBLE = 1e-12
"""An episode is cut off once the discount falls below this, because some never terminate."""


class ConsumableRewards(Wrapper):
    """An environment in which each state pays once per episode, on arrival.

    These rewards replace those of the environment. The episode terminates when the environment's
    does, or when no rewards are left. `info["left"]` lists the states that still pay.

    Args:
        rewards: reward of each state, or a mapping from the states that pay to their rewards.
        states: numbering of the observations; None if they are Discrete (`states_of`).

    Raises:
        InputError: if a reward is not finite, or belongs to a state that does not exist.
    """

    def __init__(
        self,
        environment: Any,
        rewards: Mapping[int, float] | Float[np.ndarray, " S"],
        states: States | None = None,
    ) -> None:
        require("ConsumableRewards", gymnasium, "Gymnasium", "interop")
        super().__init__(environment)
        self.states = states_of(environment) if states is None else states
        pairs = rewards.items() if isinstance(rewards, Mapping) else enumerate(np.asarray(rewards))
        self.rewards = {int(state): float(reward) for state, reward in pairs if reward}
        for state, reward in self.rewards.items():
            check_index("ConsumableRewards", "rewards' states", state, self.states.num_states)
            if not np.isfinite(reward):
                raise InputError(
                    f"ConsumableRewards: rewards must be finite, got {reward} in state {state}"
                )
        self._left: dict[int, float] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the first observation and info, all rewards restored but that of its state."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._left = dict(self.rewards)
        here = self._left.pop(self.states(observation), 0.0)
        return observation, {**info, "reward_at_start": here, "left": tuple(self._left)}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the result of the environment's step, with what the new state still pays."""
        observation, _, terminated, truncated, info = self.env.step(action)
        there = (self.states.at_end if terminated else self.states)(observation)
        reward = self._left.pop(there, 0.0)
        over = bool(terminated) or not self._left
        return observation, reward, over, truncated, {**info, "left": tuple(self._left)}


def mean_return(
    task: ConsumableRewards,
    policy: Any,
    *,
    discount: float,
    num_episodes: int,
    seed: int,
    options: dict[str, Any] | None = None,
) -> tuple[float, float]:
    """Return the mean discounted return of episodes, and its standard error.

    It estimates the FR's value at the start, except for rewards beyond a time limit.

    Args:
        policy: array, function or model (`base_policies`).
        num_episodes: number of episodes, at least 2.
        options: passed to every `reset`.

    Returns:
        The mean and its standard error.

    Raises:
        InputError: if `discount` or `num_episodes` is out of range, or the policy is not valid.
    """
    check_discount("mean_return", discount)
    if num_episodes < 2:
        raise InputError(f"mean_return: num_episodes must be at least 2, got {num_episodes}")
    act = decider("mean_return", policy, 0, task.action_space)
    rng, returns = own_chance(seed), []
    for episode in range(num_episodes):
        first = seed if episode == 0 else None
        observation, info = task.reset(seed=first, options=options)
        brought, worth, over = info["reward_at_start"], 1.0, not info["left"]
        while not over and worth > NEGLIGIBLE:
            action = act(observation, task.states(observation), rng)
            observation, reward, terminated, truncated, _ = task.step(action)
            worth *= discount
            brought += worth * reward
            over = terminated or truncated
        returns.append(brought)
    return float(np.mean(returns)), float(np.std(returns, ddof=1) / np.sqrt(num_episodes))
