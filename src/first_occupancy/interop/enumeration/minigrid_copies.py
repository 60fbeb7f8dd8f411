"""The full state of MiniGrid: cells, the pose, what is carried, and what the task refers to.

    world = fo.from_environment(gymnasium.make("MiniGrid-DoorKey-8x8-v0"), seed=0)

Tasks refer to objects in the grid: Unlock to its door, KeyCorridor to its ball. So objects are not
copied: a state says where the objects of the episode are and which attributes have changed,
and restoring it puts the very same objects back. References stay right, and states stay small.

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
"""Kinds of objects that no step changes, so that copies of a state may share them."""

NO_STATE = {"step_count", "max_steps", "_np_random", "_np_random_seed", "window", "clock"} | {
    *("render_mode", "render_size", "screen_size", "tile_size", "highlight", "agent_pov", "gen_obs")
}
"""Attributes of the environment that do not change what a step does."""

NO_KEY = NO_STATE | {"agent_pos", "agent_dir", "carrying", "grid"}
"""Attributes that the key leaves out, or has in a form of their own."""

NO_ATTRIBUTE = NO_STATE | {"grid"}


def is_minigrid(bare: Any) -> bool:
    """Return whether an environment without wrappers is MiniGrid's, or built like it."""
    return all(hasattr(bare, name) for name in ("agent_pos", "agent_dir", "grid", "carrying"))


class _Episode(NamedTuple):
    """How an episode began: the states in it are told by what has changed since."""

    grid: Any
    cells: list[Any]
    things: list[Any]
    shapes: list[dict[str, Any]]
    attributes: dict[str, Any]
    codes: list[bytes | None]
    told: tuple[dict[Any, bytes], bytes]


class _Reference(NamedTuple):
    """The number of an object among the things of its episode."""

    number: int


class MiniGridCopies(Copies):
    """MiniGrid, saved and restored by what has changed since the episode began.

    Steps compute no observation, which takes most of a step's time; `observation` does.
    """

    restores_chance = False
    without_chance = ("grid",)

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._episodes: list[_Episode] = []
        self._at = -1

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action, and return the reward and whether it terminated the episode."""
        self._episode()  # before anything changes
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
        """Return what has changed since the episode began."""
        episode, bare = self._episode(), self.bare
        cells = [
            (place, self._saved(thing))
            for place, (thing, before) in enumerate(zip(bare.grid.grid, episode.cells, strict=True))
            if thing is not before
        ]
        shapes = [
            (number, changed)
            for number, (thing, before) in enumerate(
                zip(episode.things, episode.shapes, strict=True)
            )
            if (changed := self._changed(vars(thing), before))
        ]
        return self._at, cells, shapes, self._changed(_attributes(bare), episode.attributes)

    def restore(self, saved: Any) -> None:
        """Put every object of the episode back where it was, and the clock to 0."""
        self._at, cells, shapes, attributes = saved
        episode, bare = self._episodes[self._at], self.bare
        for thing, before in zip(episode.things, episode.shapes, strict=True):
            vars(thing).update(before)
        for number, changed in shapes:
            vars(episode.things[number]).update(self._restored(changed))
        bare.grid = episode.grid
        bare.grid.grid = episode.cells.copy()
        for place, thing in self._restored(dict(cells)).items():
            bare.grid.grid[place] = thing
        vars(bare).update(_apart(episode.attributes))
        vars(bare).update(self._restored(attributes))
        bare.step_count = 0

    def whole(self) -> Hashable:
        """Return every cell, the pose, the carried object and the task, as bytes."""
        bare, episode = self.bare, self._episode()
        column, row = bare.agent_pos
        changed = any(
            name not in NO_KEY and not _same(value, episode.attributes.get(name))
            for name, value in vars(bare).items()
        )
        tags, task = _told(bare) if changed else episode.told
        codes = [
            _code(thing, tags) if thing is not before or code is None else code
            for thing, before, code in zip(
                bare.grid.grid, episode.cells, episode.codes, strict=True
            )
        ]
        pose = bytes((int(column), int(row), int(bare.agent_dir)))
        return pose + _code(bare.carrying, tags) + b"".join(codes) + task

    def observation(self) -> Any:
        """Return what the agent sees, through the wrappers."""
        seen = self.bare.gen_obs()
        for wrapper in reversed(list(_wrappers(self.environment))):
            if hasattr(wrapper, "observation"):
                seen = wrapper.observation(seen)
        return seen

    def _episode(self) -> _Episode:
        """Return the episode that the environment is in, after noting how it began if it is new."""
        grid = self.bare.grid
        if self._at < 0 or self._episodes[self._at].grid is not grid:
            known = [number for number, each in enumerate(self._episodes) if each.grid is grid]
            if not known:
                self._episodes.append(self._begun())
            self._at = known[0] if known else len(self._episodes) - 1
        return self._episodes[self._at]

    def _begun(self) -> _Episode:
        bare, things, ahead = self.bare, [], []
        ahead += [bare.grid.grid, *_attributes(bare).values()]
        while ahead:
            part = ahead.pop()
            if isinstance(part, list):
                ahead += part
            elif (
                _is_thing(part) and part.type not in IMMUTABLE and not self._is_known(part, things)
            ):
                part._number = len(things)
                things.append(part)
                ahead.append(part.contains)
        cells = list(bare.grid.grid)
        shapes = [vars(thing).copy() for thing in things]
        mutable = set(map(id, things))
        codes = [None if id(thing) in mutable else _code(thing, {}) for thing in cells]
        attributes = _apart(_attributes(bare))
        return _Episode(bare.grid, cells, things, shapes, attributes, codes, _told(bare))

    def _is_known(self, thing: Any, things: list[Any]) -> bool:
        number = getattr(thing, "_number", len(things))
        return number < len(things) and things[number] is thing

    def _changed(self, now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
        return {
            name: self._saved(value)
            for name, value in now.items()
            if not _same(value, before.get(name))
        }

    def _saved(self, value: Any) -> Any:
        if isinstance(value, _MUTABLE):
            return [*map(self._saved, value)] if isinstance(value, list) else copy(value)
        if not _is_thing(value) or value.type in IMMUTABLE:
            return value
        known = self._is_known(value, self._episodes[self._at].things)
        return _Reference(value._number) if known else _copied(value)

    def _restored(self, saved: dict[Any, Any]) -> dict[Any, Any]:
        things = self._episodes[self._at].things

        def restored(value: Any) -> Any:
            if isinstance(value, _MUTABLE):
                return [*map(restored, value)] if isinstance(value, list) else copy(value)
            return things[value.number] if isinstance(value, _Reference) else _copied(value)

        return {name: restored(value) for name, value in saved.items()}


NOTHING = b"\x01\x00\x00"
"""The code of an empty cell."""

CONTAINS = b"\xff"
"""Marks that the code of an object is followed by that of its contents."""

_MUTABLE = (list, dict, set, np.ndarray)
"""Kinds of attributes that steps may change in place."""

_PLAIN = (int, float, bool, str, np.generic, np.ndarray)


def _attributes(bare: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(bare).items() if name not in NO_ATTRIBUTE}


def _apart(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with copies of what steps may change in place."""
    return {
        name: copy(value) if isinstance(value, _MUTABLE) else value
        for name, value in attributes.items()
    }


