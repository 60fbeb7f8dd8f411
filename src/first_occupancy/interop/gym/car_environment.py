"""The paper's MountainCar as a Gymnasium environment."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Float32

from first_occupancy.core.errors import InputError
from first_occupancy.environments import mountain_car
from first_occupancy.interop.extras import gymnasium
from first_occupancy.interop.gym import rendering
from first_occupancy.interop.gym.finite_environments import DrawnEnvironment

LOW = np.array([mountain_car.LEFT_WALL, -mountain_car.TOP_SPEED], np.float32)
HIGH = np.array([mountain_car.RIGHT_WALL, mountain_car.TOP_SPEED], np.float32)

_step = jax.jit(mountain_car.step)


class MountainCarEnvironment(DrawnEnvironment):
    """The car of `environments.mountain_car` as an environment, in float32.

    As in the paper, there are no rewards and no terminal states, unless a goal is given.

    Args:
        goal: position right of the starts, where arriving pays 1 and terminates; None for none.
    """

    metadata = DrawnEnvironment.metadata | {"render_fps": 30}

    def __init__(self, *, goal: float | None = None, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        low, high = mountain_car.LAST_START, mountain_car.RIGHT_WALL
        if goal is not None and not low < goal <= high:
            raise InputError(
                f"MountainCarEnvironment: goal must be right of the starts, above {low} and "
                f"at most {high}, got {goal}"
            )
        self.goal = goal
        self.observation_space = gymnasium.spaces.Box(LOW, HIGH, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
        self._state = np.zeros(2, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32[np.ndarray, " 2"], dict[str, Any]]:
        """Return a start at rest, uniformly from where Gymnasium starts, and info.

        Args:
            seed: seed of the environment's random numbers; None continues with the current ones.
        """
        super().reset(seed=seed)
        del options
        place = self.np_random.uniform(mountain_car.FIRST_START, mountain_car.LAST_START)
        self._state = np.array([place, 0], np.float32)
        return self._state.copy(), {}

    def step(
        self, action: Float[np.ndarray, " 1"]
    ) -> tuple[Float32[np.ndarray, " 2"], float, bool, bool, dict[str, Any]]:
        """Return the next state, the reward, whether the goal was reached, False, and info."""
        force = np.asarray(action, np.float32)
        if force.shape != (1,):
            raise InputError(f"step: action must have shape [1], got {list(force.shape)}")
        self._state = np.array(_step(jnp.asarray(self._state), force[0]))
        arrived = self.goal is not None and bool(self._state[0] >= self.goal)
        return self._state.copy(), float(arrived), arrived, False, {}

    def _as_text(self) -> str:
        return rendering.car_text(float(self._state[0]), goal=self.goal)

    def _as_picture(self) -> rendering.Picture:
        return rendering.car_picture(float(self._state[0]), goal=self.goal)
