"""Recorded choices in small mazes, and the likelihood of models as plain loops.

Nothing here uses the library's formulas: representations are whole matrices, plans are searches.
"""

import math
from collections import deque
from itertools import pairwise

import numpy as np

ROWS, COLUMNS, GOAL = 4, 5, 7
SIZE = ROWS * COLUMNS
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))


def neighbour(state, action):
    """Return the cell an action leads to, or None at the border."""
    row, column = state // COLUMNS + MOVES[action][0], state % COLUMNS + MOVES[action][1]
    inside = 0 <= row < ROWS and 0 <= column < COLUMNS
    return row * COLUMNS + column if inside else None


def draw_layouts(number=3, seed=0):
    """Return layouts with some walls, of which none encloses a cell next to the goal."""
    rng = np.random.default_rng(seed)
    free = np.ones((number, ROWS, COLUMNS), bool)
    for layout in free[1:]:
        for cell in rng.choice([1, 5, 11, 13, 16], 2, replace=False):
            layout[cell // COLUMNS, cell % COLUMNS] = False
    return free


def available(free, state):
    """Return the actions that lead to free neighbours, with these neighbours."""
    found = {action: neighbour(state, action) for action in range(4)}
    return {a: to for a, to in found.items() if to is not None and free.reshape(-1)[to]}


def draw_paths(free, seed=0, num_trials=5, longest=15, ends=True):
    """Return random walks as (layout, path), which end in the goal."""
    rng = np.random.default_rng(seed)
    paths = []
    for trial in range(num_trials):
        layout = trial % len(free)
        starts = [
            s for s in np.flatnonzero(free[layout]) if s != GOAL and available(free[layout], s)
        ]
        path = [int(rng.choice(starts))]
        for _ in range(rng.integers(3, longest)):
            if ends and path[-1] == GOAL:
                break
            path.append(int(rng.choice(list(available(free[layout], path[-1]).values()))))
        paths.append((layout, path))
    return paths


def softmax_log(options, values, chosen, previous):
    """Return the log probability of an action; options are values by action."""
    logits = {}
    for action, value in options.items():
        logit = values.get("inverse_temperature", 1.0) * value
        if previous is not None:
            logit += values.get("perseverance", 0.0) * (action == previous)
            logit += values.get(f"turn_{(action - previous) % 4}", 0.0)
        logits[action] = logit
    total = sum(math.exp(logit) for logit in logits.values())
    chance, lapse = math.exp(logits[chosen]) / total, values.get("lapse", 0.0)
    return math.log((1 - lapse) * chance + lapse / len(logits))


class PlainOccupancy:
    """A whole representation matrix, updated row by row."""

    def __init__(self, values, recurrence, chain):
        self.values, self.recurrence = values, recurrence
        discount = values["discount"]
        successor = np.linalg.inv(np.eye(SIZE) - discount * chain)
        diagonal = np.diag(successor)
        first = successor / diagonal
        self.matrix = first / (1 - recurrence * (1 - 1 / diagonal))
        self.trace = np.zeros(SIZE)

    def look(self, free, state):
        pass

    def value(self, state, action):
        return self.matrix[neighbour(state, action), GOAL]

    def learn(self, state, action, ahead, first):
        here = np.eye(SIZE)[state]
        again = np.where(here > 0, self.recurrence, 1.0)
        error = here + self.values["discount"] * again * self.matrix[ahead] - self.matrix[state]
        fade = self.values["discount"] * self.values.get("trace", 0.0)
        self.trace = (0 if first else fade) * self.trace + here
        self.matrix = self.matrix + self.values["step_size"] * np.outer(self.trace, error)


class PlainQ:
    """Q-learning with dictionaries."""

    def __init__(self, values, of_neighbours):
        self.values, self.of_neighbours = values, of_neighbours
        self.q = {}
        for state in range(SIZE):
            for action in range(4):
                ahead = neighbour(state, action)
                if ahead is not None and state != GOAL:
                    rows = abs(ahead // COLUMNS - GOAL // COLUMNS)
                    steps = rows + abs(ahead % COLUMNS - GOAL % COLUMNS)
                    self.q[state, action] = values["discount"] ** steps

    def look(self, free, state):
        pass

    def best(self, state):
        return max(self.q.get((state, action), 0.0) for action in range(4))

    def value(self, state, action):
        if not self.of_neighbours:
            return self.q.get((state, action), 0.0)
        ahead = neighbour(state, action)
        return 1.0 if ahead == GOAL else self.best(ahead)

    def learn(self, state, action, ahead, first):
        target = 1.0 if ahead == GOAL else self.values["discount"] * self.best(ahead)
        old = self.q.get((state, action), 0.0)
        self.q[state, action] = old + self.values["step_size"] * (target - old)


class PlainPlanner:
    """Breadth-first search over (cell, direction, switches) in the believed map."""

    def __init__(self, values, max_switches):
        self.values, self.max_switches = values, max_switches
        self.walls = set()

    def look(self, free, state):
        for cell in [state, *(neighbour(state, action) for action in range(4))]:
            if cell is not None and free.reshape(-1)[cell]:
                self.walls.discard(cell)
            elif cell is not None:
                self.walls.add(cell)

    def steps(self, start):
        if start == GOAL:
            return 0
        waiting = deque((start, direction, 0, 0) for direction in range(4))
        seen = set()
        while waiting:
            cell, direction, switches, steps = waiting.popleft()
            ahead = neighbour(cell, direction)
            if (cell, direction, switches) in seen or ahead is None or ahead in self.walls:
                continue
            seen.add((cell, direction, switches))
            if ahead == GOAL:
                return steps + 1
            for other in range(4):
                more = switches + (other != direction)
                if more <= self.max_switches:
                    waiting.append((ahead, other, more, steps + 1))
        return None

    def value(self, state, action):
        steps = self.steps(neighbour(state, action))
        return 0.0 if steps is None else self.values["discount"] ** steps

    def learn(self, state, action, ahead, first):
        pass


class Indifferent:
    """Values nothing."""

    def look(self, free, state):
        pass

    def value(self, state, action):
        return 0.0

    def learn(self, state, action, ahead, first):
        pass


def log_likelihoods(agent, values, free, paths):
    """Return the log probability of each move of a subject."""
    found = []
    for layout, path in paths:
        previous = None
        for state, ahead in pairwise(path):
            agent.look(free[layout], state)
            ways = available(free[layout], state)
            (chosen,) = (action for action, to in ways.items() if to == ahead)
            options = {action: agent.value(state, action) for action in ways}
            found.append(softmax_log(options, values, chosen, previous))
            agent.learn(state, chosen, ahead, previous is None)
            previous = chosen
    return found


def open_random_walk(ends=True):
    """Return the chain of a random walk in the open maze."""
    chain = np.zeros((SIZE, SIZE))
    for state in range(SIZE):
        ways = [neighbour(state, a) for a in range(4) if neighbour(state, a) is not None]
        for ahead in ways:
            chain[state, ahead] = 0 if ends and state == GOAL else 1 / len(ways)
    return chain
