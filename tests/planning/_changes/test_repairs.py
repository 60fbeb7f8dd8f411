"""Repaired costs and keys against new searches by the engines that plan afresh."""

import numpy as np
import pytest

from first_occupancy.planning._changes import repairs
from first_occupancy.planning._changes.repairs import (
    NEVER,
    Known,
    linked,
    redirect,
    repair,
)
from first_occupancy.planning._paths.engine import path_graph
from oracles import cuts_by_plain_sweeps


def bits_of(size, count):
    return (count - 1).bit_length(), (count - 1).bit_length() + (size - 1).bit_length()


def unknown(size, count, goals, bits):
    known = Known(np.full(size, np.inf), np.full(size, NEVER), np.full((size, count), NEVER))
    known.cost[goals], known.best[goals] = 0, goals << bits[0]
    return known


def decoded(known, bits, goals):
    lost = known.best == NEVER
    subgoal = (known.best & ((1 << bits[1]) - 1)) >> bits[0]
    policy = known.best & ((1 << bits[0]) - 1)
    policy[goals] = -1
    return np.where(lost, -1, policy), np.where(lost, -1, subgoal), known.cost


def origins(edges):
    """Return the edges that the lists hold, by the state they lead to."""
    found = []
    for state, edge in enumerate(edges.head.tolist()):
        previous = -1
        while edge >= 0:
            assert edges.before[edge] == previous
            found.append((state, edge))
            previous, edge = edge, int(edges.after[edge])
    return sorted(found)


@pytest.mark.parametrize("times", ["one each", "few", "any"])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e12])
def test_after_every_change_costs_and_legs_are_those_of_a_new_search(times, scale):
    rng = np.random.default_rng(3)
    for _ in range(25):
        size, count = int(rng.integers(2, 25)), int(rng.integers(1, 5))
        bits = bits_of(size, count)
        ends = rng.integers(0, size, (size, count)).astype(np.int32)
        draw = {"one each": np.ones, "few": lambda n: scale * rng.integers(1, 4, n),
                "any": lambda n: scale * rng.random(n) + 1e-9 * scale}[times]  # fmt: skip
        flat = np.ones(1) if times == "one each" else draw(size * count).astype(float)
        edges = linked(ends, flat)
        goals = rng.choice(size, int(rng.integers(1, min(3, size))), replace=False)
        known, seeds = unknown(size, count, goals, bits), goals
        for _ in range(25):
            before = Known(*(each.copy() for each in known))
            changed = repair(edges, known, seeds, bits)
            lengths = np.broadcast_to(flat if len(flat) > 1 else 1.0, size * count)
            cuts = path_graph("test", ends.T, lengths.reshape(size, count).T).cut(goals)
            for found, expected in zip(decoded(known, bits, goals), cuts, strict=True):
                assert found.tolist() == expected.tolist()
            moved = (known.cost != before.cost) | (known.best != before.best)
            assert set(np.flatnonzero(moved)) <= set(changed[0].tolist())
            for state, cost, key in zip(*changed, strict=True):
                assert (cost, key) == (before.cost[state], before.best[state])
            seeds = rng.choice(size, int(rng.integers(0, 4)))
            rows = rng.integers(0, size, (len(seeds), count)).astype(np.int32)
            rows[rng.random(rows.shape) < 0.3] = 0
            if len(flat) > 1:
                flat.reshape(size, count)[seeds] = draw(rows.size).reshape(rows.shape)
            redirect(edges, seeds, rows)
            moving = ends != np.arange(size)[:, None]
            listed = [(end, edge) for edge, end in enumerate(ends.ravel()) if moving.ravel()[edge]]
            assert origins(edges) == sorted(listed)


def test_ties_are_those_of_plain_sweeps():
    rng = np.random.default_rng(4)
    for _ in range(100):
        size, count = int(rng.integers(2, 12)), int(rng.integers(1, 4))
        bits = bits_of(size, count)
        ends, goal = rng.integers(0, size, (size, count)).astype(np.int32), np.array([0])
        known = unknown(size, count, goal, bits)
        repair(linked(ends, np.ones(1)), known, goal, bits)
        policy, subgoal, steps = cuts_by_plain_sweeps(ends.T, 0)
        found = decoded(known, bits, goal)
        assert (found[0].tolist(), found[1].tolist()) == (policy, subgoal)
        assert np.where(np.isinf(found[2]), -1, found[2]).tolist() == steps


def test_a_change_far_from_everything_touches_nothing():
    # A corridor of two policies, left and right; the last state only leads away from itself.
    size = 50
    states = np.arange(size)
    ends = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, size - 1)], axis=1)
    bits, goal = bits_of(size, 2), np.array([0])
    edges, known = linked(ends.astype(np.int32), np.ones(1)), unknown(size, 2, goal, bits)
    assert len(repair(edges, known, goal, bits)[0]) == size - 1
    redirect(edges, np.array([40]), np.array([[39, 40]], np.int32))
    assert not len(repair(edges, known, np.array([40]), bits)[0])
    redirect(edges, np.array([40]), np.array([[40, 40]], np.int32))
    assert sorted(repair(edges, known, np.array([40]), bits)[0].tolist()) == list(range(40, size))


def test_times_that_rounding_swallows_end_too():
    ends = np.array([[1, 3], [2, 0], [0, 1], [3, 3]], np.int32)
    times = np.array([1e-20, 1.0, 1e-20, 1e-20, 1e-20, 1e-20, 1.0, 1.0])
    bits, goal = bits_of(4, 2), np.array([3])
    known = unknown(4, 2, goal, bits)
    repair(linked(ends, times), known, goal, bits)
    assert known.cost.tolist() == [1, 1, 1, 0]


def test_flags_of_a_state_are_different_bits():
    flags = repairs.TOUCHED, repairs.STALE, repairs.WAITING
    assert sum(flags) == np.bitwise_or.reduce(flags)
    assert all(flag.bit_count() == 1 for flag in flags)
