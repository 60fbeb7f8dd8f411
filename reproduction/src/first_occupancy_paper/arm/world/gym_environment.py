"""The tasks as Gymnasium environments; importing this module registers them.

    import gymnasium
    import first_occupancy_paper.arm.world.gym_environment

    environment = gymnasium.make("first_occupancy/JacoReachTopLeft-v0")

An environment with seed s behaves exactly as `JacoBatch(task, seeds=[s])`.
"""

from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import Float, Float32, UInt8

from first_occupancy.core.errors import InputError
from first_occupancy.core.install_hints import install_command
from first_occupancy_paper.arm.world.camera import Camera
from first_occupancy_paper.arm.world.jaco_batch import JacoBatch
from first_occupancy_paper.arm.world.reaching_tasks import (
    EPISODE_STEPS,
    NUM_ACTIONS,
    NUM_OBSERVATIONS,
    TASKS,
)

try:
    gymnasium: Any = import_module("gymnasium")
    Environment: Any = gymnasium.Env
except ImportError:  # the module can be imported without Gymnasium; using it raises
    gymnasium, Environment = None, object

NAMES = {
    task: "first_occupancy/Jaco" + "".join(map(str.capitalize, task.split("_"))) + "-v0"
    for task in TASKS
}
"""Gymnasium ids of the tasks."""


class JacoEnvironment(Environment):
    """One arm as a Gymnasium environment, with the actions and observations of `JacoBatch`.

    Episodes are truncated after 250 steps and never terminate.

    Args:
        task: one of `TASKS`.
        render_mode: "rgb_array", or None to render nothing.
        width: pixels per row of a picture.
        height: pixels per column of a picture.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}  # noqa: RUF012  Gymnasium's form

    def __init__(
        self,
        task: str = "reach_top_left",
        *,
        render_mode: str | None = None,
        width: int = 320,
        height: int = 240,
    ) -> None:
        if gymnasium is None:
            raise InputError(f"JacoEnvironment: needs Gymnasium: {install_command('interop')}")
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Box(-1, 1, (NUM_ACTIONS,), np.float32)
        self.observation_space = gymnasium.spaces.Box(
            -np.inf, np.inf, (NUM_OBSERVATIONS,), np.float32
        )
        self._size = {"width": width, "height": height}
        self._camera: Camera | None = None
        self._batch = JacoBatch(task, seeds=[0], threads=1)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32[np.ndarray, " 55"], dict[str, Any]]:
        """Return the first observation of a new episode.

        Args:
            seed: restart with this seed's first episode; None continues with the next episode.
            options: ignored.
        """
        del options
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            state = self._batch.get_state()
            state["seeds"][:] = self.np_random.integers(2**31) if seed is None else seed
            state["starts"][:] = 0
            self._batch.set_state(state)
            self._seeded = True
        return self._batch.reset()[0], {}

    def step(
        self, action: Float[np.ndarray, " 9"]
    ) -> tuple[Float32[np.ndarray, " 55"], float, bool, bool, dict[str, Any]]:
        """Return observation, reward, False (never terminated), whether truncated, and no info."""
        observations, rewards = self._batch.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), False, self._batch.ended, {}

    def render(self) -> UInt8[np.ndarray, "height width 3"] | None:
        """Return a picture of the arm as it is now, or None without a `render_mode`."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = Camera(**self._size)
        return self._camera.picture(self._batch.positions[0])

    def close(self) -> None:
        """Release the camera."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None


if gymnasium is not None:
    for _task, _name in NAMES.items():
        gymnasium.register(
            _name,
            entry_point=f"{__name__}:JacoEnvironment",
            kwargs={"task": _task},
            max_episode_steps=EPISODE_STEPS,
        )
