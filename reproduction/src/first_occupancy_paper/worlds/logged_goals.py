"""What plans from logs state, and what agents realise, in worlds that nobody tuned for.

    python -m first_occupancy_paper.worlds.logged_goals run FOLDER --jobs 2
    python -m first_occupancy_paper.worlds.logged_goals judge FOLDER

`reproduction/protocols/logged_goals.md` says which pairs and which rules. Every world and seed is a
file of JSON lines in the folder, written as rows are made; files that are complete are not made
again.
"""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from first_occupancy.continuous.followers import Followers
from first_occupancy.continuous.goal_plans import LandmarkPlan, plan_to_observation
from first_occupancy.continuous.landmark_worlds import LandmarkWorld, landmark_world
from first_occupancy.core.errors import InputError
from first_occupancy.planning.plan import Planner, plan
from first_occupancy_paper.worlds.logged_judge import verdicts
from first_occupancy_paper.worlds.logged_worlds import (
    LOGGED_WORLDS,
    LoggedWorld,
    logged_world,
    walled_world,
)

Row = dict[str, Any]

ROLLOUTS = 20
"""Rollouts of each pair."""

DISCOUNT = 0.99
"""Discount of plans whose bounds are checked."""

SEEDS = (10, 11)
"""Seeds of the protocol; settings were chosen on 100, 101 and 102."""

WALLS = [(thickness, pushing) for thickness in (1.0, 2.0, 4.0) for pushing in (True, False)]
SMALL_WORLDS = ("pendulum", "slippery floor", "thin walls", "arm")
"""Worlds for the ablations."""

FRS_UP_TO = 700
"""Landmarks up to which FRs are chained for every goal, sets of landmarks among them."""


def success_rows(
    name: str, seed: int, *, num_goals: int = 12, num_starts: int = 7
) -> Iterator[Row]:
    """Yield a row for each pair, for observations and regions in turn; refused goals say so."""
    world, known, rng = _begun(logged_world(name), seed)
    for number in range(num_goals):
        goal, starts = world.starts(rng, 1), world.starts(rng, num_starts)
        kind = {"world": name, "seed": seed, "region": number % 2 == 1}
        found = _planned(world, known, goal, region=number % 2 == 1)
        if found is None:
            yield from [{**kind, "refused": True}] * num_starts
            continue
        times = _rolled_out(world, found, starts, rng)
        for start, each in zip(world.observe(starts), times, strict=True):
            stated = found.success(start, max_steps=world.max_steps)
            yield {**kind, **stated._asdict(), "realised": float(np.isfinite(each).mean())}


def bound_rows(
    thickness: float, pushing: bool, seed: int, *, num_goals: int = 6, num_starts: int = 5
) -> Iterator[Row]:
    """Yield a row for each pair in rooms with walls: bounds, and the realised mean discount."""
    world, known, rng = _begun(walled_world("walls", thickness, pushing=pushing), seed)
    for _ in range(num_goals):
        goal, starts = world.starts(rng, 1), world.starts(rng, num_starts)
        kind = {"thickness": thickness, "pushing": pushing, "seed": seed}
        try:
            found = plan(known, world.observe(goal)[0], discount=DISCOUNT)
        except InputError:
            yield from [{**kind, "refused": True}] * num_starts
            continue
        gains = DISCOUNT ** _rolled_out(world, found, starts, rng)
        for start, each in zip(world.observe(starts), gains, strict=True):
            spread = float(each.std() / ROLLOUTS**0.5)
            yield {
                **kind,
                **found.bounds(start)._asdict(),
                "realised": each.mean(),
                "error": spread,
            }


