"""Point mazes: a disc that is moved by velocity commands through corridors, as in OGBench.

The mazes, tasks, teleporters and rules are those of OGBench's `pointmaze` environments (Park et
al., ICLR 2025; MIT licence). The code is ours: many points move at once, in NumPy, without a
physics engine. A step adds `REACH` times the action to the position; then contacts push the disc
out of the walls. In MuJoCo, with the benchmark's settings, a fixed share `LEFT_INSIDE` of the
penetration is left after a step, and nothing else moves, since velocities are reset. In inner
corners friction adds to that, which is left out here. `tests/peers/test_ogbench.py` compares the
steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

UNIT = 4.0
"""Side of a cell."""

RADIUS = 0.7
"""Radius of the disc."""

REACH = 0.2
"""Distance that a unit action moves the disc."""

LEFT_INSIDE = 0.1774
"""Share of a penetration of walls that is left after a step."""

NOISE = 1.0
"""Starts and goals lie up to this far from the centre of their cell, in each coordinate."""

GOAL_RADIUS = 1.0
"""A goal is reached within this distance."""

TELEPORT_RADIUS = 1.5
"""A teleporter takes in whatever comes within this distance of its centre."""

SIDES = ((-1, 0), (0, -1), (1, 0), (0, 1))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))

Cell = tuple[int, int]


@dataclass(frozen=True, eq=False)
class PointMaze:
    """A maze for a disc, with five tasks.

    Attributes:
        name: name of the maze.
        drawing: rows of cells, `#` for walls.
        tasks: pairs (start, goal) of cells.
        entrances: cells in whose centre a teleporter stands.
        exits: cells to which teleporters lead, each as likely.
    """

    name: str
    drawing: tuple[str, ...]
    tasks: tuple[tuple[Cell, Cell], ...]
    entrances: tuple[Cell, ...] = ()
    exits: tuple[Cell, ...] = ()

    @cached_property
    def free(self) -> Bool[np.ndarray, "rows columns"]:
        """Whether each cell is free."""
        return np.array([[each != "#" for each in row] for row in self.drawing])

    @cached_property
    def cells(self) -> Int[np.ndarray, "C 2"]:
        """The free cells, row by row."""
        return np.argwhere(self.free)

    def centres(self, cells: Sequence[Cell] | Int[np.ndarray, "B 2"]) -> Float[np.ndarray, "B 2"]:
        """Return the positions (x, y) of the centres of cells (row, column)."""
        return (np.asarray(cells, float)[..., ::-1] - 1) * UNIT

    def cells_of(self, positions: Float[np.ndarray, "*B 2"]) -> Int[np.ndarray, "*B 2"]:
        """Return the cell (row, column) in which each position (x, y) lies."""
        return np.floor(positions[..., ::-1] / UNIT + 1.5).astype(int)

    def scattered(
        self, cells: Sequence[Cell] | Int[np.ndarray, "B 2"], rng: np.random.Generator
    ) -> Float[np.ndarray, "B 2"]:
        """Return a random position near the centre of each cell, as starts and goals are drawn."""
        centres = self.centres(cells)
        return centres + rng.uniform(-NOISE, NOISE, centres.shape)

    def step(
        self,
        positions: Float[np.ndarray, "B 2"],
        actions: Float[np.ndarray, "B 2"],
        rng: np.random.Generator,
    ) -> tuple[Float[np.ndarray, "B 2"], Float[np.ndarray, "B 2"]]:
        """Return what is observed after a step, and where the discs then are.

        They differ only in teleporters: as in OGBench, the observation still shows the entrance,
        while the disc is at an exit already.

        Args:
            positions: where the discs are.
            actions: their actions, clipped to [-1, 1].
            rng: source of randomness, of which teleporters draw exits.
        """
        moved = self._pushed_out(positions + REACH * np.clip(actions, -1, 1))
        if not self.entrances:
            return moved, moved
        far = moved[:, None] - self.centres(self.entrances)
        inside = (np.linalg.norm(far, axis=-1) <= TELEPORT_RADIUS).any(axis=1)
        exits = self.centres(self.exits)[rng.integers(len(self.exits), size=len(moved))]
        return moved, np.where(inside[:, None], exits, moved)

    def _pushed_out(self, positions: Float[np.ndarray, "B 2"]) -> Float[np.ndarray, "B 2"]:
        cells = self.cells_of(positions)
        off = np.abs(positions - self.centres(cells))
        # Away from all walls, which is the rule, there is nothing to do.
        near = np.flatnonzero((off > UNIT / 2 - RADIUS).any(axis=1))
        moved = positions.copy()
        for side in (*SIDES, *CORNERS):
            block = cells[near] + np.array(side)
            left = LEFT_INSIDE * np.maximum(self._depth(positions[near], block)[0], 0)
            depth, normal = self._depth(moved[near], block)
            push = np.where(self.free[tuple(block.T)], 0, np.maximum(depth - left, 0))
            moved[near] += push[:, None] * normal
        return moved

    def _depth(
        self, positions: Float[np.ndarray, "B 2"], block: Int[np.ndarray, "B 2"]
    ) -> tuple[Float[np.ndarray, " B"], Float[np.ndarray, "B 2"]]:
        """Return how deep discs are in a block of wall, and in which direction it pushes them."""
        offset = positions - self.centres(block)
        away = offset - np.clip(offset, -UNIT / 2, UNIT / 2)
        far = np.linalg.norm(away, axis=1)
        return RADIUS - far, away / np.maximum(far, 1e-12)[:, None]

    @cached_property
    def routes(self) -> Int[np.ndarray, "rows columns rows columns"]:
        """Steps from each cell to each cell, along free cells; -1 where there is no way."""
        rows, columns = self.cells.T
        beside = cdist(self.cells, self.cells, "cityblock") == 1
        steps = shortest_path(beside, unweighted=True)
        routes = np.full(self.free.shape * 2, -1)
        starts = (rows[:, None], columns[:, None])
        routes[*starts, rows, columns] = np.where(np.isfinite(steps), steps, -1)
        return routes

    @cached_property
    def next_cells(self) -> Int[np.ndarray, "rows columns rows columns 2"]:
        """The next cell on a shortest way from each cell to each cell; the cell itself if none."""
        shape = self.free.shape
        grid = np.moveaxis(np.indices(shape), 0, -1)
        chosen = np.broadcast_to(grid[:, :, None, None], (*shape, *shape, 2)).copy()
        for row, column in self.cells:
            for down, right in reversed(SIDES):  # of two ways, the first side is chosen
                there = (row + down, column + right)
                closer = self.routes[there] < self.routes[row, column]
                if self.free[there]:
                    chosen[row, column][closer] = there
        return chosen


MEDIUM = PointMaze(
    "medium",
    (
        "########",
        "#..##..#",
        "#..#...#",
        "##...###",
        "#..#...#",
        "#.#..#.#",
        "#...#..#",
        "########",
    ),
    (((1, 1), (6, 6)), ((6, 1), (1, 6)), ((5, 3), (4, 2)), ((6, 5), (6, 1)), ((2, 6), (1, 1))),
)

LARGE = PointMaze(
    "large",
    (
        "############",
        "#....#.....#",
        "#.##.#.#.#.#",
        "#......#...#",
        "#.####.###.#",
        "#..#.#.....#",
        "##.#.#.#.###",
        "#..#...#...#",
        "############",
    ),
    (((1, 1), (7, 10)), ((5, 4), (7, 1)), ((7, 4), (1, 10)), ((3, 8), (5, 4)), ((1, 1), (5, 4))),
)

GIANT = PointMaze(
    "giant",
    (
        "################",
        "#.#......##....#",
        "#.#.##.#.#..##.#",
        "#...#..#...#...#",
        "#.###.######.#.#",
        "#...#...#....#.#",
        "###.#.#..#.#.###",
        "#...#..#...#...#",
        "#.#.#.######.#.#",
        "#.###...#...##.#",
        "#.....#...#....#",
        "################",
    ),
    (
        ((1, 1), (10, 14)),
        ((1, 14), (10, 1)),
        ((8, 14), (1, 1)),
        ((8, 3), (5, 12)),
        ((5, 9), (3, 8)),
    ),
)

TELEPORT = PointMaze(
    "teleport",
    (
        "############",
        "#.....#.#..#",
        "##.#...#..##",
        "##.###.....#",
        "#....#.#.#.#",
        "#.##.#.#.#.#",
        "#.##.#.#.#.#",
        "#....#...#.#",
        "############",
    ),
    (((1, 10), (7, 1)), ((1, 1), (7, 10)), ((5, 6), (7, 10)), ((7, 1), (7, 10)), ((5, 6), (7, 1))),
    entrances=((4, 6), (5, 1)),
    exits=((1, 7), (6, 1), (6, 10)),
)

POINT_MAZES = {each.name: each for each in (MEDIUM, LARGE, GIANT, TELEPORT)}
