"""Logs of point mazes, by OGBench's recipe: a noisy walker who knows the way.

The walker heads for the next cell on a shortest way to its goal, with Gaussian noise on the action.
*Stitch*: many short episodes to goals four cells away, so that long ways have to be put together.
*Navigate*: long episodes, with a new goal whenever one is reached.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy_paper.worlds.point_mazes import GOAL_RADIUS, POINT_MAZES, PointMaze

SETS = tuple((maze, kind) for kind in ("navigate", "stitch") for maze in POINT_MAZES)
"""Names of the maze and the kind of each of OGBench's sets."""

ACTION_NOISE = 0.5
"""Standard deviation of the noise on each coordinate of an action."""

STITCH_CELLS = 4
"""Goals of *stitch* are so many cells away."""

SIZES = {"stitch": (5000, 201), "navigate": (1000, 1001), "navigate giant": (500, 2001)}
"""Episodes and observations in each, by the kind of log; giant mazes have their own."""


def point_maze_log(
    maze: PointMaze,
    kind: Literal["stitch", "navigate"],
    *,
    seed: int,
    num_episodes: int | None = None,
) -> Episodes:
    """Return a log by the published recipe, about a million transitions if whole.

    Args:
        maze: maze to walk in.
        kind: "stitch" or "navigate".
        seed: seed of starts, goals and noise.
        num_episodes: number of episodes; None for as many as OGBench has.

    Raises:
        InputError: if `kind` is unknown, or there is no episode.
    """
    size, length = log_sizes("point_maze_log", maze, kind, num_episodes)
    rng = np.random.default_rng([seed, len(maze.cells), kind == "stitch"])
    positions = np.empty((size, 2))

    def step(actions: Float[np.ndarray, "B 2"]) -> Float[np.ndarray, "B 2"]:
        seen, positions[:] = maze.step(positions, actions, rng)
        return seen

    begin = partial(np.copyto, positions)
    return recorded(maze, kind, (size, length), rng, begin=begin, step=step)


def sizes_of(maze: PointMaze, kind: str) -> tuple[int, int]:
    """Return the number of episodes of a whole log, and the observations in each."""
    return SIZES.get(f"{kind} {maze.name}", SIZES[kind])


def log_sizes(caller: str, maze: PointMaze, kind: str, num_episodes: int | None) -> tuple[int, int]:
    """Return the number of episodes, by default that of a whole log, and the observations in each.

    Args:
        caller: name of the public function, for errors.
    """
    if kind not in ("stitch", "navigate"):
        raise InputError(f"{caller}: kind must be stitch or navigate, got {kind!r}")
    if num_episodes is not None and num_episodes < 1:
        raise InputError(f"{caller}: num_episodes must be at least 1, got {num_episodes}")
    whole, length = sizes_of(maze, kind)
    return whole if num_episodes is None else num_episodes, length


def recorded(
    maze: PointMaze,
    kind: str,
    shape: tuple[int, int],
    rng: np.random.Generator,
    *,
    begin: Callable[[Float[np.ndarray, "B 2"]], None],
    step: Callable[[Float[np.ndarray, "B 2"]], Float[np.ndarray, "B 2"]],
    turned: Callable[[Float[np.ndarray, "B 2"]], Float[np.ndarray, "B 2"]] | None = None,
    radius: float = GOAL_RADIUS,
) -> Episodes:
    """Return episodes of walkers that follow shortest ways noisily: points, ants or others.

    Args:
        maze: map, starts, goals and ways.
        kind: "stitch" or "navigate".
        shape: number of episodes, and of observations in each.
        rng: source of starts, goals and noise.
        begin: puts the walkers at their starts.
        step: moves them by their actions, and returns the places that are observed then.
        turned: function applied to noisy directions before they are executed and recorded, if any.
        radius: distance within which a goal is reached.
    """
    size, length = shape
    starts = maze.cells[rng.integers(len(maze.cells), size=size)]
    goal_cells = _four_away(maze, starts, rng) if kind == "stitch" else _crossings(maze, size, rng)
    goals = maze.scattered(goal_cells, rng)
    seen = maze.scattered(starts, rng)
    begin(seen)
    observations, actions = np.empty((2, length, size, 2), np.float32)
    for time in range(length):
        observations[time] = seen
        here, there = maze.cells_of(seen), maze.cells_of(goals)
        ahead = maze.centres(maze.next_cells[*here.T, *there.T]) - seen
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True) + 1e-6
        action = np.clip(ahead + rng.normal(0, ACTION_NOISE, ahead.shape), -1, 1)
        actions[time] = action = action if turned is None else turned(action)
        seen = step(action)
        if kind == "navigate":
            reached = np.linalg.norm(seen - goals, axis=1) <= radius
            others = maze.scattered(_crossings(maze, size, rng), rng)
            goals = np.where(reached[:, None], others, goals)
    last = np.zeros((size, length), bool)
    last[:, -1] = True
    rows, acts = (each.swapaxes(0, 1).reshape(-1, 2) for each in (observations, actions))
    return Episodes.of_rows(rows, acts, last.ravel())


def _four_away(
    maze: PointMaze, starts: Int[np.ndarray, "B 2"], rng: np.random.Generator
) -> Int[np.ndarray, "B 2"]:
    goals = starts.copy()
    for number, (row, column) in enumerate(starts):
        there = np.argwhere(maze.routes[row, column] == STITCH_CELLS)
        if len(there):
            goals[number] = there[rng.integers(len(there))]
    return goals


def _crossings(maze: PointMaze, size: int, rng: np.random.Generator) -> Int[np.ndarray, "B 2"]:
    """Return cells drawn from those that are not the inside of a straight corridor."""
    row, column = maze.cells.T
    free = maze.free
    up, down = free[row - 1, column], free[row + 1, column]
    left, right = free[row, column - 1], free[row, column + 1]
    straight = (up & down & ~left & ~right) | (~up & ~down & left & right)
    chosen = maze.cells[~straight]
    return chosen[rng.integers(len(chosen), size=size)]


def rolled_out(
    maze: PointMaze,
    positions: Float[np.ndarray, "B 2"],
    goals: Float[np.ndarray, "B 2"],
    act: Callable[[Float[np.ndarray, "B 2"], Int[np.ndarray, " B"]], Float[np.ndarray, "B 2"]],
    *,
    max_steps: int,
    rng: np.random.Generator,
) -> Int[np.ndarray, " B"]:
    """Return after how many steps each of many episodes reached its goal; -1 if it did not.

    Args:
        maze: maze to act in.
        positions: where the discs start.
        goals: their goals.
        act: function from observations [B 2] and the numbers of the episodes that still run [B] to
            actions [B 2].
        max_steps: limit of an episode.
        rng: source of randomness of the maze.
    """
    arrived = np.full(len(positions), -1)
    running = np.arange(len(positions))
    seen, positions = np.array(positions), np.array(positions)
    for time in range(1, max_steps + 1):
        if not len(running):
            break
        actions = act(seen[running], running)
        seen[running], positions[running] = maze.step(positions[running], actions, rng)
        near = np.linalg.norm(seen[running] - goals[running], axis=1) <= GOAL_RADIUS
        arrived[running[near]] = time
        running = running[~near]
    return arrived