def ablation_rows(
    name: str, seed: int, *, num_goals: int = 3, num_starts: int = 7
) -> Iterator[Row]:
    """Yield a row for each variant and goal: mean value of a plan, share that arrives, seconds."""
    world, known, rng = _begun(logged_world(name), seed)
    hopeful = landmark_world(world.log(seed=seed), confidence=0.0)
    make = plan_to_observation
    chained = Planner(known.mdp, discount=1.0, dense_up_to=known.num_states)
    plain, soon = (Planner(known.mdp, discount=each, dense_up_to=0) for each in (1.0, DISCOUNT))
    trusting = Planner(hopeful.mdp, discount=1.0, dense_up_to=0)
    variants: dict[str, Callable[[Any], LandmarkPlan]] = {
        "FRs chained and refined": lambda to: make(known, to, planner=chained),
        "FRs chained, not refined": lambda to: make(known, to, planner=chained, refine=0),
        "no FRs": lambda to: make(known, to, planner=plain),
        "no FRs, discount 0.99": lambda to: make(known, to, planner=soon),
        "no FRs, no pessimism": lambda to: make(hopeful, to, planner=trusting),
    }
    for number in range(num_goals):
        goal, starts = world.starts(rng, 1), world.starts(rng, num_starts)
        for variant, planned in variants.items():
            kind = {"world": name, "seed": seed, "goal": number, "variant": variant}
            if variant.startswith("FRs") and known.num_states > FRS_UP_TO:
                yield {**kind, "refused": True}
                continue
            begin = time.process_time()
            try:
                found = planned(world.observe(goal)[0])
            except InputError:
                yield {**kind, "refused": True}
                continue
            spent = time.process_time() - begin
            times = _rolled_out(world, found, starts, np.random.default_rng([seed, number]))
            yield {
                **kind,
                "stated": float(np.mean(np.asarray(found.plan.expected_discount))),
                "arrived": float(np.isfinite(times).mean()),
                "steps": float(np.median(times)),
                "seconds": spent,
            }


def _begun(world: LoggedWorld, seed: int) -> tuple[LoggedWorld, LandmarkWorld, np.random.Generator]:
    return world, landmark_world(world.log(seed=seed)), np.random.default_rng([seed, 1])


def _planned(
    world: LoggedWorld, known: LandmarkWorld, goal: Float[np.ndarray, "1 K"], *, region: bool
) -> LandmarkPlan | None:
    def inside(seen: Float[np.ndarray, "B O"]) -> Bool[np.ndarray, " B"]:
        states = world.states(seen)
        return world.reached(states, np.repeat(goal, len(states), axis=0))

    try:
        return plan(known, inside if region else world.observe(goal)[0])
    except InputError:
        return None


def _rolled_out(
    world: LoggedWorld,
    found: LandmarkPlan,
    starts: Float[np.ndarray, "B K"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "B R"]:
    """Return when agents arrive that begin near some states; infinity if never."""
    states = world.near(starts, ROLLOUTS, rng)
    agents, running = Followers(found, len(states), seed=1), np.arange(len(states))
    times = np.full(len(states), np.inf)
    for step in range(world.max_steps + 1):
        seen = world.observe(states[running])
        arrived = found.arrived_at(seen)
        times[running[arrived]] = step
        seen, running = seen[~arrived], running[~arrived]
        if not len(running):
            break
        actions = found.world.actions[agents.choose(seen, running)]
        states[running] = world.step(states[running], actions, rng)
    return times.reshape(len(starts), ROLLOUTS)


def _parts() -> dict[str, Callable[[], Iterable[Row]]]:
    """Return what makes the rows of each file."""
    parts: dict[str, Callable[[], Iterable[Row]]] = {}
    for name in SMALL_WORLDS:
        parts[f"ablation-{name.replace(' ', '_')}-10"] = partial(ablation_rows, name, 10)
    for seed in SEEDS:
        for name in LOGGED_WORLDS:
            file = f"success-{name.replace(' ', '_')}-{seed}"
            parts[file] = partial(success_rows, name, seed)
        for thickness, pushing in WALLS:
            file = f"bounds-{thickness:g}-{'pushing' if pushing else 'turning'}-{seed}"
            parts[file] = partial(bound_rows, thickness, pushing, seed)
    return parts


def _run(file: str, folder: Path) -> str:
    """Make the rows of a file, line by line; its last line says how many seconds they took."""
    begin, path = time.process_time(), folder / f"{file}.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for row in _parts()[file]():
            stream.write(json.dumps(row) + "\n")
            stream.flush()
        stream.write(json.dumps({"finished_in": round(time.process_time() - begin, 1)}) + "\n")
    return file


def _finished(folder: Path, file: str) -> bool:
    path = folder / f"{file}.jsonl"
    return path.exists() and "finished_in" in path.read_text(encoding="utf-8")


def main() -> None:
    """Run the protocol, or judge its rows."""
    parser = ArgumentParser(prog="logged_goals", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=("run", "judge"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes to run in parallel")
    parser.add_argument("--only", default="", help="run files alone whose names contain this")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.what == "run":
        files = [each for each in _parts() if given.only in each]
        files = [each for each in files if not _finished(given.folder, each)]
        with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
            for file in pool.map(partial(_run, folder=given.folder), files):
                sys.stdout.write(f"{file}\n")
                sys.stdout.flush()
    for line in verdicts(given.folder):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