def _same(value: Any, before: Any) -> bool:
    if value is before or not isinstance(value, _MUTABLE) or type(value) is not type(before):
        return value is before
    return whole_key(value) == whole_key(before)


def _told(bare: Any) -> tuple[dict[Any, bytes], bytes]:
    """Return which attributes refer to an object, by its number, and the task in plain values."""
    tags, task = {}, []
    for name, value in vars(bare).items():
        if name in NO_KEY:
            continue
        task.append((name, _plain(value)))
        for number, thing in enumerate(value if isinstance(value, list | tuple) else (value,)):
            if _is_thing(thing):
                which = vars(thing).get("_number")
                tags[which] = tags.get(which, b"") + b"\xfe%s %d\xfe" % (name.encode(), number)
    return tags, repr(sorted(task, key=lambda pair: pair[0])).encode()


def _plain(value: Any) -> Any:
    """Return a value as numbers, text and tuples of them; None for what is neither."""
    if isinstance(value, _PLAIN):
        return whole_key(value)
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return sorted((repr(name), _plain(part)) for name, part in value.items())
    return sorted(map(repr, value)) if isinstance(value, set) else None


def _is_thing(part: Any) -> bool:
    return hasattr(part, "can_overlap") and not isinstance(part, type)


def _copied(value: Any) -> Any:
    """Return a copy of an object that a step made, and anything else as it is."""
    if not _is_thing(value) or value.type in IMMUTABLE:
        return value
    other = copy(value)
    vars(other).pop("_number", None)
    other.contains = _copied(other.contains)
    return other


def _code(thing: Any, tags: dict[Any, bytes]) -> bytes:
    """Return what tells an object apart: look, contents, and which attribute refers to it."""
    if thing is None:
        return NOTHING
    code = vars(thing).get("_code")
    if code is not None:
        return code
    code = bytes(thing.encode())
    if thing.type in IMMUTABLE:
        thing._code = code  # there are many of them, and encoding takes long
        return code
    code += tags.get(vars(thing).get("_number"), b"")
    return code if thing.contains is None else code + CONTAINS + _code(thing.contains, tags)


def _wrappers(environment: Any) -> Any:
    while hasattr(environment, "env"):
        yield environment
        environment = environment.env
