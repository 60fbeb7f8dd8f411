"""Goals from logs with default calls: do agents arrive, and how long does an agent take to make?

    python -m first_occupancy_paper.worlds.logged_shown FOLDER --jobs 16
    python -m first_occupancy_paper.worlds.logged_shown FOLDER --only million --source OLD/src

| part | log | goals |
| --- | --- | --- |
| `pendulum-3`, `pendulum-4` | 500 episodes of 200 steps; (cos, sin, speed), or the torque, too | \
10 upright, 40 random ones, 40 states of another log; from hanging, 400 steps |
| `u_room-100000`, `u_room-4000` | that many transitions, in a U-shaped room with momentum | \
50 places at rest, from 50 others, within 0.15, 600 steps |
| `maze-MAZE-KIND` | a whole log of OGBench's point maze, a million transitions | 20 of each task |
| `maze-giant-navigate-regions` | the same | the same goals, as regions with the maze's radius |
| `million` | the giant maze's | processor time of a world, a plan and a first action |

Every part is a file of JSON lines in the folder, written as rows are made; a line of results for
each is printed at the end. `--source` times other code, which has the same names, in turn.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

import first_occupancy as fo
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy_paper.worlds.logged_worlds import LENGTH, logged_world, wrapped
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log
from first_occupancy_paper.worlds.point_mazes import GIANT, GOAL_RADIUS, point_maze

Row = dict[str, Any]
States = Float[np.ndarray, "B K"]
Moved = tuple[States, Float[np.ndarray, "B O"]]
"""States after a step, and what is seen of them."""

SEED = 10
"""Seed of all logs."""

TORQUE = 2.0
"""Largest torque on the pendulum."""

MAZES = [
    (maze, kind)
    for kind in ("navigate", "stitch")
    for maze in ("giant", "large", "medium", "teleport")
]

TIMED = """
import sys, time
import numpy as np
import first_occupancy as fo
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.core.episodes import Episodes
try:
    from first_occupancy.continuous.followers import GoalAgent
except ImportError:
    from first_occupancy.continuous.goal_plans import GoalAgent
