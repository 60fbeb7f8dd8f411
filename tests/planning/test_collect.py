"""Once-only rewards: compared with value iteration on states and rewards that are left."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError
from once_only import (
    best_by_trying,
    kernels,
    optimum,
    random_graph,
    random_map,
    random_rewards,
)

ROOM = fo.maze(["S....", ".#.#.", "....."])


@pytest.fixture(autouse=True, params=[False, True], ids=["float32", "float64"])
def _precision(request):
    with jax.enable_x64(request.param):
        yield


def deterministic(case, rng):
    ties = case % 2 == 0
    world = (
        random_map(rng, 6, 6)
        if case % 3 == 0
        else random_graph(rng, 25, actions=2 + case % 2, durations=case % 3 == 1, ties=ties)
    )
    count = int(rng.integers(1, min(8, world.num_states)))
    return world, random_rewards(rng, world.num_states, count, ties)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_order_is_the_optimum_in_deterministic_worlds(seed):
    rng = np.random.default_rng(seed)
    for case in range(6):
        world, rewards = deterministic(case, rng)
        discount, start = float(rng.choice([0.5, 0.9, 0.99])), int(rng.integers(world.num_states))
        trip = fo.collect(world, rewards, start=start, discount=discount)
        best = optimum(kernels(world, discount), rewards)[start]
        assert trip.expected_return == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert (trip.known, trip.upper_bound, trip.gap) == ("exact", trip.expected_return, 0)
        stated = sum(stop.reward * stop.discount for stop in trip.stops)
        assert stated == pytest.approx(best, rel=1e-9, abs=1e-12)


def test_no_order_of_a_few_rewards_is_better():
    from scipy.sparse.csgraph import dijkstra

    rng = np.random.default_rng(0)
    world = fo.maze(["S1..#", "3#.9.", "..5.#"])
    moves = sum(chain * np.asarray(world.entry_times) for chain in world.action_chains)
    graph = (moves > 0) * np.asarray(world.entry_times)
    distances = dijkstra(graph)
    for _ in range(5):
        rewards = random_rewards(rng, world.num_states, 5)
        trip = fo.collect(world, rewards, discount=0.9)
        found = best_by_trying(distances, rewards, world.start, 0.9)
        assert trip.expected_return == pytest.approx(found, rel=1e-12)
        times = [stop.time for stop in trip.stops]
        assert [0.9**time for time in times] == pytest.approx([s.discount for s in trip.stops])


def test_a_reward_at_the_start_is_taken_at_once():
    trip = fo.collect(ROOM, {(0, 0): 2.0, (0, 2): 1.0}, discount=0.5)
    assert trip.order == (0, 2)
    assert trip.expected_return == pytest.approx(2.25)
    assert trip.stops[0].way is None


def test_scales_of_rewards_do_not_matter():
    rewards = {(0, 4): 1.0, (2, 2): 0.7, (2, 0): 0.4}
    found = fo.collect(ROOM, rewards, discount=0.9)
    for scale in (1e-12, 1e12):
        other = fo.collect(ROOM, {s: scale * r for s, r in rewards.items()}, discount=0.9)
        assert other.order == found.order
        assert other.expected_return == pytest.approx(scale * found.expected_return, rel=1e-12)


def test_undiscounted_everything_counts_and_the_nearest_comes_first():
    trip = fo.collect(ROOM, {(0, 4): 1.0, (0, 2): 2.0, (2, 4): 4.0}, discount=1.0)
    assert trip.order == (2, 4, ROOM.state(2, 4))
    assert trip.expected_return == trip.upper_bound == 7


def test_without_any_discount_only_the_start_counts():
    trip = fo.collect(ROOM, {(0, 0): 1.0, (0, 4): 5.0}, discount=0.0)
    assert (trip.order, trip.expected_return, trip.unreachable) == ((0,), 1.0, (4,))


def test_rewards_too_far_to_be_worth_anything_are_still_ordered():
    corridor = fo.maze(["S" + 400 * "."])
    trip = fo.collect(corridor, {(0, 400): 1.0, (0, 300): 1.0, (0, 2): 1.0}, discount=0.01)
    assert trip.order == (2, 300, 400)


def test_unreachable_rewards_are_said_and_not_counted():
    cut = fo.maze(["S.#.", "..#."])
    trip = fo.collect(cut, {(0, 3): 5.0, (1, 1): 1.0}, discount=0.9)
    assert trip.order == (cut.state(1, 1),)
    assert trip.unreachable == (cut.state(0, 3),)
    assert "out of reach and not counted: (0, 3)" in repr(trip)
    nothing = fo.collect(cut, {(0, 3): 5.0}, discount=0.9)
    assert (nothing.order, nothing.expected_return, nothing.gap) == ((), 0, 0)


def test_one_way_worlds_may_cost_rewards():
    fork = fo.maze(["..<S>.."])
    trip = fo.collect(fork, {(0, 0): 1.0, (0, 6): 1.5}, discount=0.9)
    assert trip.order == (6,)
    assert trip.expected_return == pytest.approx(1.5 * 0.9**3)


def test_the_start_may_be_a_distribution():
    rewards = {(0, 4): 1.0, (2, 0): 0.4}
    shares = np.zeros(ROOM.num_states)
    shares[[0, 4]] = 0.75, 0.25
    trip = fo.collect(ROOM, rewards, start=shares, discount=0.9)
    parts = [fo.collect(ROOM, rewards, start=s, discount=0.9) for s in (0, 4)]
    means = 0.75 * parts[0].expected_return + 0.25 * parts[1].expected_return
    assert trip.expected_return == pytest.approx(means, rel=1e-12)
    assert trip.order == parts[0].order
    by_cell = fo.collect(ROOM, rewards, start={(0, 0): 0.75, (0, 4): 0.25}, discount=0.9)
    assert by_cell.expected_return == trip.expected_return


@pytest.mark.parametrize("home", [0.0, 0.5, 50.0])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_the_trip_may_end_at_a_last_goal(home, noise):
    world = ROOM if noise == 0 else fo.maze(["S....", ".#.#.", "....."], noise=noise)
    rewards = {(0, 4): 1.0, (2, 0): 0.4, (2, 4): 0.2} | ({(0, 0): home} if home else {})
    trip = fo.collect(world, rewards, last=(0, 0), discount=0.9)
    numbers = {world.state(*cell): worth for cell, worth in rewards.items()}
    best = optimum(kernels(world, 0.9), numbers, last=0)[0]
    assert trip.upper_bound == pytest.approx(best, rel=1e-6 if noise else 1e-9)
    assert trip.expected_return <= best * (1 + 1e-6)
    assert trip.expected_return >= (0.95 if noise else 1 - 1e-9) * best
    assert trip.order[-1] == 0
    # Whoever is paid enough at home does not go out at all.
    assert len(trip.order) == (1 if home == 50 else 4)


def test_many_rewards_are_ordered_by_a_search():
    rng = np.random.default_rng(0)
    world = random_map(rng, 15, 15, share=0.1)
    rewards = random_rewards(rng, world.num_states, 30)
    trip = fo.collect(world, rewards, start=0, discount=0.97)
    assert trip.strategy.orders.solver == "search"
    assert len(trip.order) + len(trip.unreachable) == 30
    assert trip.expected_return <= trip.upper_bound
    stated = sum(stop.reward * stop.discount for stop in trip.stops)
    assert trip.expected_return == pytest.approx(stated, rel=1e-12)


def test_frs_in_place_of_policies_give_an_estimate():
    world = fo.four_rooms().mdp
    frs = fo.occupancies(world, fo.constant_policies(world), discount=0.9)
    unknown = fo.Occupancies(frs.values, discount=0.9, representation=fo.first_occupancy)
    trip = fo.collect(world, {7: 1.0, 67: 0.4}, start=60, discount=0.9, policies=unknown)
    exact = fo.collect(world, {7: 1.0, 67: 0.4}, start=60, discount=0.9)
    assert trip.known == "estimate"
    assert trip.order == exact.order
    assert trip.expected_return == pytest.approx(exact.expected_return, rel=1e-4)
    with pytest.raises(InputError, match="dynamics"):
        trip.simulate(3)


@pytest.mark.parametrize(
    ("rewards", "text"),
    [
        ({(0, 4): -1.0}, "at least 0, got -1.0 for (0, 4); to keep away from a state, give avoid="),
        ({(0, 4): np.nan}, "finite numbers, got nan for (0, 4)"),
        ({(0, 4): "much"}, "finite numbers, got 'much' for (0, 4)"),
        ({(1, 1): 1.0}, "collect: a reward"),
        ({(0, 4): 1.0, 4: 2.0}, "each state once, got 4 twice"),
        ({}, "at least one above 0, got none"),
        ({(0, 4): 0.0}, "at least one above 0, got none"),
        ([1.0, 2.0], "a mapping from states to numbers, or an array [S] = [13], got [1.0, 2.0]"),
        (None, "a mapping from states to numbers"),
    ],
)
def test_rewards_that_cannot_be_used_are_refused(rewards, text):
    with pytest.raises(InputError) as raised:
        fo.collect(ROOM, rewards, discount=0.9)
    assert text in str(raised.value)
    assert str(raised.value).startswith("collect: ")


def test_more_rewards_than_documented_are_refused():
    world = fo.maze(["." * 30] * 20)
    with pytest.raises(InputError, match="at most 500, got 600"):
        fo.collect(world, np.ones(600), start=0, discount=0.9)


def test_starts_that_cannot_be_used_are_refused():
    unmarked = fo.maze(["...", "..."])
    with pytest.raises(InputError, match="collect: start must be a state, got None"):
        fo.collect(unmarked, {0: 1.0}, discount=0.9)
    with pytest.raises(InputError, match="collect: start"):
        fo.collect(unmarked, {0: 1.0}, start={0: 0.5, 1: 0.1}, discount=0.9)
    with pytest.raises(InputError, match="collect: start"):
        fo.collect(unmarked, {0: 1.0}, start=(9, 9), discount=0.9)


def test_nodes_that_are_numbers_are_told_from_the_numbers_of_states():
    edges = [(1, 2, 1.0), (2, 0, 1.0), (0, 1, 5.0)]
    numbered = fo.from_edges(edges)
    named = fo.from_edges([(f"n{begin}", f"n{end}", time) for begin, end, time in edges])
    trip = fo.collect(numbered, {0: 1.0}, start=1, discount=0.9)
    same = fo.collect(named, {"n0": 1.0}, start="n1", discount=0.9)
    assert trip.expected_return == same.expected_return == pytest.approx(0.9**2)
    assert (trip.order, trip.upper_bound) == (same.order, same.upper_bound)
    agent = trip.agent()
    for node, taken in ((1, []), (2, []), (0, [(2, 1.0)])):
        agent.predict(node)
        assert agent.taken == taken
