"""Trips to once-only rewards: what they state, under noise too, and how they are shown."""

import json

import jax
import numpy as np
import pytest

import first_occupancy as fo
from once_only import kernels, optimum, random_graph, random_map, random_rewards

DRAWING = ["S....", ".#.#.", "....."]


@pytest.fixture(autouse=True)
def _double():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("seed", range(6))
def test_under_noise_the_numbers_are_in_order_and_the_bound_is_the_optimum(seed):
    rng = np.random.default_rng(seed)
    noise = [0.1, 0.2, 0.5][seed % 3]
    world = (
        random_map(rng, 6, 6, noise=noise)
        if seed % 2
        else random_graph(rng, 25, noise=noise, durations=seed == 0)
    )
    rewards = random_rewards(rng, world.num_states, 5)
    trip = fo.collect(world, rewards, start=0, discount=0.95)
    best = optimum(kernels(world, 0.95), rewards)[0]
    assert trip.upper_bound == pytest.approx(best, rel=1e-9)
    assert trip.promised <= trip.expected_return * (1 + 1e-12)
    assert 0.95 * best <= trip.expected_return <= best * (1 + 1e-12)
    assert trip.gap == pytest.approx(1 - trip.expected_return / best, abs=1e-9)
    simulated = trip.simulate(400, seed=seed)
    assert abs(simulated.mean - trip.expected_return) < 4 * simulated.standard_error


def test_a_coin_between_two_rewards_is_worth_more_than_any_order():
    """A coin that lands on A or B, ten steps apart: orders are weaker than strategies."""
    size = 21
    rows = np.zeros((1, size, size))
    rows[0, 0, [1, 11]] = 0.5
    for state in range(1, size):
        rows[0, state, 1 + state % 20] = 1
    coin = fo.SparseMDP(list(rows))
    trip = fo.collect(coin, {1: 1.0, 11: 1.0}, start=0, discount=0.9)
    best = optimum(kernels(coin, 0.9), {1: 1.0, 11: 1.0})[0]
    assert trip.promised == pytest.approx(0.5 * 0.9 * (1 + 0.9**10) * (1 + 0.9**10), rel=1e-9)
    assert trip.expected_return == pytest.approx(best, rel=1e-9)
    assert best == pytest.approx(0.9 * (1 + 0.9**10), rel=1e-9)
    assert best > 1.05 * trip.promised


def test_a_trip_changes_with_its_rewards():
    world = fo.maze(DRAWING)
    trip = fo.collect(world, {(0, 4): 1.0, (2, 0): 0.4}, discount=0.9)
    moved = trip.changed({(0, 4): 0.0, (2, 4): 1.0}, start=(2, 2))
    fresh = fo.collect(world, {(2, 4): 1.0, (2, 0): 0.4}, start=(2, 2), discount=0.9)
    assert moved.order == fresh.order
    assert moved.expected_return == fresh.expected_return
    assert trip.rewards == {4: 1.0, 8: 0.4}


def test_json_has_the_order_and_when_each_reward_is_taken():
    world = fo.maze(DRAWING)
    trip = fo.collect(world, {(0, 4): 1.0, (2, 0): 0.8, (0, 0): 0.1}, discount=0.9)
    content = json.loads(trip.to_json(about="a test"))
    assert content["order"] == [[0, 0], [2, 0], [0, 4]]
    assert (content["about"], content["known"], content["gap"]) == ("a test", "exact", 0)
    first, second, _ = content["stops"]
    assert (first["way"], second["expected_time"]) == (None, 2)
    assert second["way"]["legs"][0]["states"] == [[0, 0], [1, 0], [2, 0]]
    noisy = fo.collect(fo.maze(DRAWING, noise=0.2), {(0, 4): 1.0}, discount=0.9)
    assert json.loads(noisy.to_json())["stops"][0]["way"]["steps"] is None


def test_what_is_shown_fits_a_terminal():
    world = fo.maze(DRAWING)
    trip = fo.collect(world, {(0, 4): 1.0, (2, 0): 0.8}, discount=0.9)
    assert repr(trip).splitlines() == [
        "Trip to 2 rewards from (0, 0)",
        "  expected return 1.078",
        "  (2, 0): 0.8 after 2, discount 0.81",
        "  (0, 4): 1 after 8, discount 0.43",
    ]
    noisy = repr(fo.collect(fo.maze(DRAWING, noise=0.2), {(0, 4): 1.0}, discount=0.9))
    assert "expected return" in noisy
    assert "promised by the order" in noisy
