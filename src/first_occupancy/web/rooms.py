"""A scene as the library sees it: a maze, and which move each base policy takes in each state."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int, Num
from scipy.sparse import csr_array

from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES, Maze, arrows, maze
from first_occupancy.environments.arrows import ARROWS, SYMBOLS
from first_occupancy.planning._sparse.noisy_mazes import chain_of
from first_occupancy.web.scenes import MOST_GOALS, Scene


@dataclass(frozen=True, eq=False)
class Room:
    """The maze of a scene with its base policies.

    Attributes:
        maze: the maze, with its noise.
        policies: names of the base policies.
        actions: the move of each policy in each state.
        discount: discount factor per step.
    """

    maze: Maze
    policies: tuple[str, ...]
    actions: Int[np.ndarray, "N S"]
    discount: float

    @cached_property
    def cells(self) -> Int[np.ndarray, " S"]:
        """The cell of every state, counted row by row over the whole drawing."""
        return np.flatnonzero(self.maze.free)

    @property
    def start(self) -> int | None:
        """The state of the 'S'."""
        return self.maze.start

    @property
    def goals(self) -> tuple[int, ...]:
        """The states of the 'G's, as many as are planned for."""
        return self.maze.goals[:MOST_GOALS]

    @cached_property
    def next_states(self) -> Int[np.ndarray, "N S"]:
        """Where each policy leads from each state when nothing goes wrong."""
        return self.maze.next_states[self.actions, np.arange(self.maze.num_states)[None]]

    def chain(self, actions: Int[np.ndarray, " S"]) -> csr_array:
        """Return the chain of taking one action in each state, -1 being any with equal chance."""
        return chain_of(self.maze.next_states, actions, noise=self.maze.noise)

    def on_cells(
        self, values: Num[np.ndarray, " S"], elsewhere: float
    ) -> Num[np.ndarray, " cells"]:
        """Return a value per state as one per cell.

        Args:
            values: a value for each state.
            elsewhere: value of walls.
        """
        result = np.full(self.maze.free.size, elsewhere, values.dtype)
        result[self.cells] = values
        return result

    def floats(self, values: Float[np.ndarray, " S"]) -> list[float | None]:
        """Return positive values per cell with six digits, None for walls and for nothing."""
        rounded = [float(f"{value:.6g}") if value > 0 else None for value in values.tolist()]
        result: list[float | None] = [None] * self.maze.free.size
        for cell, value in zip(self.cells.tolist(), rounded, strict=True):
            result[cell] = value
        return result


def room(scene: Scene) -> Room:
    """Return the scene's room; raises InputError where there is no free cell."""
    lines = tidy(scene.drawing)
    moves = EIGHT_MOVES if scene.moves == 8 else FOUR_MOVES
    world = maze(lines, moves=moves, noise=scene.noise)
    if not scene.drawn:
        actions = np.repeat(np.arange(len(moves))[:, None], world.num_states, axis=1)
        names = tuple(SYMBOLS[name] for name in world.action_names)
    else:
        actions = np.stack(
            [drawn_actions(world, scene, number) for number in range(len(scene.drawn))]
        )
        names = tuple(chr(ord("A") + number) for number in range(len(scene.drawn)))
    return Room(world, names, actions, scene.discount)


def tidy(drawing: list[str]) -> list[str]:
    """Return lines of equal length with one start, the last: shorter ones end in walls."""
    width = max(map(len, drawing))
    text = "\n".join(line.ljust(width, "#") for line in drawing)
    last = text.rfind("S")
    return (text[:last].replace("S", ".") + text[last:] if last >= 0 else text).split("\n")


def arrow_lines(scene: Scene, number: int) -> list[str]:
    """Return a drawn policy with an arrow on every cell, as `drawn_policy` reads it.

    Args:
        scene: the scene.
        number: which of its drawn policies, from 0.
    """
    policy = scene.drawn[number]
    usual = next(arrow for arrow, name in ARROWS.items() if name == policy.usual)
    rows, columns = len(scene.drawing), max(map(len, scene.drawing))
    lines = [*policy.arrows, *[""] * rows][:rows]
    return [line[:columns].ljust(columns, ".").replace(".", usual) for line in lines]


def drawn_actions(world: Maze, scene: Scene, number: int) -> Int[np.ndarray, " S"]:
    """Return the move that a drawn policy takes in each state.

    Args:
        world: the maze of the scene.
        scene: the scene.
        number: which of its drawn policies, from 0.
    """
    return arrows.drawn_actions(world, arrow_lines(scene, number))
