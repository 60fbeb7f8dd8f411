"""Ants in OGBench's mazes, told by commands where to walk, and logs of them by OGBench's recipe.

Mazes, starts, goals and ways are those of `point_mazes`; the physics is MuJoCo's, with a model of
ant and maze that the caller passes (`worlds.ogbench_ants.ant_maze`). A *command* is a
direction, which a walker (`walkers.walking`) turns into torques for `HOLD` steps. The ant has
momentum, so what one step of .1 s does depends little on the command, and what `HOLD` steps do
depends on it a lot. In logs, a row is a command: observations are places (x, y).
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy_paper.worlds._ant_physics import Ants
from first_occupancy_paper.worlds.point_maze_logs import log_sizes, recorded
from first_occupancy_paper.worlds.point_mazes import PointMaze

HOLD = 5
"""Steps for which a command is held."""

GOAL_RADIUS = 0.5
"""A goal is reached within this distance, which is half of that for points."""

TORQUE_NOISE = 0.2
"""Standard deviation of the noise on torques in logs, as in OGBench."""

Controls = Callable[
    [Float[np.ndarray, "B 15"], Float[np.ndarray, "B 14"], Float[np.ndarray, "B 2"]],
    Float[np.ndarray, "B 8"],
]
"""From positions, velocities and commands to controls, as `Walker.controls`."""


class AntMaze:
    """B ants in a maze, each by itself.

    Args:
        model: MuJoCo's model of ant and maze, an `MjModel`.
        controls: low level that walks as commanded.
        num: B, number of ants.
        rng: source of starts and noise.
        noise: standard deviation of the noise on torques.
        threads: number of simulation threads, by default one per processor.
    """

    def __init__(
        self,
        model: Any,
        controls: Controls,
        num: int,
        *,
        rng: np.random.Generator,
        noise: float = 0.0,
        threads: int | None = None,
    ) -> None:
        self._ants = Ants(model, num, threads=threads)
        self._act, self._rng, self._noise = controls, rng, noise

    def reset(self, places: Float[np.ndarray, "B 2"]) -> None:
        """Put ants at given places, with OGBench's noise on joints and velocities."""
        self._ants.put(range(len(places)), places, self._rng)

    def step(self, commands: Float[np.ndarray, "B 2"]) -> Float[np.ndarray, "B 2"]:
        """Return where the ants are after `HOLD` steps.

        Args:
            commands: directions of any length but 0.

        Raises:
            RuntimeError: if the physics of an ant has become unstable, so that its place says
                nothing.
        """
        commands, ants = headings(commands), self._ants
        for _ in range(HOLD):
            torques = self._act(ants.positions, ants.velocities, commands)
            noise = self._rng.normal(0, self._noise, torques.shape) if self._noise else 0.0
            ants.step(np.clip(torques + noise, -1, 1))
        if not ants.stable.all():
            raise RuntimeError(
                f"AntMaze: physics has become unstable for {(~ants.stable).sum()} of the ants"
            )
        return ants.places


def headings(commands: Float[np.ndarray, "B 2"]) -> Float[np.ndarray, "B 2"]:
    """Return commands as unit vectors."""
    return commands / np.maximum(np.linalg.norm(commands, axis=-1, keepdims=True), 1e-6)


def ant_maze_log(
    maze: PointMaze,
    model: Any,
    controls: Controls,
    kind: Literal["stitch", "navigate"],
    *,
    seed: int,
    num_episodes: int | None = None,
    threads: int | None = None,
) -> Episodes:
    """Return a log by the published recipe, about a million steps of ants if whole.

    Commands are noisy directions to the next cell on a shortest way, held for `HOLD` steps (in
    OGBench, torques alone are noisy, and an expert of its own walks). As for points, an episode of
    *navigate* gets a new goal whenever one is reached, and one of *stitch* has one goal four cells
    away.

    Args:
        maze: maze of the same map, for starts, goals and ways.
        model: MuJoCo's model of ant and maze.
        controls: low level that walks as commanded.
        kind: "stitch" or "navigate".
        seed: seed of starts, goals and noise.
        num_episodes: number of episodes; None for as many as OGBench has.
        threads: number of simulation threads, by default one per processor.

    Returns:
        Episodes with a row for each command; observations are places, actions are unit vectors.

    Raises:
        InputError: if `kind` is unknown, there is no episode, or the maze has teleporters.
    """
    size, length = log_sizes("ant_maze_log", maze, kind, num_episodes)
    if maze.entrances:
        raise InputError("ant_maze_log: maze must be without teleporters, got some")
    rng = np.random.default_rng([seed, len(maze.cells), kind == "stitch", HOLD])
    ants = AntMaze(model, controls, size, rng=rng, noise=TORQUE_NOISE, threads=threads)

    return recorded(
        maze,
        kind,
        (size, (length - 1) // HOLD + 1),
        rng,
        begin=ants.reset,
        step=ants.step,
        turned=headings,
        radius=GOAL_RADIUS,
    )
