"""The full state of MiniGrid: every cell, the agent's pose, and what it carries.

    world = enumerate_copies(gymnasium.make("MiniGrid-DoorKey-8x8-v0"), seed=0)

The clock is left out: time limits do not change what a step does. MiniGrid's reward falls with
time, so rewards are those of reaching the goal in the first step.
"""

from collections.abc import Hashable
from copy import copy
from typing import Any

from first_occupancy.interop.enumeration.copying import Copies

IMMUTABLE = {"wall", "floor", "goal", "lava"}
"""Kinds of objects that no step changes, so that copies of a state may share them."""


def is_minigrid(bare: Any) -> bool:
    """Return whether an environment without wrappers is MiniGrid's, or built like it."""
    return all(hasattr(bare, name) for name in ("agent_pos", "agent_dir", "grid", "carrying"))


def pose_of(environment: Any) -> tuple[int, int, int]:
    """Return (column, row, direction) of the agent, a key for worlds where nothing else changes."""
    bare = environment.unwrapped
    column, row = bare.agent_pos
    return int(column), int(row), int(bare.agent_dir)


class MiniGridCopies(Copies):
    """MiniGrid, saved and restored by its grid, agent and carried object.

    Steps compute no observation, which takes most of a step's time; `observation` does.
    """

    restores_chance = False
    without_chance = ("grid",)

    def step(self, action: Any) -> tuple[float, bool]:
        """Take an action, and return the reward and whether it terminated the episode."""
        bare = self.bare
        observe, bare.gen_obs = bare.gen_obs, dict
        try:
            _, reward, terminated, _, _ = bare.step(action)
        finally:
            bare.gen_obs = observe
        return float(reward), bool(terminated)

    def save(self) -> Any:
        """Return all that can change; only objects that steps can change are copied."""
        bare = self.bare
        position = tuple(int(number) for number in bare.agent_pos)
        extra = {name: getattr(bare, name) for name in EXTRAS if hasattr(bare, name)}
        cells, changing = list(bare.grid.grid), {}
        for place, thing in enumerate(cells):
            if thing is not None and thing.type not in IMMUTABLE:
                cells[place], changing[place] = None, _copied(thing)
        return cells, changing, position, int(bare.agent_dir), _copied(bare.carrying), extra

    def restore(self, saved: Any) -> None:
        """Put copies of all that can change in place, and the clock to 0."""
        cells, changing, position, direction, carrying, extra = saved
        bare = self.bare
        bare.grid.grid = cells.copy()
        for place, thing in changing.items():
            bare.grid.grid[place] = _copied(thing)
        bare.agent_pos, bare.agent_dir, bare.step_count = position, direction, 0
        bare.carrying = _copied(carrying)
        vars(bare).update(extra)

    def whole(self) -> Hashable:
        """Return every cell, the pose and the carried object, as bytes."""
        bare = self.bare
        column, row = bare.agent_pos
        pose = bytes((int(column), int(row), int(bare.agent_dir)))
        return pose + b"".join(map(_code, (bare.carrying, *bare.grid.grid)))

    def observation(self) -> Any:
        """Return what the agent sees, through the wrappers."""
        seen = self.bare.gen_obs()
        for wrapper in reversed(list(_wrappers(self.environment))):
            if hasattr(wrapper, "observation"):
                seen = wrapper.observation(seen)
        return seen


EXTRAS = ("success", "failure")
"""Attributes of some of MiniGrid's tasks that change in the course of an episode."""

NOTHING = b"\x01\x00\x00"
"""The code of an empty cell."""

CONTAINS = b"\xff"
"""Marks that the code of an object is followed by that of its contents."""


def _copied(thing: Any) -> Any:
    if thing is None or thing.type in IMMUTABLE:
        return thing
    other = copy(thing)
    if other.contains is not None:
        other.contains = _copied(other.contains)
    return other


def _code(thing: Any) -> bytes:
    if thing is None:
        return NOTHING
    code = vars(thing).get("_code")
    if code is not None:
        return code
    code = bytes(thing.encode())
    if thing.type in IMMUTABLE:
        thing._code = code  # there are many of them, and encoding takes long
    return code if thing.contains is None else code + CONTAINS + _code(thing.contains)


def _wrappers(environment: Any) -> Any:
    while hasattr(environment, "env"):
        yield environment
        environment = environment.env
