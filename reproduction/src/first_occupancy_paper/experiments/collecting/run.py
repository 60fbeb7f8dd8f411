"""Random rewards in random worlds: the exact return of each way to collect them.

All returns are exact, on states times sets of rewards that are left, and are divided by the best
return there is. With learned representations, TD learns FR and SR of the four moves from walks, and
nothing else is known to the methods.

The worlds in which rewards are collected, and where rewards and starts are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from first_occupancy import Collection, Occupancies, collect, first_occupancy, successor
from first_occupancy.core.arguments import Discount, Limits, PositiveInt, Share
from first_occupancy.environments import Maze, four_rooms, maze
from first_occupancy.planning._collect.product import (
    NONE,
    best_values,
    values_of_agent,
    values_of_choice,
)
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import check_settings


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
    size = world.num_states
    begins = np.tile(np.arange(size), len(world.next_states))
    ends = world.next_states.ravel()
    _, parts = connected_components(csr_array((np.ones(len(ends)), (begins, ends)), (size, size)))
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

Follow = Callable[[int, Bool[np.ndarray, " S"]], Int[np.ndarray, " S"]]
"""The move in each state, by what is left and where it is."""


@dataclass(frozen=True)
class Config:
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

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        check_settings(self)


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
    strategy, moves = exact.strategy, exact.strategy.moves
    best = float(best_values(strategy.targets, moves, None)[0][-1, start])

    def row(method: str, found: float, promised: float | None = None) -> Row:
        stated = {} if promised is None else {"promised": promised / best}
        about = {name: getattr(config, name) for name in ("world", "noise", "rewards", "learned")}
        about |= {"seed": seed, "method": method, "best": best}
        return {**about, "share": found / best, **stated}

    if config.learned:
        frs, srs = (_learned(kind, world, config, rng) for kind in _KINDS)
        unknown = Occupancies(frs, discount=config.discount, representation=_KINDS[0])
        trip = collect(world, rewards, policies=unknown, **given)
        methods = {"FR-GPI": frs, "SR-GPI": srs}
    else:
        trip = exact
        chains = [np.repeat([move], world.num_states) for move in range(len(world.next_states))]
        methods = _representations("", world, chains, exact, config.discount)
        methods |= _representations(" over legs", world, strategy.targets.policies, exact, 0.95)
    achieved = values_of_agent(trip.strategy, moves)
    yield row("orders", float(achieved[-1, start]), trip.promised)
    follows = {name: _gpi(world, table, exact) for name, table in methods.items()}
    if not config.learned:
        follows |= {"nearest first": _greedy(exact, False), "best first": _greedy(exact, True)}
    for name, follow in follows.items():
        values, _ = values_of_choice(strategy.targets, moves, None, follow)
        yield row(name, float(values[-1, start]))


_KINDS = (first_occupancy, successor)


def _representations(
    suffix: str, world: Maze, policies: Any, trip: Collection, discount: float
) -> dict[str, Float[np.ndarray, "N S K"]]:
    """Return the exact FR and SR of policies at the rewards."""
    chains = world.policy_chains(None)
    states, size = np.arange(world.num_states), world.num_states
    frs, srs = [], []
    for policy in policies:
        followed = np.maximum(policy, 0)
        chain = sum(
            csc_array(chain.multiply((followed == move)[:, None]))
            for move, chain in enumerate(chains)
        )
        sites = trip.strategy.targets.states
        units = (states[:, None] == sites[None]).astype(float)
        visits = splu(csc_array(eye_array(size) - discount * chain)).solve(units)
        srs.append(visits)
        frs.append(visits / visits[sites, np.arange(len(sites))])
    return {f"FR-GPI{suffix}": np.array(frs), f"SR-GPI{suffix}": np.array(srs)}


def _gpi(world: Maze, table: Any, trip: Collection) -> Follow:
    """Return GPI: the move after which some policy is worth most, by what is left."""
    targets, chains = trip.strategy.targets, world.policy_chains(None)
    table = np.asarray(table, np.float64)
    if table.shape[-1] == world.num_states:
        table = table[..., targets.states]

    def follow(mask: int, inside: Bool[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
        left = (mask >> np.arange(len(targets.states))) & 1
        worth = table @ (left * targets.rewards)
        ahead = np.stack([(chain @ worth.T).max(axis=1) for chain in chains])
        return np.where(inside, NONE, ahead.argmax(axis=0))

    return follow


def _greedy(trip: Collection, weighted: bool) -> Follow:
    """Return going to the nearest reward, or to the one of the highest discounted worth."""
    targets = trip.strategy.targets
    worth = targets.discounts * (targets.rewards if weighted else 1.0)
    states = np.arange(len(worth))

    def follow(mask: int, inside: Bool[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
        left = ((mask >> np.arange(len(targets.states))) & 1).astype(bool)
        if not left.any():
            return np.full(len(states), NONE)
        chosen = np.where(left[None], worth, -1.0).argmax(axis=1)
        policies = targets.policies[chosen, states]
        return np.where(inside | (policies < 0), NONE, policies)

    return follow


def _learned(
    kind: Any, world: Maze, config: Config, rng: np.random.Generator
) -> Float[np.ndarray, "N S S"]:
    """Return the representation of each move that TD learns from walks from random states."""
    size, learned = world.num_states, []
    for move in range(len(world.next_states)):
        here = rng.integers(size, size=config.walks)
        walks = [here]
        for _ in range(config.steps):
            slips = rng.random(config.walks) < config.noise
            moves = np.where(slips, rng.integers(4, size=config.walks), move)
            walks.append(world.next_states[moves, walks[-1]])

        def take_in(rep: Any, walk: Any) -> tuple[Any, None]:
            options = {"discount": config.discount, "step_size": config.step_size}
            return kind.td_learn(rep, walk, **options)[0], None

        begun = kind.initial(size)
        learned.append(jax.lax.scan(take_in, begun, jnp.asarray(np.stack(walks, axis=1)))[0])
    return np.asarray(jnp.stack(learned))
