"""Saving figures: all of a file or nothing, and the same bytes for the same figure."""

import io
import os
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_whole

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
    """Return the path, after writing the figure to it as its suffix says.

    The file appears at once or not at all: an existing one survives every failure.
    """
    path = check_suffix(path)
    write_whole(path, _render(figure, path.suffix.lower()))
    return path


def check_suffix(path: str | os.PathLike[str]) -> Path:
    """Return the path, or raise if `save` could not tell its format; for checks before work."""
    path = Path(path)
    if path.suffix.lower() not in _METADATA:
        raise InputError(f"save: path must end in .png, .svg or .pdf, got {str(path)!r}")
    return path


def _render(figure: Figure, suffix: str) -> bytes:
    """Return the bytes of the figure in the format named by the suffix."""
    memory = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(memory, format=suffix[1:], dpi=RESOLUTION, metadata=dict(_METADATA[suffix]))
    return memory.getvalue()
