"""The physics of many ants at once, by MuJoCo's threads: for learning to walk, and for mazes."""

from collections.abc import Sequence
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.core.threads import processors
from first_occupancy_paper.extras import extra_command

SUBSTEPS = 5
"""Simulation steps in a step of the ant, as in OGBench."""

START_NOISE = 0.1
"""Noise of starts in every coordinate, as in OGBench."""

WILD = 1000.0
"""Velocity, in metres or radians per second, beyond which the physics has become unstable."""


class Ants:
    """B ants, each by itself.

    Attributes:
        positions: MuJoCo's `qpos` of each ant, a view: place, height, attitude, joints.
        velocities: MuJoCo's `qvel` of each ant, a view.
        model: MuJoCo's model, a copy of the one given.
        seconds: time that a step takes.

    Args:
        model: MuJoCo's model of an ant, an `MjModel`, alone or in a maze. It is copied.
        num: B, number of ants.
        threads: number of simulation threads, by default one per processor.
    """

    def __init__(self, model: Any, num: int, *, threads: int | None = None) -> None:
        mujoco, model = mujoco_with_batches(), copy(model)
        # MuJoCo would put unstable ants back at the origin, which looks like a very fast step.
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
        threads = processors() if threads is None else threads
        self._sim = mujoco.batch.Batch(model, num, min(threads, num))
        self.model, self._rest = model, model.qpos0.copy()
        self.positions, self.velocities = self._sim.bind("qpos"), self._sim.bind("qvel")
        self._controls, self._warm = self._sim.bind("ctrl"), self._sim.bind("qacc_warmstart")
        self.seconds = model.opt.timestep * SUBSTEPS

    @property
    def places(self) -> Float[np.ndarray, "B 2"]:
        """Where the ants are."""
        return self.positions[:, :2].copy()

    @property
    def stable(self) -> Bool[np.ndarray, " B"]:
        """Whether the physics of each ant makes sense; comparisons with NaN are false."""
        slow = (np.abs(self.velocities) < WILD).all(axis=1)
        return slow & np.isfinite(self.positions).all(axis=1)

    def put(
        self,
        rows: Int[np.ndarray, " R"] | Sequence[int],
        places: Float[np.ndarray, "R 2"],
        rng: np.random.Generator,
    ) -> None:
        """Put some ants at given places, with OGBench's noise on joints and velocities."""
        size = len(rows)
        spread = rng.uniform(-START_NOISE, START_NOISE, (size, self.positions.shape[1]))
        self.positions[rows] = self._rest + spread
        self.positions[rows, :2] = places
        self.velocities[rows] = START_NOISE * rng.normal(size=(size, self.velocities.shape[1]))
        self._warm[rows] = 0

    def step(self, controls: Float[np.ndarray, "B 8"]) -> None:
        """Advance all ants by `SUBSTEPS` steps of the simulation.

        Args:
            controls: controls of the model, from -1 to 1.
        """
        self._controls[:] = controls
        self._sim.step(nstep=SUBSTEPS)


def loaded_ant(caller: str, model: str | Path) -> Any:
    """Return MuJoCo's model in a file, after checking that it is an ant.

    Args:
        caller: name of the public function, for errors.
        model: path of the model.

    Raises:
        InputError: if MuJoCo is missing, the file cannot be read, or it holds something else.
    """
    mujoco = mujoco_with_batches()
    try:
        loaded = mujoco.MjModel.from_xml_path(str(model))
    except ValueError as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{caller}: model must be a file of MuJoCo, got {first}") from None
    if (loaded.nq, loaded.nv, loaded.nu) != (15, 14, 8):
        raise InputError(
            f"{caller}: model must be an ant with 15 positions, 14 velocities and 8 torques, got "
            f"{loaded.nq}, {loaded.nv} and {loaded.nu}"
        )
    return loaded


def mujoco_with_batches() -> Any:
    """Return the package MuJoCo, which simulates in batches from version 3.17 on.

    Raises:
        InputError: if it is not installed, or older.
    """
    try:
        import_module("mujoco.batch")
        return import_module("mujoco")
    except ImportError as error:
        raise InputError(
            f"ants: needs MuJoCo 3.17 or later: {extra_command('robotics')}"
        ) from error
