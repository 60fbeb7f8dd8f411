"""Tours of worlds: the order, and what following it achieves."""

import json
from itertools import pairwise, permutations

import jax
import networkx as nx
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError

NOISY = fo.maze(["S.#G.", "..3..", "G#..G"], noise=0.3)


@pytest.fixture(autouse=True)
def _double():
    with jax.enable_x64(True):
        yield


def walked(world, found, discount, runs, seed):
    """Return the discounts and times of walking a tour many times, plan after plan."""
    rng, times = np.random.default_rng(seed), np.zeros(runs)
    costs = np.ones(world.num_states) if world.entry_times is None else world.entry_times
    for way in found.ways:
        policy, here = np.asarray(way.plan.policy), np.full(runs, way.begin)
        going = np.flatnonzero(here != way.goal)
        while len(going):
            moves = policy[here[going]]
            slips = rng.random(len(going)) < world.noise
            moves = np.where(slips, rng.integers(4, size=len(going)), moves)
            here[going] = world.next_states[moves, here[going]]
            times[going] += costs[here[going]]
            going = going[here[going] != way.goal]
    return discount**times, times


@pytest.mark.parametrize("discount", [0.9, 1.0])
@pytest.mark.parametrize("returning", [False, True])
def test_discount_and_time_are_those_of_walking_the_tour(discount, returning):
    found = fo.tour(NOISY, NOISY.goals, discount=discount, returning=returning)
    discounts, times = walked(NOISY, found, discount, 4000, seed=0)
    error = times.std() / np.sqrt(len(times))
    assert abs(times.mean() - found.expected_time) < 4 * error
    assert abs(discounts.mean() - found.expected_discount) <= 4 * discounts.std() / 63
    assert found.probability == pytest.approx(1)


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_no_order_is_better_by_what_following_achieves(discount):
    found = fo.tour(NOISY, NOISY.goals, discount=discount)
    plans = {goal: fo.plan(NOISY, goal, discount=discount) for goal in NOISY.goals}

    def worth(order):
        legs = pairwise([NOISY.start, *order])
        if discount == 1:
            return -sum(float(plans[end].expected_time[begin]) for begin, end in legs)
        return sum(float(plans[end].log_expected_discount[begin]) for begin, end in legs)

    best = max(worth(order) for order in permutations(NOISY.goals))
    mine = -found.expected_time if discount == 1 else found.log_expected_discount
    assert mine == pytest.approx(worth(found.order), rel=1e-12)
    assert mine == pytest.approx(best, rel=1e-12)
    assert found.proven_optimal


def test_json_has_cells_steps_and_what_is_achieved():
    calm = fo.maze(["S3G", "..G"])
    content = json.loads(fo.tour(calm, calm.goals, discount=0.9).to_json(about="a test"))
    assert (content["order"], content["about"]) == ([[1, 2], [0, 2]], "a test")
    assert (content["steps"], content["expected_time"]) == (4, 4)
    first = content["ways"][0]["legs"][0]
    assert first["states"] == [[0, 0], [1, 0]]
    noisy = json.loads(fo.tour(NOISY, NOISY.goals, discount=0.9).to_json())
    assert noisy["steps"] is None
    assert noisy["ways"][0]["legs"][0]["states"] is None
    assert noisy["ways"][0]["expected_discount"] >= noisy["ways"][0]["promised"]


def test_a_tour_of_a_graph_has_names():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("dock", "a", 2), ("a", "b", 1), ("b", "dock", 5)])
    found = fo.tour(fo.from_networkx(graph), ["a", "b"], start="dock", discount=0.9, returning=True)
    assert found.expected_time == 6
    assert sorted(json.loads(found.to_json())["order"]) == ["a", "b"]
    assert repr(found).startswith("Tour of 2 goals and back: expected time 6\n")
    assert [str(leg) for way in found.ways for leg in way.legs]


def test_many_goals_have_a_bound_and_progress():
    room, seen = fo.maze(["." * 6] * 6), []
    goals = list(range(1, 20))
    found = fo.tour(
        room, goals, start=0, discount=0.9, progress=lambda done, of: seen.append((done, of))
    )
    assert sorted(found.order) == goals
    assert found.expected_time >= 19
    assert 0 <= found.gap < 0.5
    assert seen == [(number, 19) for number in range(1, 20)]


def test_a_plan_within_a_tolerance_makes_a_lower_bound():
    world = fo.maze(["." * 60] * 40, noise=0.2)
    exact = fo.tour(world, [59, 2000], start=0, discount=0.95)
    close = fo.tour(world, [59, 2000], start=0, discount=0.95, tolerance=1e-4)
    assert (exact.known, close.known) == ("exact", "lower bound")
    assert close.expected_discount <= exact.expected_discount * (1 + 1e-12)
    assert exact.order == close.order


@pytest.mark.parametrize(
    ("goals", "options", "message"),
    [
        ([], {}, "goals must be a list of states, at least one"),
        (3, {}, "goals must be a list of states, at least one"),
        ([1], {"start": None}, "start must be a state, got None, and the world has no start"),
        ([2], {"start": 0}, r"goal \(0, 3\) must be reachable from start \(0, 0\), but no seq"),
        (
            [0],
            {"start": 1, "discount": 0.0},
            ".* with a discount of 0 every goal that takes a step",
        ),
    ],
)
def test_bad_input_is_told_in_one_sentence(goals, options, message):
    world = fo.maze(["..#."])
    with pytest.raises(InputError, match=f"tour: {message}"):
        fo.tour(world, goals, **{"start": 0, "discount": 0.9} | options)


def test_tours_tell_nodes_that_are_numbers_from_the_numbers_of_states():
    edges = [(1, 2, 1.0), (2, 0, 1.0), (0, 1, 5.0), (10, 1, 1.0), (0, 10, 2.0)]
    found = fo.tour(fo.from_edges(edges), [10, 0], start=1, discount=0.9, returning=True)
    assert found.expected_time == pytest.approx(5)
