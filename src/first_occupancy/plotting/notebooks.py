"""Figures that Jupyter shows when they are the last line of a cell.

Ours are made outside pyplot, so that no global state is touched; matplotlib's own `Figure` then has
no picture to offer to a notebook.
"""

from base64 import b64encode
from typing import Any

from matplotlib.figure import Figure

from first_occupancy.plotting.saving import render

SHOWN_AT = 100
"""Dots per inch at which notebooks show figures; they have more, for sharp screens."""


class NotebookFigure(Figure):
    """A matplotlib `Figure` that shows itself in notebooks as a PNG."""

    def _repr_png_(self) -> tuple[str, dict[str, Any]]:
        """Return the picture in base 64, and the size at which to show it."""
        width, height = (round(SHOWN_AT * inches) for inches in self.get_size_inches())
        picture = b64encode(render(self, ".png")).decode("ascii")
        return picture, {"width": width, "height": height}
