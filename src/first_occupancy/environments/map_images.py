"""Maps as images: one pixel per cell, dark pixels are walls."""

import warnings
from pathlib import Path

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.environments.drawings import FREE, WALL

IMAGES = (".png", ".bmp", ".gif")
"""Endings of the names of images; formats that lose detail are no maps."""

LARGEST = 100_000_000
"""Largest number of pixels of a map."""


def drawing_of_image(path: Path | str, *, threshold: float = 0.5) -> list[str]:
    """Return the drawing of an image, which `maze` takes: each pixel is a cell.

    Args:
        threshold: brightness from which a pixel is free, from 0 (black) to 1 (white). Transparent
            pixels count as white.

    Raises:
        InputError: if the file is no image, or `threshold` is not between 0 and 1.
        OSError: if it cannot be read.
    """
    from PIL import Image

    if not 0 <= threshold <= 1:
        raise InputError(
            f"drawing_of_image: threshold must be at least 0 and at most 1, got {threshold}"
        )
    coloured, size = None, (0, 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit is ours
            with Image.open(path) as image:
                size = image.size
                if size[0] * size[1] <= LARGEST:
                    coloured = image.convert("RGBA")
    except Image.DecompressionBombError:
        raise InputError(f"{path}: must have at most {LARGEST:,} pixels, got more") from None
    except (OSError, SyntaxError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # there is no such file
            raise
        raise InputError(f"{path}: must be an image, but is damaged or of another kind") from None
    if coloured is None:
        raise InputError(f"{path}: must have at most {LARGEST:,} pixels, got {size[0]} x {size[1]}")
    white = Image.new("RGBA", coloured.size, "white")
    brightness = np.asarray(Image.alpha_composite(white, coloured).convert("L")) / 255
    letters = np.where(brightness >= threshold, FREE[0], WALL)
    return ["".join(row) for row in letters]
