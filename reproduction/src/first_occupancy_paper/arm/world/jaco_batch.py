"""Many arms moving in lockstep, simulated by MuJoCo's own threads."""

from collections.abc import Iterable, Mapping

import numpy as np
from jaxtyping import ArrayLike, Float, Float32, Int

from first_occupancy.core.errors import InputError
from first_occupancy.core.threads import processors

from .mujoco_model import load
from .observations import observe, reward
from .reaching_tasks import EPISODE_STEPS, NUM_ACTIONS, NUM_OBSERVATIONS, TASKS
from .starts import draw_start

SUBSTEPS = 20

SETTLED_SPEED = 1e-3
SETTLED_ACCELERATION = 1e-2
MAX_SETTLING_STEPS = 1000

State = dict[str, np.ndarray]
"""The complete state of a batch, as arrays; see `JacoBatch.get_state`."""


class JacoBatch:
    """B environments of one task, one per seed, all at the same step of their episodes.

        batch = JacoBatch("reach_top_left", seeds=range(20))
        observations = batch.reset()
        while not batch.ended:
            observations, rewards = batch.step(actor(observations))

    An action is 9 numbers in [-1, 1], fractions of the maximum speed of each joint and finger
    (MuJoCo clips larger ones). A step is 0.04 s, 20 simulation steps. Episodes are truncated after
    250 steps and never terminate, so learners bootstrap there.

    The n-th start of an environment depends only on its seed and n, so its behaviour depends
    neither on the other environments nor on the number of threads. MuJoCo releases Python's
    interpreter lock while it simulates. If the simulation of an arm diverges, which MuJoCo reports,
    that arm gets a new start.
    """

    def __init__(self, task: str, seeds: Iterable[int], *, threads: int | None = None) -> None:
        if task not in TASKS:
            raise InputError(f"JacoBatch: task must be one of {', '.join(TASKS)}, got {task!r}")
        self._task = TASKS[task]
        self._seeds = _checked_seeds(seeds)
        self._starts = np.zeros(self.num, dtype=np.int64)
        self._clock = EPISODE_STEPS
        self._arm = load("JacoBatch")
        mujoco, model = self._arm.mujoco, self._arm.model
        self._scratch = mujoco.MjData(model)
        threads = processors() if threads is None else threads
        if threads < 1:
            raise InputError(f"JacoBatch: threads must be at least 1, got {threads}")
        # Persistent: one MjData per environment, whose velocities stay current at no extra cost.
        self._sim = mujoco.batch.Batch(model, self.num, min(threads, self.num), persistent=True)
        self._positions, self._velocities = self._sim.bind("qpos"), self._sim.bind("qvel")
        self._accelerations = self._sim.bind("qacc")
        self._controls, self._time = self._sim.bind("ctrl"), self._sim.bind("time")
        self._sensors, self._bodies = self._sim.bind("sensordata"), self._sim.bind("xpos")
        self._sites, self._rotations = self._sim.bind("site_xpos"), self._sim.bind("site_xmat")
        bad = mujoco.mjtWarning
        self._bad = list(map(int, (bad.mjWARN_BADQPOS, bad.mjWARN_BADQVEL, bad.mjWARN_BADQACC)))
        self._observations = np.zeros((self.num, NUM_OBSERVATIONS), dtype=np.float32)

    @property
    def num(self) -> int:
        """B, the number of environments."""
        return len(self._seeds)

    @property
    def ended(self) -> bool:
        """Whether the episode is over, or none has begun: call `reset`."""
        return self._clock >= EPISODE_STEPS

    @property
    def positions(self) -> Float[np.ndarray, "B 16"]:
        """Current positions of all joints, as `Camera.picture` takes them."""
        return self._positions.copy()

    def reset(self) -> Float32[np.ndarray, "B 55"]:
        """Return the first observations of a new episode."""
        self._begin(np.arange(self.num))
        self._clock = 0
        return self._observe()

    def step(
        self, actions: Float[ArrayLike, "B 9"]
    ) -> tuple[Float32[np.ndarray, "B 55"], Float32[np.ndarray, " B"]]:
        """Return observations and rewards after one step."""
        if self.ended:
            raise InputError("step: the episode must be running, but it has ended: reset first")
        self._controls[:] = self._checked(actions) * self._arm.action_limits
        # As in dm-control, positions and velocities are those after the last of the 20 steps,
        # torques those that acted during it.
        self._sim.step(nstep=SUBSTEPS, stage=self._arm.mujoco.mjtStage.mjSTAGE_VEL)
        self._clock += 1
        diverged = self._sim.warning[:, self._bad, 1].any(axis=-1)
        if diverged.any():
            self._begin(np.flatnonzero(diverged))
        return self._observe(), self._reward()

    def get_state(self) -> State:
        """Return a copy of the complete state, as arrays.

        A batch of the same task continues exactly as this one once it is passed to `set_state`.
        """
        return {
            "seeds": self._seeds.copy(),
            "starts": self._starts.copy(),
            "clock": np.array(self._clock, dtype=np.int64),
            "physics": self._sim.state.copy(),
            "observations": self._observations.copy(),
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> Float32[np.ndarray, "B 55"]:
        """Restore a state, and return the observations made there."""
        for name, mine in self.get_state().items():
            if name not in state or state[name].shape != mine.shape:
                got = f"shape {list(state[name].shape)}" if name in state else "nothing"
                raise InputError(f"set_state: {name} must have shape {list(mine.shape)}, got {got}")
        self._seeds[:], self._starts[:] = state["seeds"], state["starts"]
        self._clock = int(state["clock"])
        self._sim.state[:] = state["physics"]
        self._observations[:] = state["observations"]
        return self._observations.copy()

    def _begin(self, which: Int[np.ndarray, " some"]) -> None:
        """Move some of the arms to their next start."""
        self._sim.reset(which, stage=self._arm.mujoco.mjtStage.mjSTAGE_NONE)
        for i in which:
            uniform = np.random.default_rng((self._seeds[i], self._starts[i])).uniform
            self._positions[i] = draw_start(self._arm, self._scratch, uniform, self._task.brick)
            self._starts[i] += 1
        self._settle(which)
        self._time[which] = 0
        self._sim.forward(which)

    def _settle(self, moving: Int[np.ndarray, " some"]) -> None:
        """Let the bricks come to rest while everything else is held where it is."""
        held = np.concatenate([self._arm.joints, self._arm.fingers])
        brick = self._arm.brick_velocity
        places = self._positions.copy()
        for _ in range(MAX_SETTLING_STEPS):
            self._sim.step(moving)
            self._positions[np.ix_(moving, held)] = places[np.ix_(moving, held)]
            self._velocities[np.ix_(moving, held)] = 0
            speeds = np.abs(self._velocities[np.ix_(moving, brick)]).max(axis=-1)
            slow = moving[speeds < SETTLED_SPEED]
            self._sim.forward(slow)  # accelerations here, not those of the previous step
            pushes = np.abs(self._accelerations[np.ix_(slow, brick)]).max(axis=-1)
            moving = np.setdiff1d(moving, slow[pushes < SETTLED_ACCELERATION])
            if not len(moving):
                return

    def _observe(self) -> Float32[np.ndarray, "B 55"]:
        """Return current observations, and keep them: no other state contains the torques."""
        arm = self._arm
        self._observations[:] = observe(
            joints=self._positions[:, arm.joints],
            torques=self._sensors[:, arm.torques],
            joint_velocities=self._velocities[:, arm.joints],
            fingers=self._positions[:, arm.fingers],
            finger_velocities=self._velocities[:, arm.fingers],
            pinch_position=self._sites[:, arm.pinch],
            pinch_rotation=self._rotations[:, arm.pinch],
            brick=self._sensors[:, arm.brick_senses],
        )
        return self._observations.copy()

    def _reward(self) -> Float32[np.ndarray, " B"]:
        """Return the rewards of the current positions."""
        if not self._task.pays:
            return np.zeros(self.num, dtype=np.float32)
        return reward(self._sites[:, self._arm.pinch], self._bodies[:, self._arm.brick_body])

    def _checked(self, actions: ArrayLike) -> np.ndarray:
        """Return the actions as an array, or raise if they are invalid."""
        array = np.asarray(actions)
        if array.shape != (self.num, NUM_ACTIONS):
            raise InputError(
                f"step: actions must have shape [{self.num} {NUM_ACTIONS}], got {list(array.shape)}"
            )
        if not np.isfinite(array).all():
            arm, joint = np.argwhere(~np.isfinite(array))[0]
            raise InputError(
                f"step: actions must be finite, got {array[arm, joint]} "
                f"for environment {arm}, action {joint}"
            )
        return array


def _checked_seeds(seeds: Iterable[int]) -> Int[np.ndarray, " B"]:
    """Return the seeds as an array, or raise if they are invalid."""
    seeds = list(seeds)
    array = np.array(seeds)
    if array.ndim != 1 or not len(array):
        raise InputError(f"JacoBatch: seeds must be one or more numbers, got {seeds!r}")
    if array.dtype.kind not in "iu" or (array < 0).any() or (array > np.iinfo(np.int64).max).any():
        raise InputError(f"JacoBatch: seeds must be whole numbers from 0, got {seeds!r}")
    return array.astype(np.int64)
