r"""Tasks in which each reward can be had once, so that FR values can be checked by running.

    task = ConsumableRewards(environment, {goal: 1.0, snack: 0.3}, states)
    mean, error = mean_return(task, policy, discount=0.95, num_episodes=1000, seed=0)

The FR's value of a reward vector, $V(s) = \sum_{s'} F(s, s')\, r(s')$, is the expected
discounted return when every state pays on its first visit only, the present state at once.
Gymnasium has no reward at time 0 and pays with the step that arrives, so

$$V(s_0) = r(s_0) + \gamma \sum_t \gamma^t\, \mathrm{reward}_t,$$

which is what `mean_return` averages; `reset` says what the first state pays in
`info["reward_at_start"]`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.errors import InputError, check_discount, check_index
from first_occupancy.interop.base_policies import decider, own_chance
from first_occupancy.interop.extras import Wrapper, gymnasium, require
from first_occupancy.interop.states import States, states_of

NEGLIGIBLE = 1e-12
"""Once a reward is worth so little of itself, an episode is over: some never end by themselves."""


class ConsumableRewards(Wrapper):
    """An environment that pays for states instead: for each once an episode, on arrival.

    `rewards` has a number per state, or says which states pay what. The episode terminates
    where the environment's own does, or when nothing is left to be had. What is left is in
    `info["left"]`, the numbers of the states that still pay.
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
        """Return the first observation; all rewards are there again, but for the one here."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._left = dict(self.rewards)
        here = self._left.pop(self.states(observation), 0.0)
        return observation, {**info, "reward_at_start": here, "left": tuple(self._left)}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what the environment does, with the pay for the state if it still has one."""
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
    """Return the mean of what episodes bring, and its standard error.

    It estimates the FR's value at the start, but for what comes after a time limit.
    `options` go to every `reset`. Policies are arrays, functions or models (`base_policies`).
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
