"""Random rewards in random worlds: the exact return of each way to collect them.

All returns are exact, on states times sets of rewards that are left, and are divided by the best
return there is. With learned representations, TD learns FR and SR of the four moves from walks, and
nothing else is known to the methods.

The worlds in which rewards are collected, and where rewards and starts are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from first_occupancy import Occupancies, collect, first_occupancy, successor
from first_occupancy.core.arguments import Discount, Limits, PositiveInt, Share
from first_occupancy.environments import Maze, four_rooms, maze
from first_occupancy.planning._collect.plans_to_rewards import Targets
from first_occupancy.planning._collect.product import (
    best_values,
    values_of_agent,
    values_of_choice,
)
from first_occupancy.representations import Representation
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import Settings


def drawn_world(name: str, noise: float, rng: np.random.Generator) -> Maze:
    """Return FourRooms, a maze of 15 x 15 cells or a map of 30 x 30 with obstacles."""
    if name == "four_rooms":
        return four_rooms(noise=noise)
    free = _corridors(rng) if name == "maze" else rng.random((30, 30)) >= 0.2
    return maze(["".join("." if cell else "#" for cell in row) for row in free], noise=noise)


def _corridors(rng: np.random.Generator) -> Bool[np.ndarray, "15 15"]:
    """Return a maze without circles, and then a tenth of its inner walls opened."""
    free, stack = np.zeros((15, 15), bool), [(1, 1)]
    free[1, 1] = True
    while stack:
        row, column = stack[-1]
        ways = [(row + 2 * y, column + 2 * x) for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        ways = [(y, x) for y, x in ways if 0 < y < 15 and 0 < x < 15 and not free[y, x]]
        if not ways:
            stack.pop()
            continue
        y, x = ways[rng.integers(len(ways))]
        free[y, x] = free[(row + y) // 2, (column + x) // 2] = True
        stack.append((y, x))
    inner = np.zeros_like(free)
    inner[1:-1, 1:-1] = True
    return free | (inner & (rng.random(free.shape) < 0.1))


def drawn_places(world: Maze, count: int, rng: np.random.Generator) -> Int[np.ndarray, " K"]:
    """Return a start and places of rewards in the largest part of a world that is connected."""
    _, parts = connected_components(sum(world.policy_chains(None)))
    largest = np.flatnonzero(parts == np.bincount(parts).argmax())
    return rng.choice(largest, count + 1, replace=False)


NOISES = (0.0, 0.1, 0.2, 0.5)
Name = Literal["four_rooms", "maze", "map"]

SEEDS: dict[Name, dict[int, int]] = {
    "four_rooms": {4: 10, 8: 10, 12: 2},
    "maze": {4: 10, 8: 10, 12: 2},
    "map": {4: 5, 8: 5, 10: 1},
}
"""How many draws there are in each world, by the number of rewards; all returns are exact."""

Follow = Callable[[int], Int[np.ndarray, " S"]]
"""The move in each state, by what is left."""


@dataclass(frozen=True)
class Config(Settings):
    """A world, its noise and its rewards, and how representations are learned.

    Walks and step size were chosen on draws that no row comes from: 500 walks teach too little.

    Attributes:
        world: "four_rooms", "maze" or "map".
        noise: probability of a random move.
        rewards: how many there are, worth 0.2 to 1 each.
        learned: whether TD learns the representations of the moves.
        discount: discount factor per step, from 0 to 1 (exclusive).
        walks: walks of each move that TD learns from, from random states.
        steps: length of each walk.
        step_size: share of the TD error that an update removes.
    """

    world: Name = "four_rooms"
    noise: Share = 0.0
    rewards: Annotated[int, Limits(least=1, most=12)] = 8
    learned: bool = False
    discount: Discount = 0.95
    walks: PositiveInt = 4000
    steps: PositiveInt = 20
    step_size: Share = 0.05


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return all worlds, levels of noise and numbers of rewards; quick, one of each in small."""
    if quick:
        return [(Config(noise=0.2, rewards=3), 2), (Config(noise=0.2, rewards=3, learned=True), 2)]
    exact = [
        (Config(world=world, noise=noise, rewards=count), seeds)
        for world, draws in SEEDS.items()
        for noise in NOISES
        for count, seeds in draws.items()
    ]
    return [*exact, *((Config(noise=noise, learned=True), 10) for noise in NOISES)]


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each method: its return as a share of the best there is."""
    rng = np.random.default_rng(seed)
    world = drawn_world(config.world, config.noise, rng)
    start, *places = (int(place) for place in drawn_places(world, config.rewards, rng))
    rewards = dict(zip(places, rng.uniform(0.2, 1, len(places)).tolist(), strict=True))
    given = {"start": start, "discount": config.discount}
    exact = collect(world, rewards, **given)
    targets, moves = exact.strategy.targets, exact.strategy.moves
    best = float(best_values(targets, moves, None)[0][-1, start])

    def row(method: str, values: Float[np.ndarray, "M S"], **stated: float) -> Row:
        about = {name: getattr(config, name) for name in ("world", "noise", "rewards", "learned")}
        share = float(values[-1, start]) / best
        return {**about, "seed": seed, "method": method, "best": best, "share": share, **stated}

    if config.learned:
        frs, srs = (_learned(kind, world, config, rng) for kind in (first_occupancy, successor))
        unknown = Occupancies(frs, discount=config.discount, representation=first_occupancy)
        trip = collect(world, rewards, policies=unknown, **given)
        tables = {"FR-GPI": frs[..., targets.states], "SR-GPI": srs[..., targets.states]}
        follows = {}
    else:
        trip = exact
        legs = world.policy_chains(np.maximum(targets.policies[:-1], 0))
        tables = _representations("", world.policy_chains(None), targets, config.discount)
        tables |= _representations(" over legs", legs, targets, 0.95)
        follows = {"nearest first": _greedy(targets, False), "best first": _greedy(targets, True)}
    yield row("orders", values_of_agent(trip.strategy, moves), promised=trip.promised / best)
    follows = {name: _gpi(world, table, targets) for name, table in tables.items()} | follows
    for name, follow in follows.items():
        yield row(name, values_of_choice(targets, moves, None, follow)[0])


def _representations(
    suffix: str, chains: Sequence[csr_array], targets: Targets, discount: float
) -> dict[str, Float[np.ndarray, "N S K"]]:
    """Return the exact SR and FR of policies, given their chains, at the rewards."""
    size, sites = len(targets.discounts), targets.states
    units = np.eye(size)[:, sites]
    systems = [csc_array(eye_array(size) - discount * chain) for chain in chains]
    srs = np.array([splu(system).solve(units) for system in systems])
    frs = srs / srs[:, None, sites, np.arange(len(sites))]
    return {f"FR-GPI{suffix}": frs, f"SR-GPI{suffix}": srs}


def _gpi(world: Maze, table: Float[np.ndarray, "N S K"], targets: Targets) -> Follow:
    """Return GPI: the move after which some policy is worth most, by what is left."""
    chains = world.policy_chains(None)

    def follow(mask: int) -> Int[np.ndarray, " S"]:
        worth = table @ (_left(mask, targets) * targets.rewards)
        ahead = np.stack([(chain @ worth.T).max(axis=1) for chain in chains])
        return ahead.argmax(axis=0)

    return follow


def _greedy(targets: Targets, weighted: bool) -> Follow:
    """Return going to the nearest reward, or to the one of the highest discounted worth."""
    worth = targets.discounts * (targets.rewards if weighted else 1.0)
    states = np.arange(len(worth))

    def follow(mask: int) -> Int[np.ndarray, " S"]:
        chosen = np.where(_left(mask, targets), worth, -1.0).argmax(axis=1)
        return targets.policies[chosen, states]

    return follow


def _left(mask: int, targets: Targets) -> Bool[np.ndarray, " K"]:
    """Return which rewards are in a set."""
    return (mask >> np.arange(len(targets.states))) & 1 == 1


def _learned(
    kind: Representation, world: Maze, config: Config, rng: np.random.Generator
) -> Float[np.ndarray, "N S S"]:
    """Return the representation of each move that TD learns from walks from random states."""
    size, count = world.num_states, world.num_actions
    walks = np.empty((count, config.walks, config.steps + 1), int)
    for move in range(count):
        walks[move, :, 0] = rng.integers(size, size=config.walks)
        for step in range(config.steps):
            slips = rng.random(config.walks) < config.noise
            moves = np.where(slips, rng.integers(4, size=config.walks), move)
            walks[move, :, step + 1] = world.next_states[moves, walks[move, :, step]]
    learned = kind.td_learn_log(
        jnp.tile(kind.initial(size), (count, 1, 1)),
        walks[..., :-1].ravel(),
        walks[..., 1:].ravel(),
        np.repeat(np.arange(count), config.walks * config.steps),
        discount=config.discount,
        step_size=config.step_size,
    )
    return np.asarray(learned)
