"""Maps as images: one pixel per cell, dark pixels are walls, and greys may be costs."""

import warnings
from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Num

from first_occupancy.core.arguments import Share, check_arguments
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.environments._maze_moves import FORBID, Moves, numbered_cells
from first_occupancy.environments.mazes import FOUR_MOVES, Maze, checked_moves, maze_of_cells

IMAGES = (".png", ".bmp", ".gif", ".pgm")
"""Endings of the names of images; formats that lose detail are no maps."""

LARGEST = 100_000_000
"""Largest number of pixels of a map."""

Cell = tuple[int, int]


@check_arguments
def from_image(
    path: Path | str,
    *,
    threshold: Share = 0.5,
    costs: float | int | Num[np.ndarray, "rows columns"] | None = None,
    one_way: Mapping[Cell, str] | None = None,
    start: Cell | None = None,
    goals: Sequence[Cell] = (),
    moves: Moves = FOUR_MOVES,
    noise: Share = 0.0,
    bump_cost: float = 0.0,
    corners: str = FORBID,
) -> Maze:
    """Return the maze of an image, in which each pixel is a cell and dark pixels are walls.

    Args:
        path: the image; transparent pixels count as white.
        threshold: brightness from which a pixel is free, from 0 (black) to 1 (white).
        costs: cost of entering the darkest free grey, at the threshold; white costs 1, and the cost
            grows evenly in between. Or an array with the cost of each cell. None for 1 everywhere.
        one_way: move by which a cell (row, column) can be left alone, by the move's name.
        start: cell where episodes start.
        goals: cells that are marked as goals.
        moves: as for `maze`.
        noise: as for `maze`.
        bump_cost: as for `maze`.
        corners: as for `maze`.

    Raises:
        InputError: if the file is no image, or an argument is invalid.
        OSError: if it cannot be read.
    """
    brightness, _ = brightness_of(path)
    if costs is None or np.ndim(costs):
        times = None if costs is None else np.asarray(costs)
    elif not 0 < costs < np.inf:
        raise InputError(f"from_image: costs must be finite and above 0, got {as_given(costs)}")
    else:
        # At threshold 1 all free cells are white.
        share = (1 - brightness) / max(1 - threshold, 1e-9)
        times = np.where(share > 0, 1 + (costs - 1) * share, 1.0)
    return map_world(
        "from_image", brightness >= threshold, times, one_way=one_way, start=start, goals=goals,
        moves=moves, noise=noise, bump_cost=bump_cost, corners=corners,
    )  # fmt: skip


def map_world(
    caller: str,
    free: Bool[np.ndarray, "rows columns"],
    costs: Num[np.ndarray, "rows columns"] | None,
    *,
    one_way: Mapping[Cell, str] | None,
    start: Cell | None,
    goals: Sequence[Cell],
    moves: Moves,
    **options: Any,
) -> Maze:
    """Return the maze of a map, everything checked."""
    numbers, moves = numbered_cells(free), checked_moves(moves)

    def state(what: str, cell: Any) -> int:
        rows, columns = free.shape
        try:
            row, column = map(index, cell)
        except (TypeError, ValueError):
            row = column = -1
        if not (0 <= row < rows and 0 <= column < columns and free[row, column]):
            raise InputError(
                f"{caller}: {what} must be a free cell (row, column) of the {rows} x {columns} "
                f"map, got {as_given(cell)}"
            )
        return int(numbers[row, column])

    names, exits = [name for name, _ in moves], np.full(int(free.sum()), -1, np.int32)
    for cell, name in (one_way or {}).items():
        if name not in names:
            raise InputError(
                f"{caller}: one_way must name moves, one of {', '.join(names)}, got {name!r}"
            )
        exits[state("one_way", cell)] = names.index(name)
    return maze_of_cells(
        free,
        start=None if start is None else state("start", start),
        goals=tuple(state("goals", goal) for goal in goals),
        exits=exits if one_way else None,
        entry_times=None if costs is None else _checked_costs(caller, free, costs),
        moves=moves,
        **options,
    )


def _checked_costs(
    caller: str, free: Bool[np.ndarray, "rows columns"], costs: Num[np.ndarray, "rows columns"]
) -> Float[np.ndarray, " S"] | None:
    if costs.shape != free.shape:
        raise InputError(
            f"{caller}: costs must have the map's shape {list(free.shape)}, got {list(costs.shape)}"
        )
    times = np.asarray(costs[free])
    if times.dtype.kind not in "iuf" or not (np.isfinite(times) & (times > 0)).all():
        raise InputError(f"{caller}: costs must be finite and above 0, got {as_given(times.min())}")
    return None if (times == 1).all() else times.astype(np.float64)


def brightness_of(
    path: Path | str,
) -> tuple[Float[np.ndarray, "rows columns"], Bool[np.ndarray, "rows columns"]]:
    """Return the brightness of each pixel, from 0 to 1, and which ones are transparent."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit is ours
            with Image.open(path) as image:
                width, height = image.size
                coloured = image.convert("RGBA") if width * height <= LARGEST else None
    except Image.DecompressionBombError:
        raise InputError(f"{path}: must have at most {LARGEST:,} pixels, got more") from None
    except (OSError, SyntaxError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # there is no such file
            raise
        raise InputError(f"{path}: must be an image, but is damaged or of another kind") from None
    if coloured is None:
        raise InputError(f"{path}: must have at most {LARGEST:,} pixels, got {width} x {height}")
    white = Image.new("RGBA", coloured.size, "white")
    brightness = np.asarray(Image.alpha_composite(white, coloured).convert("L")) / 255
    return brightness, np.asarray(coloured)[..., 3] < 128
