"""Environments of Gymnasium's that several tests begin with."""

from first_occupancy.environments import maze
from first_occupancy.interop.extras import gymnasium
from first_occupancy.interop.gym import registration  # noqa: F401 (it registers the worlds)
from first_occupancy.interop.gym.finite_environments import MazeEnvironment

DRAWING = ["S.#", "..G"]
ARGUMENTS = {"first_occupancy/Maze-v0": {"drawing": DRAWING}}


def made(name, **options):
    name = f"first_occupancy/{name}-v0"
    return gymnasium.make(name, **ARGUMENTS.get(name, {}), **options)


def small(**options):
    """Return eight cells around a pillar."""
    return MazeEnvironment(maze(["S..", ".#.", "..G"], **options))
