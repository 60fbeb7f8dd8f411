"""Goals from logs with default calls: do agents arrive?

    python -m first_occupancy_paper.worlds.logged_shown FOLDER --jobs 16

| part | log | goals |
| --- | --- | --- |
| `pendulum-3`, `pendulum-4` | 500 episodes of 200 steps; (cos, sin, speed), or the torque, too | \
10 upright, 40 random ones, 40 states of another log; from hanging, 400 steps |
| `u_room-100000`, `u_room-4000` | that many transitions, in a U-shaped room with momentum | \
50 places at rest, from 50 others, within 0.15, 600 steps |
| `maze-MAZE-KIND` | a whole log of OGBench's point maze, a million transitions | 20 of each task |
| `maze-giant-navigate-regions` | the same | the same goals, as regions with the maze's radius |

Every part is a file in the folder (`logged_rows`); a line of results for each is printed at the
end.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

import first_occupancy as fo
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row, grouped, where
from first_occupancy_paper.worlds import logged_rows
from first_occupancy_paper.worlds.logged_worlds import LENGTH, LOGGED_WORLDS, wrapped
from first_occupancy_paper.worlds.point_maze_logs import SETS, point_maze_log
from first_occupancy_paper.worlds.point_mazes import GOAL_RADIUS, POINT_MAZES

States = Float[np.ndarray, "B K"]
Moved = tuple[States, Float[np.ndarray, "B O"]]
"""States after a step, and what is seen of them."""

SEED = 10
"""Seed of all logs."""

TORQUE = 2.0
"""Largest torque on the pendulum."""


def pendulum_rows(numbers: int, num_goals: int = 40) -> Iterator[Row]:
    """Yield a row for each goal of the pendulum, seen as so many numbers."""
    known = fo.landmark_world(_pendulum_log(SEED, 500, numbers))
    rng = np.random.default_rng([SEED, 1])
    upright = np.zeros((min(10, num_goals), 3))
    random = np.zeros((num_goals, 3))
    random[:, :2] = rng.uniform([-np.pi, -2], [np.pi, 2], (num_goals, 2))
    seen = _pendulum_log(SEED + 1, 10, 4).observations
    recorded = _swinging(seen[rng.choice(len(seen), num_goals, replace=False)])

    def step(states: States, actions: Float[np.ndarray, "B 1"]) -> Moved:
        states = _swung(states, np.clip(actions, -TORQUE, TORQUE), rng)
        return states, _seen_swinging(states, numbers)

    for kind, goals in {"upright": upright, "random": random, "recorded": recorded}.items():
        for goal in goals:
            start = np.array([[np.pi + rng.uniform(-0.05, 0.05), 0, 0]])
            target = _seen_swinging(goal[None], numbers)[0]
            begin = start, _seen_swinging(start, numbers)
            found = _followed(known, target, begin, step, partial(_swung_to, goal), 400)
            yield {"goals": kind, "goal": goal.tolist(), **found}


def _swung(states: States, torque: Float[np.ndarray, "B 1"], rng: np.random.Generator) -> States:
    """Return angle, speed and last torque after a step."""
    swinging = LOGGED_WORLDS["pendulum"].step(states[:, :2], torque / TORQUE, rng)
    return np.hstack([swinging, torque])


def _seen_swinging(states: States, numbers: int) -> Float[np.ndarray, "B O"]:
    angle, speed, torque = states.T
    return np.stack([np.cos(angle), np.sin(angle), speed, torque], axis=1)[:, :numbers]


def _swinging(seen: Float[np.ndarray, "B 4"]) -> States:
    return np.stack([np.arctan2(seen[:, 1], seen[:, 0]), seen[:, 2], seen[:, 3]], axis=1)


def _swung_to(
    goal: Float[np.ndarray, " 3"], seen: Float[np.ndarray, "B O"]
) -> Bool[np.ndarray, " B"]:
    """Return whether angles are within 0.2 rad, and speeds within 0.6 rad/s."""
    off = wrapped(np.arctan2(seen[:, 1], seen[:, 0]) - goal[0])
    return (np.abs(off) < 0.2) & (np.abs(seen[:, 2] - goal[1]) < 0.6)


def _pendulum_log(seed: int, num_episodes: int, numbers: int) -> Episodes:
    """Return a log in which every second episode pushes in the direction of the swing, mostly."""
    rng = np.random.default_rng([seed, 0])
    states = rng.uniform([-np.pi, -1, 0], [np.pi, 1, 0], (num_episodes, 3))
    held = rng.uniform(-TORQUE, TORQUE, num_episodes)
    seen, done = [_seen_swinging(states, numbers)], []
    for _ in range(LENGTH):
        drawn = rng.uniform(-TORQUE, TORQUE, num_episodes)
        held = np.where(rng.random(num_episodes) < 0.1, drawn, held)
        pumping = (np.arange(num_episodes) % 2 == 0) & (rng.random(num_episodes) < 0.9)
        torque = np.where(pumping, TORQUE * np.sign(states[:, 1]), held)[:, None]
        states = _swung(states, torque, rng)
        seen.append(_seen_swinging(states, numbers))
        done.append(torque)
    return Episodes(list(np.stack(seen, 1)), list(np.stack(done, 1)))


def u_room_rows(transitions: int, num_goals: int = 50) -> Iterator[Row]:
    """Yield a row for each goal in the U-shaped room, with a log of so many transitions."""
    room = LOGGED_WORLDS["u room"]
    known = fo.landmark_world(_u_room_log(SEED, transitions // LENGTH))
    rng = np.random.default_rng([SEED, 1])

    def step(states: States, actions: Float[np.ndarray, "B 2"]) -> Moved:
        moved = room.step(states, actions, rng)
        return moved, moved

    starts, goals = room.starts(rng, num_goals), room.starts(rng, num_goals)
    for start, goal in zip(starts[:, None], goals, strict=True):
        arrived = partial(_within, goal[:2], 0.15)
        found = _followed(known, goal, (start, start), step, arrived, 600)
        yield {"start": start[0].tolist(), "goal": goal.tolist(), **found}


def _within(
    goal: Float[np.ndarray, " 2"], radius: float, seen: Float[np.ndarray, "B O"]
) -> Bool[np.ndarray, " B"]:
    return np.linalg.norm(seen[:, :2] - goal, axis=1) <= radius


def _u_room_log(seed: int, num_episodes: int) -> Episodes:
    """Return a log that heads for places around, which change with 3% a step."""
    rng, room = np.random.default_rng([seed, 0]), LOGGED_WORLDS["u room"]
    states, targets = (room.starts(rng, num_episodes) for _ in range(2))
    targets, drift = targets[:, :2], np.zeros((num_episodes, 2))
    seen, done = [states], []
    for _ in range(LENGTH):
        new = (rng.random(num_episodes) < 0.03)[:, None]
        targets = np.where(new, states[:, :2] + rng.normal(0, 0.8, targets.shape), targets)
        drift = 0.9 * drift + 0.3 * rng.normal(size=drift.shape)
        ahead = 3 * (targets - states[:, :2]) - 8 * states[:, 2:] + drift
        done.append(np.clip(ahead, -1, 1))
        states = room.step(states, done[-1], rng)
        seen.append(states)
    return Episodes(list(np.stack(seen, 1)), list(np.stack(done, 1)))


def maze_rows(
    name: str,
    kind: Any,
    each: int = 20,
    num_episodes: int | None = None,
    *,
    region: bool = False,
) -> Iterator[Row]:
    """Yield a row for each episode of the five tasks of a point maze.

    Args:
        each: episodes of each task.
        num_episodes: episodes of the log; None for all.
        region: whether goals are the regions within the maze's radius, not observations.
    """
    maze = POINT_MAZES[name]
    known = fo.landmark_world(point_maze_log(maze, kind, seed=SEED, num_episodes=num_episodes))
    for task, (start, goal) in enumerate(maze.tasks):
        rng = np.random.default_rng([SEED, task, 1])

        def step(states: States, actions: Float[np.ndarray, "B 2"], rng: Any = rng) -> Moved:
            seen, moved = maze.step(states, actions, rng)
            return moved, seen

        starts, goals = (maze.scattered([cell] * each, rng) for cell in (start, goal))
        for begin, end in zip(starts[:, None], goals, strict=True):
            arrived = partial(_within, end, GOAL_RADIUS)
            target = arrived if region else end
            found = _followed(known, target, (begin, begin), step, arrived, 1000)
            yield {"task": task + 1, **found}


def _followed(
    known: fo.LandmarkWorld,
    goal: Any,
    begin: Moved,
    step: Callable[[States, Float[np.ndarray, "B A"]], Moved],
    arrived: Callable[[Float[np.ndarray, "1 O"]], Bool[np.ndarray, " 1"]],
    max_steps: int,
) -> Row:
    """Return after how many steps an agent arrived, or that it did not, or the refusal."""
    try:
        found = fo.plan(known, goal)
    except InputError as error:
        return {"reached": False, "refused": str(error)}
    agent, (states, seen) = found.agent(), begin
    for time in range(max_steps + 1):
        if arrived(seen)[0]:
            return {"reached": True, "steps": time}
        states, seen = step(states, agent.predict(seen[0])[0][None])
    return {"reached": False, "stalls": agent.stalls}


def _parts() -> logged_rows.Parts:
    parts: dict[str, Callable[[], Iterator[Row]]] = {}
    for maze, kind in SETS:
        parts[f"maze-{maze}-{kind}"] = partial(maze_rows, maze, kind)
    parts["maze-giant-navigate-regions"] = partial(maze_rows, "giant", "navigate", region=True)
    for numbers in (3, 4):
        parts[f"pendulum-{numbers}"] = partial(pendulum_rows, numbers)
    for transitions in (100_000, 4_000):
        parts[f"u_room-{transitions}"] = partial(u_room_rows, transitions)
    return parts


def summary(part: str, rows: Sequence[Row]) -> str:
    """Return a line about the rows of a part: how many goals were reached."""
    said = []
    for kind, own in (grouped(rows, "goals") or {"goals": rows}).items():
        steps = [row["steps"] for row in where(own, reached=True)]
        median = f", median {np.median(steps):.0f} steps" if steps else ""
        refused = len(where(own, "refused"))
        said.append(f"{len(steps)} of {len(own)} {kind} reached, {refused} refused{median}")
    return f"{part}: " + "; ".join(said)


def main() -> None:
    """Run all parts, or some, in parallel, and print a line about each that is there."""
    parser = ArgumentParser(prog="logged_shown", description=(__doc__ or "").split("\n")[0])
    given, parts = logged_rows.options(parser), _parts()
    logged_rows.make(parts, given.folder, jobs=given.jobs, only=given.only)
    for part in parts:
        if rows := logged_rows.read(given.folder, part):
            sys.stdout.write(f"{summary(part, rows)}\n")


if __name__ == "__main__":
    main()
