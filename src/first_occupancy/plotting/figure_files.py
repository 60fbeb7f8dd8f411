"""Figures that Jupyter shows; their files, whole or not at all, the same for equal figures."""

import io
import os
from base64 import b64encode
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import drop_unfinished, write_whole

RESOLUTION = 200
"""Dots per inch of PNGs."""

# None leaves an entry out: dates and versions would make equal figures differ.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
# Ids in SVGs are random unless salted; type 42 fonts keep PDF text searchable.
_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "first-occupancy", "pdf.fonttype": 42}


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure to a file, in the format that its suffix names.

    The file is written whole or not at all: if anything fails, an existing file is left as it was.

    Args:
        figure: what to save.
        path: file to write, ending in .png, .svg or .pdf.

    Returns:
        The path.
    """
    path = check_suffix(path)
    drop_unfinished(path)
    write_whole(path, render(figure, path.suffix.lower()))
    return path


def check_suffix(path: str | os.PathLike[str]) -> Path:
    """Return the path if `save` knows the format of its suffix; raise `InputError` otherwise.

    Call it before a long computation whose result is to be saved.
    """
    path = Path(path)
    if path.suffix.lower() not in _METADATA:
        raise InputError(f"save: path must end in .png, .svg or .pdf, got {str(path)!r}")
    return path


def render(figure: Figure, suffix: str) -> bytes:
    """Return the bytes of a figure's file, the same for equal figures."""
    memory = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(memory, format=suffix[1:], dpi=RESOLUTION, metadata=dict(_METADATA[suffix]))
    return memory.getvalue()


SHOWN_AT = 100
"""Dots per inch at which notebooks show figures; they have more, for sharp screens."""


class NotebookFigure(Figure):
    """A figure that shows itself in notebooks as a PNG; matplotlib's own does so by pyplot only."""

    def _repr_png_(self) -> tuple[str, dict[str, Any]]:
        """Return the picture in base 64, and the size at which to show it."""
        width, height = (round(SHOWN_AT * inches) for inches in self.get_size_inches())
        picture = b64encode(render(self, ".png")).decode("ascii")
        return picture, {"width": width, "height": height}