rows = np.load(sys.argv[1])
log = getattr(Episodes, "of_rows", Episodes)(rows["observations"], rows["actions"], rows["last"])
begin = time.process_time()
world = fo.landmark_world(log)
GoalAgent(plan_to_observation(world, rows["goal"])).predict(rows["start"])
print(time.process_time() - begin, world.num_states)
"""
"""What is timed, with names that code from before this release has as well."""


def pendulum_rows(numbers: int, num_goals: int = 40) -> Iterator[Row]:
    """Yield a row for each goal of the pendulum, seen as so many numbers."""
    known = fo.landmark_world(_pendulum_log(SEED, 500, numbers))
    rng = np.random.default_rng([SEED, 1])
    upright = np.zeros((min(10, num_goals), 3))
    random = np.zeros((num_goals, 3))
    random[:, :2] = rng.uniform([-np.pi, -2], [np.pi, 2], (num_goals, 2))
    seen = _pendulum_log(SEED + 1, 10, 4).observations
    recorded = _swinging(seen[rng.choice(len(seen), num_goals, replace=False)])
    swinging = logged_world("pendulum")

    def step(states: States, actions: Float[np.ndarray, "B 1"]) -> Moved:
        torque = np.clip(actions, -TORQUE, TORQUE)
        states = np.hstack([swinging.step(states[:, :2], torque / TORQUE, rng), torque])
        return states, _seen_swinging(states, numbers)

    for kind, goals in {"upright": upright, "random": random, "recorded": recorded}.items():
        for goal in goals:
            start = np.array([[np.pi + rng.uniform(-0.05, 0.05), 0, 0]])
            target = _seen_swinging(goal[None], numbers)[0]
            about = {"goals": kind, "goal": goal.tolist()}
            yield about | _followed(
                known, target, (start, _seen_swinging(start, numbers)), step,
                partial(_swung_to, goal), 400,
            )  # fmt: skip


def _seen_swinging(states: States, numbers: int) -> Float[np.ndarray, "B O"]:
    angle, speed, torque = states.T
    return np.stack([np.cos(angle), np.sin(angle), speed, torque], axis=1)[:, :numbers]


def _swinging(seen: Float[np.ndarray, "B 4"]) -> States:
    return np.stack([np.arctan2(seen[:, 1], seen[:, 0]), seen[:, 2], seen[:, 3]], axis=1)


def _swung_to(goal: Float[np.ndarray, " 3"], seen: Float[np.ndarray, "1 O"]) -> bool:
    """Return whether an angle is within 0.2 rad, and a speed within 0.6 rad/s."""
    off = wrapped(np.arctan2(seen[:, 1], seen[:, 0]) - goal[0])
    return bool(np.abs(off).max() < 0.2 and abs(seen[0, 2] - goal[1]) < 0.6)


def _pendulum_log(seed: int, num_episodes: int, numbers: int) -> Episodes:
    """Return a log in which every second episode pushes in the direction of the swing, mostly."""
    rng, swinging = np.random.default_rng([seed, 0]), logged_world("pendulum")
    states = rng.uniform([-np.pi, -1, 0], [np.pi, 1, 0], (num_episodes, 3))
    held = rng.uniform(-TORQUE, TORQUE, num_episodes)
    seen, done = [_seen_swinging(states, numbers)], []
    for _ in range(LENGTH):
        drawn = rng.uniform(-TORQUE, TORQUE, num_episodes)
        held = np.where(rng.random(num_episodes) < 0.1, drawn, held)
        pumping = (np.arange(num_episodes) % 2 == 0) & (rng.random(num_episodes) < 0.9)
        torque = np.where(pumping, TORQUE * np.sign(states[:, 1]), held)[:, None]
        states = np.hstack([swinging.step(states[:, :2], torque / TORQUE, rng), torque])
        seen.append(_seen_swinging(states, numbers))
        done.append(torque)
    return Episodes(list(np.stack(seen, 1)), list(np.stack(done, 1)))


def u_room_rows(transitions: int, num_goals: int = 50) -> Iterator[Row]:
    """Yield a row for each goal in the U-shaped room, with a log of so many transitions."""
    room = logged_world("u room")
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


def _within(goal: Float[np.ndarray, " 2"], radius: float, seen: Float[np.ndarray, "1 O"]) -> bool:
    return bool(np.linalg.norm(seen[0, :2] - goal) <= radius)


def _u_room_log(seed: int, num_episodes: int) -> Episodes:
    """Return a log that heads for places around, which change with 3% a step."""
    rng, room = np.random.default_rng([seed, 0]), logged_world("u room")
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
    maze = point_maze(name)
    known = fo.landmark_world(point_maze_log(maze, kind, seed=SEED, num_episodes=num_episodes))
    for task, (start, goal) in enumerate(maze.tasks):
        rng = np.random.default_rng([SEED, task, 1])

        def step(states: States, actions: Float[np.ndarray, "B 2"], rng: Any = rng) -> Moved:
            seen, moved = maze.step(states, actions, rng)
            return moved, seen

        starts, goals = (maze.scattered([cell] * each, rng) for cell in (start, goal))
        for begin, end in zip(starts[:, None], goals, strict=True):
            arrived = partial(_within, end, GOAL_RADIUS)
            target = partial(_near, end) if region else end
            found = _followed(known, target, (begin, begin), step, arrived, 1000)
            yield {"task": task + 1, **found}


def _near(goal: Float[np.ndarray, " 2"], seen: Float[np.ndarray, "B 2"]) -> Bool[np.ndarray, " B"]:
    return np.linalg.norm(seen - goal, axis=1) <= GOAL_RADIUS


def _followed(
    known: fo.LandmarkWorld,
    goal: Any,
    begin: Moved,
    step: Callable[[States, Float[np.ndarray, "B A"]], Moved],
    arrived: Callable[[Float[np.ndarray, "1 O"]], bool],
    max_steps: int,
) -> Row:
    """Return after how many steps an agent arrived, or that it did not, or the refusal."""
    try:
        found = fo.plan(known, goal)
    except InputError as error:
        return {"reached": False, "refused": str(error)}
    agent, (states, seen) = found.agent(), begin
    for time_ in range(max_steps + 1):
        if arrived(seen):
            return {"reached": True, "steps": time_}
        states, seen = step(states, agent.predict(seen[0])[0][None])
    return {"reached": False, "stalls": agent.stalls}


def million_rows(
    source: str | None = None, turns: int = 3, num_episodes: int | None = None
) -> Iterator[Row]:
    """Yield a row for each turn, with the seconds from a log to an agent; and those of a source."""
    log = point_maze_log(GIANT, "stitch", seed=SEED, num_episodes=num_episodes)
    goal, start = GIANT.centres([(10, 14), (1, 1)])
    ours = str(Path(fo.__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.npz"
        columns = {"observations": log.observations, "actions": log.actions, "last": log.last}
        np.savez(file, **columns, goal=goal, start=start)
        for turn in range(turns):
            for name, where in {"this": ours, "source": source}.items():
                if where is not None:
                    yield {
                        "code": name,
                        "turn": turn,
                        "transitions": len(log),
                        **_timed(file, where),
                    }


def _timed(file: Path, source: str) -> Row:
    command = [sys.executable, "-c", TIMED, str(file)]
    surroundings = {**os.environ, "PYTHONPATH": source}
    said = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    seconds, landmarks = said.stdout.split()
    return {"seconds": float(seconds), "landmarks": int(landmarks)}


def _parts(source: str | None) -> dict[str, Callable[[], Iterable[Row]]]:
    parts: dict[str, Callable[[], Iterable[Row]]] = {}
    for maze, kind in MAZES:
        parts[f"maze-{maze}-{kind}"] = partial(maze_rows, maze, kind)
    parts["maze-giant-navigate-regions"] = partial(maze_rows, "giant", "navigate", region=True)
    for numbers in (3, 4):
        parts[f"pendulum-{numbers}"] = partial(pendulum_rows, numbers)
    for transitions in (100_000, 4_000):
        parts[f"u_room-{transitions}"] = partial(u_room_rows, transitions)
    parts["million"] = partial(million_rows, source)
    return parts


def _run(part: str, folder: Path, source: str | None) -> str:
    """Make the rows of a part, and return a line about them."""
    begin, rows = time.perf_counter(), []
    with (folder / f"{part}.jsonl").open("w", encoding="utf-8") as stream:
        for row in _parts(source)[part]():
            stream.write(json.dumps(row) + "\n")
            stream.flush()
            rows.append(row)
    return f"{summary(part, rows)} (part took {time.perf_counter() - begin:.0f} s)"


def summary(part: str, rows: list[Row]) -> str:
    """Return a line about the rows of a part: how many goals were reached, or the seconds."""
    if part == "million":
        best = {each: min(row["seconds"] for row in rows if row["code"] == each)
                for each in dict.fromkeys(row["code"] for row in rows)}  # fmt: skip
        said = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in best.items())
        ratio = f", {best['this'] / best['source']:.2f} times" if "source" in best else ""
        return f"million: {rows[0]['transitions']} transitions, best of turns: {said}{ratio}"
    kinds = {row.get("goals", "goals"): None for row in rows}
    said = []
    for kind in kinds:
        those = [row for row in rows if row.get("goals", "goals") == kind]
        steps = [row["steps"] for row in those if row["reached"]]
        refused = sum("refused" in row for row in those)
        median = f", median {np.median(steps):.0f} steps" if steps else ""
        said.append(f"{len(steps)} of {len(those)} {kind} reached, {refused} refused{median}")
    return f"{part}: " + "; ".join(said)


def main() -> None:
    """Run all parts, or some, in parallel, and print a line about each."""
    parser = ArgumentParser(prog="logged_shown", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes to run in parallel")
    parser.add_argument("--only", default="", help="run parts alone whose names contain this")
    parser.add_argument("--source", help="folder of other code, to be timed in turn")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    parts = [each for each in _parts(given.source) if given.only in each]
    run = partial(_run, folder=given.folder, source=given.source)
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(run, part) for part in parts]):
            sys.stdout.write(done.result() + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
