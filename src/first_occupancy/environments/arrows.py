"""Policies drawn as arrows over a maze, and the symbols that figures show for moves."""

from collections.abc import Sequence

import jax
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.environments.mazes import Maze

ARROWS = {"^": "up", ">": "right", "v": "down", "<": "left"}
"""Moves by the character that stands for them in a drawing."""
SYMBOLS = {
    "up": "↑",
    "right": "→",
    "down": "↓",
    "left": "←",
    "up-right": "↗",
    "down-right": "↘",
    "down-left": "↙",
    "up-left": "↖",
}
"""Symbols by move, for display."""


@check_arguments
def drawn_policy(world: Maze, drawing: str | Sequence[str]) -> Float[Array, "S A"]:
    """Return the policy that follows the arrows '^', '>', 'v', '<' drawn on the free cells.

    >>> from first_occupancy.environments.mazes import maze
    >>> drawn_policy(maze(["..#", "..."]), [">v#", "^<<"]).argmax(axis=1).tolist()
    [1, 2, 0, 3, 3]

    Args:
        world: maze whose moves the arrows stand for.
        drawing: text or lines of the maze's shape, with an arrow on every free cell.

    Raises:
        InputError: if the drawing has another shape, or a free cell has no arrow.
    """
    lines = drawing.split() if isinstance(drawing, str) else list(drawing)
    shape = [len(line) for line in lines]
    rows, columns = world.free.shape
    if shape != [columns] * rows:
        raise InputError(
            f"drawn_policy: the drawing must have {rows} lines of {columns} characters "
            f"as the maze has, got lines of {shape}"
        )
    actions = []
    for row, column in world.cells:
        arrow = lines[row][column]
        if ARROWS.get(arrow) not in world.action_names:
            raise InputError(
                "drawn_policy: free cells must have '^', '>', 'v' or '<', "
                f"got {arrow!r} at ({row}, {column})"
            )
        actions.append(world.action_names.index(ARROWS[arrow]))
    return jax.nn.one_hot(np.array(actions), world.num_actions)
