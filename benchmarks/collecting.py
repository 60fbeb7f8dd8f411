"""How good are orders of once-only rewards, how good are they known to be, and what do they cost?

Deterministic maps of 100 x 100 cells with obstacles and random rewards: the gap between the order
that is found and the upper bound, and the time, next to that of PyVRP for a tour of the same goals.
Noisy rooms: the time next to that of exact value iteration on states times sets of rewards.
`--check 1000` compares so many random worlds with plain value iteration instead. Needs the package
pyvrp.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
from measuring import Row, compared, main

import first_occupancy as fo
from first_occupancy.planning import best_order
from first_occupancy.planning._collect.product import best_values

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
from once_only import kernels, optimum, random_graph, random_map, random_rewards

MAPS = ((20, 10), (50, 5), (100, 2), (200, 1))
"""Numbers of rewards, and of draws at each discount."""

DISCOUNTS = (0.99, 0.999)


def measure(quick: bool) -> Iterator[Row]:
    """Yield the gaps on large maps, and times next to those of peers."""
    jax.config.update("jax_enable_x64", True)
    for count, draws in MAPS[:1] if quick else MAPS:
        for discount in DISCOUNTS:
            rows = [_on_map(count, discount, seed) for seed in range(1 if quick else draws)]
            mean = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
            size = f"{count} rewards, 10,000 cells, discount {discount:g}, {len(rows)} draws"
            goal = {20: 2.0, 50: 8.0}.get(count)
            yield compared(
                "once-only rewards: gap to the upper bound",
                f"{size}, worst {100 * max(row['gap'] for row in rows):.2g}%",
                ours=("fo.collect, order and bound", mean["seconds"] + mean["bound_seconds"]),
                peer=("PyVRP, a tour of the same goals", mean["tour_seconds"]),
                ratio=100 * mean["gap"],
                unit="percent at most",
                at_most=goal,
            )
    for count in (4,) if quick else (8, 10, 12):
        yield _against_value_iteration(count)


def _on_map(count: int, discount: float, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    world = random_map(rng, 100, 100, share=0.1)
    rewards = random_rewards(rng, world.num_states, count)
    planner = fo.Planner(world, discount=discount)
    begin = time.perf_counter()
    trip = fo.collect(world, rewards, start=0, discount=discount)
    found, seconds = trip.promised, time.perf_counter() - begin
    begin = time.perf_counter()
    bound, bound_seconds = trip.upper_bound, time.perf_counter() - begin
    plans = [planner.plan(int(state)) for state in trip.strategy.targets.states]
    logs = np.stack([np.asarray(plan.log_promised) for plan in plans], axis=1)
    begin = time.perf_counter()
    best_order(0, list(trip.strategy.targets.states), logs)
    tour_seconds = time.perf_counter() - begin
    gap = 1 - found / bound
    return {
        "gap": gap,
        "seconds": seconds,
        "bound_seconds": bound_seconds,
        "tour_seconds": tour_seconds,
    }


def _against_value_iteration(count: int) -> Row:
    """Compare the time until the first action under noise with that of the exact solution."""
    rng = np.random.default_rng(0)
    world = fo.four_rooms(noise=0.1)
    rewards = random_rewards(rng, world.num_states, count)
    options = {"start": 0, "discount": 0.95}
    ours, peer = float("inf"), float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        trip = fo.collect(world, rewards, **options)
        trip.agent().predict(0)
        ours = min(ours, time.perf_counter() - begin)
        moves = trip.strategy.moves
        begin = time.perf_counter()
        best_values(trip.strategy.targets, moves, None)
        peer = min(peer, time.perf_counter() - begin)
    begin = time.perf_counter()
    best = optimum(kernels(world, 0.95), rewards)[0] if count <= 8 else trip.upper_bound
    plain = time.perf_counter() - begin
    share = trip.expected_return / best
    told = f", in NumPy {plain:.2g} s" if count <= 8 else ""
    return compared(
        "once-only rewards under noise: time to the first action",
        f"{count} rewards in FourRooms, noise 0.1, share of the optimum {share:.4f}",
        ours=("fo.collect", ours),
        peer=(f"value iteration on {world.num_states} x 2^{count} states{told}", peer),
        ratio=peer / ours,
        unit="times as fast",
    )


def check(instances: int, seed: int = 0) -> None:
    """Print how far random worlds are from value iteration on states times sets of rewards."""
    jax.config.update("jax_enable_x64", True)
    rng, worst = np.random.default_rng(seed), 0.0
    for case in range(instances):
        ties = bool(rng.integers(2))
        world = (
            random_map(rng, 6, 6)
            if case % 3 == 0
            else random_graph(rng, 30, actions=2 + case % 2, durations=case % 3 == 1, ties=ties)
        )
        count = int(rng.integers(1, min(11 if case % 20 == 0 else 8, world.num_states)))
        rewards = random_rewards(rng, world.num_states, count, ties)
        start, discount = int(rng.integers(world.num_states)), float(rng.choice([0.5, 0.9, 0.99]))
        found = fo.collect(world, rewards, start=start, discount=discount).expected_return
        best = optimum(kernels(world, discount), rewards)[start]
        worst = max(worst, abs(found - best) / max(best, 1e-3))
    print(f"{instances} deterministic worlds: at most {worst:.2g} from value iteration, relatively")
    for noise in (0.1, 0.2, 0.5):
        shares = {"maps": [], "graphs": []}
        wrong = 0
        for case in range(instances // 5):
            kind = "maps" if case % 2 else "graphs"
            world = (
                random_map(rng, 7, 7, noise=noise)
                if case % 2
                else random_graph(rng, 30, noise=noise, durations=case % 4 == 0)
            )
            count = int(rng.integers(2, min(7, world.num_states)))
            rewards = random_rewards(rng, world.num_states, count)
            trip = fo.collect(
                world, rewards, start=0, discount=float(rng.choice([0.9, 0.95, 0.99]))
            )
            if trip.upper_bound > 0:
                best = optimum(kernels(world, trip.discount), rewards)[0]
                shares[kind].append(trip.expected_return / best)
                wrong += trip.upper_bound < best * (1 - 1e-10)
                wrong += trip.promised > trip.expected_return * (1 + 1e-10)
        for kind, found in shares.items():
            print(
                f"noise {noise:g}, {len(found)} {kind}: mean share {np.mean(found):.5f}, "
                f"worst {min(found):.4f}; {wrong} bounds or promises wrong"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        check(int(sys.argv[2]))
    else:
        main(measure)
