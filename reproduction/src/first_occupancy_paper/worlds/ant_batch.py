r"""Many ants on a plane, each commanded to walk in a direction, simulated by MuJoCo's own threads.

The ant is OGBench's (eight torques, ten decisions a second), from a model file that the caller
names; the package brings none. What a walker is told and what it decides do not depend on where the
ant stands, nor on which way it faces:

- velocities, gravity and the commanded direction are given in the frame of the torso;
- the ant looks the same from four sides. The frame is turned by quarter turns until the command
  points ahead (within 45 degrees), and legs are numbered from there. So one gait, straight ahead,
  is enough for all directions, and the ant need not turn round.
"""

from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from first_occupancy.core.errors import InputError
from first_occupancy_paper.worlds._ant_physics import (
    Ants,
    loaded_ant,
    mujoco_with_batches,
)

NUM_FEATURES = 29
"""Numbers that a walker sees: height, four vectors, eight joints and their velocities."""

NUM_TORQUES = 8
"""Numbers that a walker decides on: hip and ankle of four legs."""

SCATTER = 1.0
"""Ants start up to this far from their place, in each coordinate, as in OGBench."""

TIPPED = 0.1
"""Share of starts that lean, as ants do that are about to fall over at a wall."""

MAX_LEAN = 1.6
"""Largest angle by which they lean."""

FAST = 2.0
"""Speed that is fast enough, in m/s. More is not rewarded: ants that run faster fall over."""

EPISODE_STEPS = 400
"""Steps after which an ant gets a new start."""

TURN_EVERY = 20
"""Steps between new commands, on average."""

ON_BACK_STEPS = 20
"""Steps upside down after which an ant is given up, and gets a new start."""

EFFORT = 0.1
"""Cost of torques: this times their mean square."""

TILT = 1.0
"""Cost of leaning: this times 1 minus the upward component of the torso's axis."""

ANKLE_SIGNS = np.array([1, -1, -1, 1])
"""Which way each leg's ankle turns to bend; legs are numbered anticlockwise."""

ACTUATED = (3, 0, 1, 2)
"""The leg of each pair of actuators in the model."""


def ant_features(
    positions: Float[np.ndarray, "B 15"],
    velocities: Float[np.ndarray, "B 14"],
    commands: Float[np.ndarray, "B 2"],
) -> tuple[Float32[np.ndarray, "B 29"], Int[np.ndarray, " B"]]:
    """Return what a walker sees, and by how many quarter turns its frame was turned.

    Args:
        positions: MuJoCo's `qpos`: place, height, attitude (a quaternion), joints.
        velocities: MuJoCo's `qvel`: linear (world's frame), angular (torso's frame), joints.
        commands: directions in which to walk, unit vectors of the world's frame.
    """
    size = len(positions)
    axes = rotations(positions[:, 3:7])
    level = np.concatenate([commands, np.zeros((size, 1))], axis=1)
    vectors = np.stack([axes[:, 2], _in_frame(axes, level), _in_frame(axes, velocities[:, :3]),
                        velocities[:, 3:6]], axis=1)  # fmt: skip
    turns = np.round(np.arctan2(vectors[:, 1, 1], vectors[:, 1, 0]) / (np.pi / 2)).astype(int) % 4
    cosine, sine = np.cos(turns * np.pi / 2)[:, None], np.sin(turns * np.pi / 2)[:, None]
    x, y, z = np.moveaxis(vectors, 2, 0)
    turned = np.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=2)
    legs = (np.arange(4) + turns[:, None]) % 4
    joints = [_of_legs(each, legs) for each in (positions[:, 7:], velocities[:, 6:])]
    parts = [positions[:, 2:3], turned.reshape(size, 12), *joints]
    return np.concatenate(parts, axis=1).astype(np.float32), turns


def ant_controls(
    torques: Float[np.ndarray, "B 8"], turns: Int[np.ndarray, " B"]
) -> Float[np.ndarray, "B 8"]:
    """Return the controls of the model for a walker's decision, clipped to [-1, 1].

    Args:
        torques: hip and ankle of each leg, in the walker's frame.
        turns: quarter turns of that frame, from `ant_features`.
    """
    legs = np.clip(np.asarray(torques, np.float64), -1, 1).reshape(-1, 4, 2)
    actual = np.take_along_axis(legs, (np.arange(4) - turns[:, None])[:, :, None] % 4, axis=1)
    actual[:, :, 1] *= ANKLE_SIGNS
    return actual[:, ACTUATED].reshape(-1, 8)


def rotations(quaternions: Float[np.ndarray, "B 4"]) -> Float[np.ndarray, "B 3 3"]:
    """Return rotation matrices; column j is axis j of the torso in the world's frame."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _in_frame(
    axes: Float[np.ndarray, "B 3 3"], vectors: Float[np.ndarray, "B 3"]
) -> Float[np.ndarray, "B 3"]:
    return (axes * vectors[:, :, None]).sum(axis=1)


def _of_legs(
    joints: Float[np.ndarray, "B 8"], legs: Int[np.ndarray, "B 4"]
) -> Float[np.ndarray, "B 8"]:
    pairs = joints.reshape(-1, 4, 2).copy()
    pairs[:, :, 1] *= ANKLE_SIGNS
    return np.take_along_axis(pairs, legs[:, :, None], axis=1).reshape(-1, 8)


def _leaning(size: int, rng: np.random.Generator) -> Float[np.ndarray, "B 4"]:
    """Return quaternions of torsos that lean in any direction."""
    halves = rng.uniform(0, MAX_LEAN, size) / 2
    axes = directions(rng.uniform(0, 2 * np.pi, size)) * np.sin(halves)[:, None]
    return np.concatenate([np.cos(halves)[:, None], axes, np.zeros((size, 1))], axis=1)


def directions(angles: Float[np.ndarray, " B"]) -> Float[np.ndarray, "B 2"]:
    """Return unit vectors of given angles."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


