"""Plans as agents that read the state of the environment they act in."""

from typing import TYPE_CHECKING, Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.base_policies import first_action, own_chance
from first_occupancy.planning.plans import NOTHING, Plan

if TYPE_CHECKING:
    from first_occupancy.interop.enumeration.copied_worlds import CopiedWorld


class StateAgent:
    """An agent with `predict`, the interface of Stable-Baselines3 models.

    What an agent observes need not tell where it is, so this one reads the environment's state.
    Where the plan has nothing to follow, it acts at random.

    Args:
        policies: base policies of the plan, as `fo.plan` took them: actions [N S] or probabilities
            [N S A]; None for one per action.

    Raises:
        InputError: if the plan is for another world, or follows a policy that is not given.
    """

    def __init__(
        self,
        world: "CopiedWorld",
        plan: Plan,
        environment: Any,
        policies: Any = None,
        *,
        seed: int = 0,
    ) -> None:
        size, count = world.num_states, world.num_actions
        if policies is None:
            policies = np.broadcast_to(np.arange(count)[:, None], (count, size))
        self._tables, self._policy = np.asarray(policies), np.asarray(plan.policy)
        if self._policy.shape != (size,) or self._tables.shape[1:2] != (size,):
            raise InputError(
                f"StateAgent: plan and policies must be for the world's {size} states, got "
                f"{list(self._policy.shape)} and {list(self._tables.shape)}"
            )
        if int(self._policy.max()) >= len(self._tables):
            raise InputError(
                f"StateAgent: policies must be those of the plan, which follows policy "
                f"{int(self._policy.max())}, got {len(self._tables)}"
            )
        self.world, self.plan, self.environment = world, plan, environment
        self._first = first_action(environment.action_space)
        self._rng = own_chance(seed)

    def predict(
        self,
        observation: Any = None,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[int, Any]:
        """Return the action in the environment's current state, and `state` unchanged.

        Args:
            observation: needed where states are told apart by it; otherwise the environment's
                state is read.
            deterministic: ignored; the base policies determine whether actions are stochastic.
        """
        del episode_start, deterministic
        here = self.world.number(self.environment, observation)
        policy = NOTHING if here < 0 else int(self._policy[here])
        count = self.world.num_actions
        if policy == NOTHING:
            action = int(self._rng.integers(count))
        elif self._tables.ndim == 2:
            action = int(self._tables[policy, here])
        else:
            row = np.asarray(self._tables[policy, here], float)
            action = int(self._rng.choice(count, p=row / row.sum()))
        return self._first + action, state
