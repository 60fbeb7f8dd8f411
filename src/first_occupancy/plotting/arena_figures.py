"""Maps and paths in metres, over an arena with obstacles."""

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import ArrayLike, Float
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize

from first_occupancy.plotting import style


@runtime_checkable
class Drawable(Protocol):
    """What is drawn of an arena, such as `behaviour.arenas.Arena`."""

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top in metres."""
        ...

    def picture(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "rows columns"]:
        """Return values by row and column, with NaN in walls."""
        ...


def arena_map(
    ax: Axes,
    arena: Drawable,
    values: Float[ArrayLike, " S"],
    *,
    label: str = "",
    logarithmic: bool = False,
) -> Axes:
    """Return the Axes with a value per cell, in metres; walls are grey.

    Args:
        ax: Axes to draw into.
        arena: the arena.
        values: a value for each cell.
        label: what the values are.
        logarithmic: whether colours are on a logarithmic scale; values of 0 are left out.
    """
    picture = arena.picture(np.asarray(values, float))
    shown = np.where(picture > 0, picture, np.nan) if logarithmic else picture
    seen = shown[np.isfinite(shown)]
    low, high = (seen.min(), seen.max()) if seen.size else (0.1, 1.0)
    scale = LogNorm(low, high) if logarithmic else Normalize(low, high)
    ax.set_facecolor(style.WALL)
    image = ax.imshow(
        shown, origin="lower", extent=arena.extent, cmap=style.HEAT, norm=scale, aspect="equal"
    )
    figure = ax.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=ax, shrink=0.85).set_label(label, fontsize=style.TEXT)
    ax.set_xlabel("metres", fontsize=style.TEXT)
    ax.set_ylabel("metres", fontsize=style.TEXT)
    return ax


def tracked_path(ax: Axes, positions: Float[np.ndarray, "T 2"], *, colour: str = style.INK) -> Axes:
    """Return the Axes with a path in metres, which breaks where positions are not known.

    Args:
        ax: Axes to draw into.
        positions: x and y in metres; NaN in gaps.
        colour: colour of the line.
    """
    x, y = np.asarray(positions, float).T
    ax.plot(x, y, color=colour, linewidth=style.THIN, alpha=0.7)
    return ax
