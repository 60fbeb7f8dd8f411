"""The full state of MiniGrid: cells, the pose, what is carried, and what the task refers to.

    world = fo.from_environment(gymnasium.make("MiniGrid-DoorKey-8x8-v0"), seed=0)

Tasks refer to objects in the grid: Unlock to its door, KeyCorridor to its ball. So objects are not
copied: a state says where they are and which attributes they have, and restoring it puts the very
same objects back.

The clock is left out: time limits do not change what a step does. MiniGrid's reward falls with
time, so rewards are those of reaching the goal in the first step.
"""

from collections.abc import Hashable
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.interop.enumeration.copying import Copies
from first_occupancy.interop.states import whole_key

IMMUTABLE = {"wall", "floor", "goal", "lava"}
"""Kinds of objects that no step changes."""

NO_STATE = {"step_count", "max_steps", "_np_random", "_np_random_seed", "window", "clock"} | {
    *("render_mode", "render_size", "screen_size", "tile_size", "highlight", "agent_pov", "gen_obs")
}
"""Attributes of the environment that do not change what a step does."""

NO_KEY = NO_STATE | {"agent_pos", "agent_dir", "carrying", "grid"}
"""Attributes that the key leaves out, or has in a form of their own."""

NO_ATTRIBUTE = NO_STATE | {"grid"}

_MUTABLE = (list, dict, set, np.ndarray)
"""Kinds of attributes that steps may change in place."""


def is_minigrid(bare: Any) -> bool:
    """Return whether an environment without wrappers is MiniGrid's, or built like it."""
    return all(hasattr(bare, name) for name in ("agent_pos", "agent_dir", "grid", "carrying"))


class _Layout(NamedTuple):
    """What is in each cell; states in which only objects or the agent differ share it."""

    cells: tuple[Any, ...]
    things: list[tuple[int, Any]]
    """The objects that may change, with the number of their cell."""
    code: bytes
    """The other objects."""


class MiniGridCopies(Copies):
    """MiniGrid, saved and restored by the places and attributes of its objects.

    Steps compute no observation, which takes most of a step's time.
    """

    restores_chance = False
    without_chance = ("grid",)

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._layouts: dict[tuple[Any, ...], _Layout] = {}

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action, and return the reward and whether it terminated the episode."""
        own = vars(self.bare).get("gen_obs")
        self.bare.gen_obs = dict
        try:
            _, reward, terminated, _, _ = self.bare.step(action)
        finally:
            del self.bare.gen_obs
            if own is not None:
                self.bare.gen_obs = own
        return float(reward), bool(terminated)

    def save(self) -> Any:
        """Return where the objects are, their attributes, and those of the environment."""
        bare, layout = self.bare, self._layout()
        attributes = {name: part for name, part in vars(bare).items() if name not in NO_ATTRIBUTE}
        things: dict[int, Any] = {}
        ahead = [thing for _, thing in layout.things] + list(attributes.values())
        while ahead:
            part = ahead.pop()
            if isinstance(part, list):
                ahead += part
            elif id(part) not in things and _changes(part):
                things[id(part)] = part
                ahead.append(part.contains)
        shapes = [(thing, _apart(vars(thing))) for thing in things.values()]
        return bare.grid, layout.cells, shapes, _apart(attributes)

    def restore(self, saved: Any) -> None:
        """Put every object back where it was, and the clock to 0."""
        bare = self.bare
        bare.grid, cells, shapes, attributes = saved
        bare.grid.grid = list(cells)
        for thing, shape in shapes:
            vars(thing).update(_apart(shape))
        vars(bare).update(_apart(attributes))
        bare.step_count = 0

    def whole(self) -> Hashable:
        """Return the pose, the carried object, every cell and the task."""
        bare, layout = self.bare, self._layout()
        tags, task = _told(bare)
        column, row = bare.agent_pos
        codes = tuple((place, _code(thing, tags)) for place, thing in layout.things)
        pose = int(column), int(row), int(bare.agent_dir)
        return pose, _code(bare.carrying, tags), codes, layout.code, task

    def _layout(self) -> _Layout:
        cells = tuple(self.bare.grid.grid)
        if cells not in self._layouts:
            things = [(place, thing) for place, thing in enumerate(cells) if _changes(thing)]
            others = (None if _changes(thing) else thing for thing in cells)
            code = b"".join(_code(thing, {}) for thing in others)
            self._layouts[cells] = _Layout(cells, things, code)
        return self._layouts[cells]


def _changes(part: Any) -> bool:
    """Return whether this is an object of the grid that steps may change."""
    is_thing = hasattr(part, "can_overlap") and not isinstance(part, type)
    return is_thing and part.type not in IMMUTABLE


def _apart(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with copies of what steps may change in place."""
    return {name: _copied(value) for name, value in attributes.items()}


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [*map(_copied, value)]
    return copy(value) if isinstance(value, _MUTABLE) else value


def _told(bare: Any) -> tuple[dict[int, bytes], Hashable]:
    """Return which attributes refer to each object, and the task in plain values."""
    tags, task = {}, []
    for name, value in vars(bare).items():
        if name in NO_KEY:
            continue
        plain = _plain(value)
        if plain is not None:
            task.append((name, plain))
        for number, thing in enumerate(value if isinstance(value, list | tuple) else (value,)):
            if _changes(thing):
                tags[id(thing)] = tags.get(id(thing), b"") + b"%s %d " % (name.encode(), number)
    return tags, tuple(sorted(task))


def _plain(value: Any) -> Hashable:
    """Return a value as numbers, text and tuples of them; None for what is neither."""
    if isinstance(value, (str, int, float, np.generic, np.ndarray)):
        return whole_key(value)
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return tuple(sorted((repr(name), repr(_plain(part))) for name, part in value.items()))
    return tuple(sorted(map(repr, value))) if isinstance(value, set) else None


def _code(thing: Any, tags: dict[int, bytes]) -> bytes:
    """Return what tells an object apart: look, contents, and which attributes refer to it."""
    if thing is None:
        return b"\x01\x00\x00"
    code = bytes(thing.encode()) + tags.get(id(thing), b"")
    inside = getattr(thing, "contains", None)
    return code if inside is None else code + b"\xff" + _code(inside, tags)
