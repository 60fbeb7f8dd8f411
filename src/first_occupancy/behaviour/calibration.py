"""From the pixels of a camera to metres: scale, origin and rotation, or the arena's four corners.

Four corners fix a projective map, which also corrects a camera that looks at the arena from the
side. If a pixel (u, v) is at $(x, y)$, then $x = (a u + b v + c) / (g u + h v + 1)$ and
$y = (d u + e v + f) / (g u + h v + 1)$: two linear equations per corner for the eight numbers.
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.errors import InputError, as_given

Number = float | int
Point = tuple[Number, Number]

FLATTEST = 1e-6
"""Least area of a triangle of three corners, as a share of the square of the longest side."""


def in_metres(
    pixels: Float[np.ndarray, "T 2"],
    *,
    scale: Number,
    origin: Point,
    rotation: Number,
    flip_y: bool,
) -> Float[np.ndarray, "T 2"]:
    """Return positions in metres.

    Args:
        rotation: degrees by which the arena is turned back, counterclockwise, after the flip.
    """
    x, y = (scale * (pixels - np.asarray(origin, float))).T
    y = -y if flip_y else y
    turn = np.deg2rad(rotation)
    cosine, sine = np.cos(turn), np.sin(turn)
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=1)


def by_corners(
    pixels: Float[np.ndarray, "T 2"],
    corners: Any,
    size: Any,
) -> Float[np.ndarray, "T 2"]:
    """Return positions in metres, by where the corners of a rectangle are.

    Args:
        corners: pixels of the corners at (0, 0), (width, 0), (width, height) and (0, height).
    """
    try:
        seen, (width, height) = np.asarray(corners, float), map(float, size)
    except (TypeError, ValueError):
        seen, width, height = np.zeros(0), 0.0, 0.0
    if seen.shape != (4, 2) or not np.isfinite(seen).all() or not min(width, height) > 0:
        raise InputError(
            "read_tracking: corners must be four pixels (x, y), with size=(width, height) of the "
            f"rectangle in metres, got shape {list(seen.shape)} and {as_given(size)}"
        )
    _check_no_line(seen)
    places = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    # Pixels near 1 keep the equations well conditioned.
    middle, spread = seen.mean(axis=0), np.abs(seen - seen.mean(axis=0)).max()
    (u, v), (x, y) = ((seen - middle) / spread).T, places.T
    one, none = np.ones(4), np.zeros(4)
    rows = np.concatenate(
        [
            np.stack([u, v, one, none, none, none, -u * x, -v * x], axis=1),
            np.stack([none, none, none, u, v, one, -u * y, -v * y], axis=1),
        ]
    )
    a, b, c, d, e, f, g, h = np.linalg.solve(rows, np.concatenate([x, y]))
    u, v = ((pixels - middle) / spread).T
    below = g * u + h * v + 1
    return np.stack([(a * u + b * v + c) / below, (d * u + e * v + f) / below], axis=1)


def _check_no_line(corners: Float[np.ndarray, "4 2"]) -> None:
    longest = max(np.linalg.norm(a - b) for a in corners for b in corners)
    ahead = np.roll(corners, -1, axis=0) - corners
    turns = np.linalg.det(np.stack([np.roll(ahead, 1, axis=0), ahead], axis=1))
    flat = np.flatnonzero(~(np.abs(turns) > FLATTEST * longest**2))
    if len(flat):
        raise InputError(
            "read_tracking: corners must not lie on one line, but corners "
            f"{(flat[0] - 1) % 4}, {flat[0]} and {(flat[0] + 1) % 4} do"
        )
    if len(set(np.sign(turns))) > 1:
        raise InputError(
            "read_tracking: corners must go round the rectangle, from (0, 0) to (width, 0), "
            "(width, height) and (0, height), got another order"
        )
