"""Searches in MiniGrid itself, over deep copies of the environment."""

from collections import deque
from copy import deepcopy


def told(environment, ended):
    """Return what tells a state apart: cells, pose, load, and where the object of the task is."""
    bare = environment.unwrapped
    targets = [
        [place for place, thing in enumerate(bare.grid.grid) if thing is getattr(bare, name, 0)]
        for name in ("obj", "door")
    ]
    inside = [
        (place, thing.contains.encode(), thing.contains is getattr(bare, "obj", None))
        for place, thing in enumerate(bare.grid.grid)
        if thing is not None and thing.contains is not None
    ]
    carried = bare.carrying
    load = carried and (carried.encode(), carried is getattr(bare, "obj", None))
    pose = (*map(int, bare.agent_pos), int(bare.agent_dir))
    visited = getattr(bare, "visited", b"")
    return (
        bare.grid.encode().tobytes(),
        pose,
        load,
        str(targets),
        str(inside),
        bytes(visited),
        ended,
    )


def searched(environment, seed=0, most=10**9):
    """Return the number of states met, and of steps to the nearest end; None if none was met.

    Args:
        environment: deterministic environment, whose time limits are taken away.
        most: number of states after which the search stops.
    """
    environment.reset(seed=seed)
    bare = environment.unwrapped
    bare.gen_obs = dict  # no step depends on what is seen
    seen, queue, nearest = {told(bare, False)}, deque([(bare, 0)]), None
    while queue and len(seen) < most:
        here, steps = queue.popleft()
        for action in range(here.action_space.n):
            ahead = deepcopy(here)
            _, _, ended, _, _ = ahead.step(action)
            key = told(ahead, ended)
            if key not in seen:
                seen.add(key)
                if ended:
                    nearest = steps + 1 if nearest is None else nearest
                else:
                    queue.append((ahead, steps + 1))
    return len(seen), nearest
