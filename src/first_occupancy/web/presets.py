"""Scenes to begin with."""

from typing import Literal

import numpy as np

from first_occupancy.environments.rooms import FOUR_ROOMS, SMALL_ROOM, escape_arena
from first_occupancy.web.scenes import Preset, Scene

TWO_ROOMS = """
#############
#.....#.....#
#.....#.....#
#...........#
#.....#.....#
#.S...#...G.#
#############
"""


def presets() -> list[Preset]:
    """Return all presets, the first one being what a new page shows."""
    four = _marked([line.replace("S", ".") for line in _split(FOUR_ROOMS)], (9, 1), [(1, 9)])
    empty = ["#" * 15, *["#" + "." * 13 + "#"] * 13, "#" * 15]
    return [
        _preset("FourRooms", "The paper's four rooms: four skills, a plan of three legs.", four),
        _preset("Small room", "The paper's 4 x 4 room.", _split(SMALL_ROOM), discount=0.9),
        _preset("Two rooms", "One door.", _split(TWO_ROOMS)),
        _preset("Empty room", "Nothing in the way: draw.", _marked(empty, (12, 2), [(2, 12)])),
        _preset(
            "Several goals",
            "The best order to visit them all.",
            _marked(empty, (7, 7), [(2, 2), (2, 12), (12, 4), (11, 11), (5, 9)]),
        ),
        _preset(
            "Escape arena",
            "A barrier between threat and shelter, eight moves.",
            _lines(escape_arena(25).free, (1, 12), [(23, 12)]),
            moves=8,
            discount=0.99,
        ),
        _preset("Big maze", "41 x 41, found by digging.", maze_by_digging(41), discount=0.98),
        _preset("Great hall", "60 x 60 with pillars.", _hall(), moves=8, discount=0.98),
    ]


def _split(drawing: str) -> list[str]:
    return [str(line) for line in drawing.split()]


def _preset(
    name: str, about: str, drawing: list[str], *, moves: Literal[4, 8] = 4, discount: float = 0.95
) -> Preset:
    scene = Scene(drawing=drawing, moves=moves, discount=discount)
    return Preset(name=name, about=about, scene=scene)


def _marked(lines: list[str], start: tuple[int, int], goals: list[tuple[int, int]]) -> list[str]:
    letters = np.array([list(line) for line in lines])
    letters[start] = "S"
    for goal in goals:
        letters[goal] = "G"
    return ["".join(line) for line in letters]


def _lines(free: np.ndarray, start: tuple[int, int], goals: list[tuple[int, int]]) -> list[str]:
    return _marked(["".join(line) for line in np.where(free, ".", "#")], start, goals)


def maze_by_digging(size: int, seed: int = 3) -> list[str]:
    """Return a maze of corridors with a few loops, made by depth-first search.

    Args:
        size: rows and columns of the maze, an odd number.
        seed: seed of the random choices.
    """
    rng = np.random.default_rng(seed)
    free = np.zeros((size, size), bool)
    free[1, 1], path = True, [(1, 1)]
    while path:
        row, column = path[-1]
        ahead = [
            (row + down, column + right)
            for down, right in ((-2, 0), (2, 0), (0, -2), (0, 2))
            if 0 < row + down < size and 0 < column + right < size
        ]
        closed = [cell for cell in ahead if not free[cell]]
        if not closed:
            path.pop()
            continue
        cell = closed[rng.integers(len(closed))]
        free[cell] = free[(cell[0] + row) // 2, (cell[1] + column) // 2] = True
        path.append(cell)
    inner = free[1:-1, 1:-1]
    inner |= rng.random(inner.shape) < 0.04
    return _lines(free, (size - 2, 1), [(1, size - 2)])


def _hall(size: int = 60) -> list[str]:
    free = np.ones((size, size), bool)
    free[[0, -1]] = free[:, [0, -1]] = False
    for row in range(6, size - 6, 9):
        for column in range(6, size - 6, 9):
            free[row : row + 4, column : column + 4] = False
    return _lines(free, (size - 3, 2), [(2, size - 3), (30, 32)])
