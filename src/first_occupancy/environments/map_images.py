"""Maps as images: one pixel per cell, dark pixels are walls."""

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
        path: image file.
        threshold: brightness from which a pixel is free, from 0 (black) to 1 (white). Transparent
            pixels count as white.

    Raises:
        InputError: if the file is no image, or `threshold` is not between 0 and 1.
        OSError: if it cannot be read.
    """
    from PIL import Image, UnidentifiedImageError

    if not 0 <= threshold <= 1:
        raise InputError(
            f"drawing_of_image: threshold must be at least 0 and at most 1, got {threshold}"
        )
    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST:
                raise InputError(
                    f"{path}: must have at most {LARGEST:,} pixels, got {image.width} x "
                    f"{image.height}"
                )
            coloured = image.convert("RGBA")
    except (UnidentifiedImageError, Image.DecompressionBombError, SyntaxError, ValueError):
        raise InputError(f"{path}: must be an image, but is damaged or of another kind") from None
    white = Image.new("RGBA", coloured.size, "white")
    brightness = np.asarray(Image.alpha_composite(white, coloured).convert("L")) / 255
    letters = np.where(brightness >= threshold, FREE[0], WALL)
    return ["".join(row) for row in letters]
