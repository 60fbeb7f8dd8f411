"""What plans from logs state, and what agents realise, in worlds that nobody tuned for.

    python -m first_occupancy_paper.worlds.logged_goals      # a line for each world

`reproduction/protocols/logged_goals.md` says which pairs and which rules.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from first_occupancy.continuous.followers import Followers
from first_occupancy.continuous.goal_plans import LandmarkPlan
from first_occupancy.continuous.landmark_worlds import LandmarkWorld, landmark_world
from first_occupancy.core.errors import InputError
from first_occupancy.planning.plan import plan
from first_occupancy_paper.worlds.logged_worlds import LOGGED_WORLDS, LoggedWorld

GOALS, STARTS, ROLLOUTS = 12, 7, 20
"""Goals of a world, starts for each, and rollouts of each pair."""


class Pair(NamedTuple):
    """A start and a goal.

    Attributes:
        region: whether the goal is a region.
        stated: probability of arriving that the plan states.
        low: lower end of its interval.
        high: upper end of its interval.
        realised: share of rollouts that arrive.
    """

    region: bool
    stated: float
    low: float
    high: float
    realised: float

    @property
    def covered(self) -> bool:
        """Whether the interval holds the realised share, binomial error allowed for."""
        nearest = float(np.clip(self.realised, self.low, self.high))
        return abs(self.realised - nearest) <= 2 * (nearest * (1 - nearest) / ROLLOUTS) ** 0.5


def pairs(
    world: LoggedWorld, seed: int, *, num_goals: int = GOALS, num_starts: int = STARTS
) -> Iterator[Pair]:
    """Yield pairs of a world, for observations and regions in turn; refused goals state 0."""
    known = landmark_world(world.log(seed=seed))
    rng = np.random.default_rng([seed, 1])
    for number in range(num_goals):
        goal, starts = world.starts(rng, 1), world.starts(rng, num_starts)
        found = _planned(world, known, goal, region=number % 2 == 1)
        if found is None:
            yield from [Pair(number % 2 == 1, 0.0, 0.0, 0.0, 0.0)] * num_starts
            continue
        near = world.near(starts, ROLLOUTS, rng)
        shares = rolled_out(world, found, near, rng).reshape(num_starts, ROLLOUTS).mean(axis=1)
        for start, share in zip(world.observe(starts), shares, strict=True):
            stated = found.success(start, max_steps=world.max_steps)
            yield Pair(number % 2 == 1, *stated, float(share))


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


def rolled_out(
    world: LoggedWorld,
    found: LandmarkPlan,
    states: Float[np.ndarray, "B K"],
    rng: np.random.Generator,
) -> Bool[np.ndarray, " B"]:
    """Return which of many agents arrive from their states."""
    agents, running = Followers(found, len(states), seed=1), np.arange(len(states))
    arrived, states = np.zeros(len(states), bool), states.copy()
    for _ in range(world.max_steps + 1):
        seen = world.observe(states[running])
        arrived[running] = found.arrived_at(seen)
        seen, running = seen[~arrived[running]], running[~arrived[running]]
        if not len(running):
            break
        actions = found.world.actions[agents.choose(seen, running)]
        states[running] = world.step(states[running], actions, rng)
    return arrived


def summary(name: str, rows: Sequence[Pair]) -> str:
    """Return a line about pairs: success, statement, calibration where it is high, intervals."""
    table = np.array([each[1:] for each in rows])
    stated, low, high, realised = table.T
    sure = stated >= 0.8
    covered = np.mean([each.covered for each in rows])
    return (
        f"{name:15s} {len(rows):5d} pairs: {realised.mean():.3f} arrive, {stated.mean():.3f} "
        f"stated; of {int(sure.sum())} stated above 0.8, {realised[sure].mean():.3f} arrive and "
        f"{stated[sure].mean():.3f} are stated; intervals hold {covered:.3f}, median width "
        f"{np.median(high - low):.2f}"
    )


def main() -> None:
    """Print a line for each world, and one for all, on the seeds of the protocol."""
    every: list[Pair] = []
    for name, world in LOGGED_WORLDS.items():
        rows = [row for seed in (0, 1) for row in pairs(world, seed)]
        every += rows
        sys.stdout.write(summary(name, rows) + "\n")
        sys.stdout.flush()
    sys.stdout.write(summary("all", every) + "\n")


if __name__ == "__main__":
    main()
