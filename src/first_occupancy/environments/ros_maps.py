"""Maps of robots: an image and a `map.yaml` as ROS's map server writes them.

    world = fo.from_ros_map("map.yaml", noise=0.1)
    plan = fo.plan(world, world.state_at(3.2, -1.5), discount=0.999)

A pixel of value v is occupied with the probability p = (255 - v) / 255, or v / 255 if the file says
`negate: 1`. It is free if p is below `free_thresh`; occupied and unknown pixels are walls. In the
mode "scale" all pixels up to `occupied_thresh` are free, but transparent ones are unknown.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.arguments import PositiveFloat, Share, check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.environments._maze_moves import FORBID, Moves
from first_occupancy.environments.map_images import Cell, brightness_of, map_world
from first_occupancy.environments.mazes import FOUR_MOVES, Maze

USUAL = {"negate": 0.0, "occupied_thresh": 0.65, "free_thresh": 0.196, "mode": "trinary"}
"""Values of what a file need not say."""

NEEDED = ("image", "resolution", "origin")

MODES = ("trinary", "scale")


@dataclass(frozen=True, eq=False, repr=False)
class RobotMap(Maze):
    """A maze that knows where its cells are, in metres.

    Attributes:
        resolution: side of a cell in metres.
        origin: x, y and yaw of the lower left corner of the map, in metres and radians.
    """

    resolution: float = 1.0
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @check_arguments
    def state_at(self, x: float, y: float) -> int:
        """Return the state at a position in metres.

        Args:
            x: metres along the first axis of the map's frame.
            y: metres along the second axis.

        Raises:
            InputError: if it is not in a free cell of the map.
        """
        turn = self._turned(-self.origin[2]) @ (x - self.origin[0], y - self.origin[1])
        right, up = np.floor(np.nan_to_num(turn / self.resolution, nan=-1.0)).tolist()
        rows, columns = self.free.shape
        row = rows - 1 - up
        inside = 0 <= row < rows and 0 <= right < columns
        if not (inside and self.free[int(row), int(right)]):
            raise InputError(
                f"state_at: ({x:g}, {y:g}) must be in a free cell, but is "
                f"{'a wall' if inside else 'outside the map'}"
            )
        return self.state(int(row), int(right))

    def position(self, state: int) -> tuple[float, float]:
        """Return x and y of the middle of a state's cell in metres."""
        row, column = self.cell(state)
        corner = np.array([column + 0.5, self.free.shape[0] - row - 0.5]) * self.resolution
        x, y = self._turned(self.origin[2]) @ corner + self.origin[:2]
        return float(x), float(y)

    def _turned(self, angle: float) -> Float[np.ndarray, "2 2"]:
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def _summary(self) -> str:
        return f"{super()._summary()}; cells of {self.resolution:g} m"


@check_arguments
def from_ros_map(
    path: Path | str,
    *,
    costs: PositiveFloat | None = None,
    one_way: Mapping[Cell, str] | None = None,
    start: tuple[float | int, float | int] | None = None,
    moves: Moves = FOUR_MOVES,
    noise: Share = 0.0,
    bump_cost: float = 0.0,
    corners: str = FORBID,
) -> RobotMap:
    """Return the world of a `map.yaml` of ROS; unknown cells are walls.

    Args:
        path: the file, which names the image.
        costs: cost of entering a cell that is as likely to be occupied as free cells may be; cells
            that are surely free cost 1. None for 1 everywhere.
        one_way: move by which a cell (row, column) can be left alone, by the move's name.
        start: position where episodes start, (x, y) in metres.
        moves: as for `maze`.
        noise: as for `maze`.
        bump_cost: as for `maze`.
        corners: as for `maze`.

    Raises:
        InputError: if the file lacks a key, has an unknown one, or a value that cannot be used.
        OSError: if a file cannot be read.
    """
    facts = _facts(path, _flat_yaml(path))
    brightness, transparent = brightness_of(Path(path).parent / facts["image"])
    occupied = brightness if facts["negate"] else 1 - brightness
    scaled = facts["mode"] == "scale"
    free = occupied <= facts["occupied_thresh"] if scaled else occupied < facts["free_thresh"]
    most = facts["occupied_thresh"] if scaled else facts["free_thresh"]
    times = None if costs is None else 1 + (costs - 1) * occupied / max(most, 1e-9)
    world = map_world(
        "from_ros_map", free & ~transparent, times, one_way=one_way, start=None, goals=(),
        moves=moves, noise=noise, bump_cost=bump_cost, corners=corners, kind=RobotMap,
        resolution=facts["resolution"], origin=tuple(facts["origin"]),
    )  # fmt: skip
    assert isinstance(world, RobotMap)
    return world if start is None else replace(world, start=world.state_at(*start))


def _facts(path: Path | str, found: dict[str, Any]) -> dict[str, Any]:
    """Return what a file says, checked, with the usual values of what it does not say."""
    unknown = [key for key in found if key not in (*NEEDED, *USUAL)]
    if unknown:
        raise InputError(
            f"from_ros_map: {path} must have the keys {', '.join((*NEEDED, *USUAL))}, "
            f"got {unknown[0]!r}"
        )
    missing = [key for key in NEEDED if key not in found]
    if missing:
        raise InputError(f"from_ros_map: {path} must say its {missing[0]}, but does not")
    facts: dict[str, Any] = USUAL | found
    for key, (fits, what) in _KEYS.items():
        if not fits(facts[key]):
            raise InputError(f"from_ros_map: {key} of {path} must be {what}, got {facts[key]!r}")
    return facts


_NUMBER = (lambda value: isinstance(value, float)), "a number"
_KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "negate": _NUMBER,
    "occupied_thresh": _NUMBER,
    "free_thresh": _NUMBER,
    "resolution": (
        lambda value: isinstance(value, float) and value > 0,
        "metres per pixel, above 0",
    ),
    "origin": (lambda value: isinstance(value, list) and len(value) == 3, "[x, y, yaw]"),
    "mode": (lambda value: value in MODES, " or ".join(MODES)),
    "image": (lambda value: isinstance(value, str), "the name of a file"),
}
"""What the value of each key must be."""


def _flat_yaml(path: Path | str) -> dict[str, Any]:
    """Return the keys and values of a flat YAML file: numbers, text and lists of numbers."""
    found: dict[str, Any] = {}
    last = None
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"from_ros_map: {path} must be a text file") from None
    for number, line in enumerate(lines, start=1):
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        if not text or text in ("---", "..."):
            continue
        key, colon, value = (part.strip() for part in text.partition(":"))
        if text.startswith("- ") and last is not None and found[last] in ("", []):
            found[last] = []
        if text.startswith("- ") and last is not None and isinstance(found[last], list):
            found[last].append(_value(text[2:].strip()))
        elif not colon or line[0] in " \t-" or not key:
            raise InputError(
                f"from_ros_map: {path} must hold lines `key: value`, got {line!r} in line {number}"
            )
        else:
            found[key], last = _value(value), key
    return found


def _value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    if text[:1] in "'\"" and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    try:
        return float(text)
    except ValueError:
        return text
