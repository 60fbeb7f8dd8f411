"""What plans from logs state, and what agents realise, in worlds that nobody tuned for.

    python -m first_occupancy_paper.worlds.logged_goals run FOLDER --jobs 2
    python -m first_occupancy_paper.worlds.logged_goals judge FOLDER

`reproduction/protocols/logged_goals.md` says which pairs and which rules. Every world and seed is a
file in the folder (`logged_rows`).
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from first_occupancy.continuous.followers import Followers
from first_occupancy.continuous.goal_plans import LandmarkPlan, plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.errors import InputError
from first_occupancy.planning.plan import Planner, plan
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.worlds import logged_rows
from first_occupancy_paper.worlds.logged_judge import verdicts
from first_occupancy_paper.worlds.logged_worlds import (
    LOGGED_WORLDS,
    LoggedWorld,
    walled_world,
)

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
    world = LOGGED_WORLDS[name]
    for number, found, start, times in _pairs(world, seed, num_goals, num_starts, regions=True):
        row = {"world": name, "seed": seed, "region": number % 2 == 1}
        if found is None:
            yield {**row, "refused": True}
            continue
        row |= found.success(start, max_steps=world.max_steps)._asdict()
        yield {**row, "realised": float(np.isfinite(times).mean())}


def bound_rows(
    thickness: float, pushing: bool, seed: int, *, num_goals: int = 6, num_starts: int = 5
) -> Iterator[Row]:
    """Yield a row for each pair in rooms with walls: bounds, and the realised mean discount."""
    world = walled_world(thickness, pushing=pushing)
    for _, found, start, times in _pairs(world, seed, num_goals, num_starts, discount=DISCOUNT):
        row = {"thickness": thickness, "pushing": pushing, "seed": seed}
        if found is None:
            yield {**row, "refused": True}
            continue
        gains = DISCOUNT**times
        row |= found.bounds(start)._asdict()
        yield {**row, "realised": gains.mean(), "error": float(gains.std() / ROLLOUTS**0.5)}


def _pairs(
    world: LoggedWorld,
    seed: int,
    num_goals: int,
    num_starts: int,
    *,
    regions: bool = False,
    discount: float | None = None,
) -> Iterator[tuple[int, LandmarkPlan | None, np.ndarray, np.ndarray]]:
    """Yield each goal's number and plan with a start, and when agents that begin near it arrive.

    A goal that is refused has no plan.

    Args:
        regions: whether every second goal is the world's own idea of having reached it.
        discount: discount of the plans.
    """
    known, rng = landmark_world(world.log(seed=seed)), np.random.default_rng([seed, 1])
    for number in range(num_goals):
        goal, starts = world.starts(rng, 1), world.starts(rng, num_starts)
        region = regions and number % 2 == 1
        target = partial(_inside, world, goal) if region else world.observe(goal)[0]
        found, times = None, np.full((num_starts, ROLLOUTS), np.inf)
        try:
            found = plan(known, target, discount=discount)
        except InputError:
            pass
        else:
            times = _rolled_out(world, found, starts, rng)
        for start, each in zip(world.observe(starts), times, strict=True):
            yield number, found, start, each


def _inside(
    world: LoggedWorld, goal: Float[np.ndarray, "1 K"], seen: Float[np.ndarray, "B O"]
) -> Bool[np.ndarray, " B"]:
    return world.reached(world.states(seen), np.repeat(goal, len(seen), axis=0))


def ablation_rows(
    name: str, seed: int, *, num_goals: int = 3, num_starts: int = 7
) -> Iterator[Row]:
    """Yield a row for each variant and goal: mean value of a plan, share that arrives, seconds."""
    world, rng = LOGGED_WORLDS[name], np.random.default_rng([seed, 1])
    log, to = world.log(seed=seed), plan_to_observation
    known, hopeful = landmark_world(log), landmark_world(log, confidence=0.0)
    chained = Planner(known.mdp, discount=1.0, dense_up_to=known.num_states)
    variants: dict[str, Callable[[Any], LandmarkPlan]] = {
        "FRs chained and refined": partial(to, known, planner=chained),
        "FRs chained, not refined": partial(to, known, planner=chained, refine=0),
        "no FRs": partial(to, known, planner=known.planner(1.0, frs=False)),
        "no FRs, discount 0.99": partial(to, known, planner=known.planner(DISCOUNT, frs=False)),
        "no FRs, no pessimism": partial(to, hopeful, planner=hopeful.planner(1.0, frs=False)),
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


def _parts() -> logged_rows.Parts:
    parts: dict[str, Callable[[], Iterator[Row]]] = {}
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


def main() -> None:
    """Run the protocol, or judge its rows."""
    parser = ArgumentParser(prog="logged_goals", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=("run", "judge"))
    given = logged_rows.options(parser)
    if given.what == "run":
        logged_rows.make(_parts(), given.folder, jobs=given.jobs, only=given.only)
    for line in verdicts(given.folder):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
