"""MiniGrid's DoorKey, simulated in plain Python as an oracle of searches in the real one."""

from collections import deque

MOVES = ((1, 0), (0, 1), (-1, 0), (0, -1))
LOCKED, CLOSED, OPEN = range(3)


def read(environment):
    """Return walls, door and goal of the grid, and the first state."""
    bare = environment.unwrapped
    places = {"wall": set(), "door": set(), "key": set(), "goal": set()}
    for column in range(bare.width):
        for row in range(bare.height):
            thing = bare.grid.get(column, row)
            if thing is not None:
                places[thing.type].add((column, row))
    (door,), (goal,), (key,) = places["door"], places["goal"], places["key"]
    start = (*(int(number) for number in bare.agent_pos), int(bare.agent_dir), key, LOCKED)
    return places["wall"], door, goal, start


def step(layout, state, action):
    """Return the state after left, right, forward, pick up, drop, toggle or done (0 to 6)."""
    walls, door, goal = layout
    x, y, facing, key, lock = state
    front = (x + MOVES[facing][0], y + MOVES[facing][1])
    if action in (0, 1):
        return (x, y, (facing + (1 if action else 3)) % 4, key, lock)
    if action == 2:
        blocked = front in walls or front == key or (front == door and lock != OPEN)
        return state if blocked else (*front, facing, key, lock)
    if action == 3 and front == key:
        return (x, y, facing, None, lock)
    if action == 4 and key is None and front not in walls | {door, goal}:
        return (x, y, facing, front, lock)
    if action == 5 and front == door and (lock != LOCKED or key is None):
        return (x, y, facing, key, CLOSED if lock == OPEN else OPEN)
    return state


def searched(environment):
    """Return the number of states, and of steps from the start to the goal, by plain search."""
    *layout, start = read(environment)
    goal, steps = layout[2], {start: 0}
    queue, shortest = deque([start]), None
    while queue:
        here = queue.popleft()
        if here[:2] == goal:
            shortest = steps[here] if shortest is None else shortest
            continue
        for action in range(7):
            ahead = step(layout, here, action)
            if ahead not in steps:
                steps[ahead] = steps[here] + 1
                queue.append(ahead)
    return len(steps), shortest