class AntBatch:
    """B ants on a plane, rewarded for speed in a commanded direction that changes now and then.

        ants = AntBatch("ant.xml", 512, seed=0)
        features = ants.features
        arrivals, rewards, given_up, features = ants.step(policy(features))

    Ants get a new start every `EPISODE_STEPS` steps, where learners bootstrap, and after
    `ON_BACK_STEPS` steps on their back, where the episode terminates, with a value of 0.

    Args:
        model: path of MuJoCo's model of the ant, on a plane.
        num: B, number of ants.
        seed: seed of starts and commands.
        starts: places near which ants start, each as likely; None for the origin. Some may be
            among walls of the model: walkers do not see them, but learn not to fall over there.
        coarse: whether to simulate by Euler's method instead of the model's integrator (OGBench's
            is of fourth order): about four times as fast, and good enough to begin with.
        threads: number of simulation threads, by default one per processor.
    """

    def __init__(
        self,
        model: str | Path,
        num: int,
        *,
        seed: int,
        starts: Float[np.ndarray, "P 2"] | None = None,
        coarse: bool = False,
        threads: int | None = None,
    ) -> None:
        if num < 1 or (threads is not None and threads < 1):
            raise InputError(
                f"AntBatch: num and threads must be at least 1, got {num} and {threads}"
            )
        if starts is not None and not len(starts):
            raise InputError("AntBatch: starts must have at least one place, got none")
        self.num, self._rng = num, np.random.default_rng(seed)
        loaded = loaded_ant("AntBatch", model)
        if coarse:
            loaded.opt.integrator = mujoco_with_batches().mjtIntegrator.mjINT_EULER
        self._ants = Ants(loaded, num, threads=threads)
        self._positions, self._velocities = self._ants.positions, self._ants.velocities
        self._starts = np.zeros((1, 2)) if starts is None else np.asarray(starts, np.float64)
        self.speeds = np.zeros(num)
        """Speed of each ant in the commanded direction, in the last step."""
        self._ages = np.zeros(num, int)
        self._on_back = np.zeros(num, int)
        self._commands = directions(self._rng.uniform(0, 2 * np.pi, num))
        self._begin(np.ones(num, bool))
        # Ants begin at different ages, so that new starts are spread over time.
        self._ages = self._rng.integers(EPISODE_STEPS, size=num)
        self.features, self._turns = self._seen()

    def step(
        self, torques: Float[np.ndarray, "B 8"]
    ) -> tuple[
        Float32[np.ndarray, "B 29"],
        Float32[np.ndarray, " B"],
        Bool[np.ndarray, " B"],
        Float32[np.ndarray, "B 29"],
    ]:
        """Return where the step led, rewards, which ants were given up, and what comes next.

        Arrivals and the next features differ where an ant got a new start or command.

        Args:
            torques: decisions in the frame of `features`, clipped to [-1, 1].
        """
        before = self._ants.places
        self._ants.step(ant_controls(torques, self._turns))
        fine = self._ants.stable
        self._begin(~fine)
        speeds = (self._ants.places - before) / self._ants.seconds
        upward = rotations(self._positions[:, 3:7])[:, 2, 2]
        effort = (np.clip(torques, -1, 1) ** 2).mean(axis=1)
        self.speeds = np.where(fine, (speeds * self._commands).sum(axis=1), 0)
        costs = EFFORT * effort + TILT * (1 - upward)
        rewards = np.where(fine, np.minimum(self.speeds, FAST) - costs, 0)
        self._on_back = np.where(upward < 0, self._on_back + 1, 0)
        self._ages += 1
        given_up = ~fine | (self._on_back >= ON_BACK_STEPS)
        arrivals, _ = self._seen()
        self._begin(given_up | (self._ages >= EPISODE_STEPS))
        self._command()
        self.features, self._turns = self._seen()
        return arrivals, rewards.astype(np.float32), given_up, self.features

    @property
    def new(self) -> Bool[np.ndarray, " B"]:
        """Whether each ant has just got a new start, so that its episode ended before."""
        return self._ages == 0

    def _seen(self) -> tuple[Float32[np.ndarray, "B 29"], Int[np.ndarray, " B"]]:
        return ant_features(self._positions, self._velocities, self._commands)

    def _begin(self, which: Bool[np.ndarray, " B"]) -> None:
        rows = np.flatnonzero(which)
        if not len(rows):
            return
        rng, size = self._rng, len(rows)
        chosen = self._starts[rng.integers(len(self._starts), size=size)]
        self._ants.put(rows, chosen + rng.uniform(-SCATTER, SCATTER, (size, 2)), rng)
        tipped = rows[rng.random(size) < TIPPED]
        self._positions[tipped, 3:7] = _leaning(len(tipped), rng)
        self._ages[rows], self._on_back[rows] = 0, 0
        self._commands[rows] = directions(rng.uniform(0, 2 * np.pi, size))

    def _command(self) -> None:
        changed = np.flatnonzero(self._rng.random(self.num) < 1 / TURN_EVERY)
        self._commands[changed] = directions(self._rng.uniform(0, 2 * np.pi, len(changed)))
