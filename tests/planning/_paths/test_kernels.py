"""Compiled loops of path planning, against searches of SciPy's and plain sweeps over all states."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import bellman_ford

from first_occupancy.environments import EIGHT_MOVES, maze
from first_occupancy.planning._paths.engine import PathGraph, path_graph
from first_occupancy.planning.paths import plan_paths, prepare
from oracles import cuts_by_plain_sweeps, steps_between
from strategies import random_paths


def plain(cuts):
    """Return the parts of a plan as lists, with -1 for no way."""
    steps = np.where(np.isinf(cuts.time), -1, cuts.time)
    return [cuts.policy.tolist(), cuts.subgoal.tolist(), steps.tolist()]


@pytest.mark.parametrize("timed", [False, True], ids=["steps", "times"])
def test_cuts_are_those_of_plain_sweeps_ties_included(timed):
    for seed in range(200):
        table, goal = random_paths(seed)
        ones = np.ones(table.shape) if timed else None
        graph = path_graph("test", table, ones)
        assert plain(graph.cut(np.array([goal]))) == [*cuts_by_plain_sweeps(table, goal)]
        for switches in (0, 1, 2, table.shape[1]):
            expected = cuts_by_plain_sweeps(table, goal, switches)
            assert plain(graph.cut(np.array([goal]), switches)) == [*expected]


def test_more_switches_are_never_worse_and_end_at_the_shortest_path():
    table = np.random.default_rng(7).integers(40, size=(2, 40))
    graph, before = prepare(table), np.full(40, np.inf)
    for switches in range(12):
        time = graph.cut(np.array([3]), switches).time
        assert (time <= before).all()
        before = time
    assert np.where(np.isinf(before), -1, before).tolist() == cuts_by_plain_sweeps(table, 3)[2]


def walked(graph, cuts, start):
    """Return the time that following the legs takes, and where it ends."""
    here, time = start, 0.0
    while cuts.policy[here] >= 0:
        policy, subgoal = cuts.policy[here], cuts.subgoal[here]
        while True:
            time, here = time + graph.durations[here, policy], graph.by_state[here, policy]
            if here == subgoal:
                break
    return time, here


def by_all_pairs(graph, goals, max_switches):
    """Return the times of the best plans, with every leg of every policy written out."""
    size, count = graph.by_state.shape
    legs = np.full((size, size), np.inf)
    for policy in range(count):
        for start in range(size):
            here, time = start, 0.0
            for _ in range(size):
                time = time + graph.durations[here, policy]
                here = graph.by_state[here, policy]
                legs[start, here] = min(legs[start, here], time)
    time = np.full(size, np.inf)
    time[goals] = 0
    for _ in range(max_switches + 1):
        time = np.minimum(time, (legs + time[None]).min(axis=1))
    return time


@pytest.mark.parametrize("whole", [True, False])
def test_times_are_those_of_bellman_ford_and_legs_take_them(whole):
    rng = np.random.default_rng(8)
    for _ in range(120):
        size, count = int(rng.integers(2, 20)), int(rng.integers(1, 5))
        table = rng.integers(0, size, (count, size))
        times = rng.integers(1, 6, (count, size)) * (1.0 if whole else rng.random())
        goals = rng.choice(size, int(rng.integers(1, 3)), replace=False)
        graph = path_graph("test", table, times)
        lengths = np.full((size, size), np.inf)
        for (state, policy), end in np.ndenumerate(graph.by_state):
            lengths[end, state] = min(lengths[end, state], graph.durations[state, policy])
        np.fill_diagonal(lengths, np.inf)
        exact = bellman_ford(csr_array(np.where(np.isinf(lengths), 0, lengths)), indices=goals)
        found = {None: graph.cut(goals)} | {few: graph.cut(goals, few) for few in (0, 1, 3)}
        for switches, cuts in found.items():
            free = exact.min(axis=0)
            expected = free if switches is None else by_all_pairs(graph, goals, switches)
            np.testing.assert_allclose(cuts.time, expected, rtol=1e-12)
            assert ((cuts.subgoal >= 0) == np.isfinite(expected)).all()
            assert (cuts.policy[goals] == -1).all()
        for start in np.flatnonzero(np.isfinite(found[None].time)):
            time, end = walked(graph, found[None], start)
            assert end in goals
            np.testing.assert_allclose(time, found[None].time[start], rtol=1e-12, atol=1e-12)


def test_states_that_never_arrive_have_nothing_to_follow():
    cuts = prepare(np.array([[1, 1, 3, 2]])).cut(np.array([2]))
    assert plain(cuts) == [[-1, -1, -1, 0], [-1, -1, 2, 2], [-1, -1, 0, 1]]


WALLS = np.random.default_rng(1).random((30, 30)) < 0.25
DRAWING = ["".join(row) for row in np.where(WALLS, "#", ".")]


def test_sweeps_to_the_end_find_the_plan_of_the_search():
    world = maze(DRAWING, moves=EIGHT_MOVES)
    graph, goal = prepare(world.next_states), world.num_states // 3
    swept = plan_paths(graph, goal, discount=0.99, max_switches=world.num_states)
    steps = steps_between(world.next_states)[:, goal]
    np.testing.assert_allclose(swept.log_promised, steps * np.log(0.99), rtol=1e-12)
    plan = plan_paths(graph, goal, discount=0.99)
    np.testing.assert_array_equal(plan.policy, swept.policy)
    np.testing.assert_array_equal(plan.subgoal, swept.subgoal)
    np.testing.assert_array_equal(plan.log_promised, swept.log_promised)


def test_a_long_corridor_is_one_leg():
    size = 20_000
    table = np.minimum(np.arange(1, size + 1), size - 1)[None]
    for switches in (None, 0, 3):
        plan = plan_paths(table, size - 1, discount=0.99, max_switches=switches)
        assert (plan.subgoal == size - 1).all()
        expected = np.arange(size)[::-1] * np.log(0.99)
        np.testing.assert_allclose(plan.log_promised, expected, rtol=1e-12)


def test_circles_of_any_length_are_gone_round_once():
    rng = np.random.default_rng(2)
    for size in (1, 2, 3, 7, 20):
        table = np.roll(rng.permutation(size), 1)[None]
        times = rng.random((1, size)) + 0.1
        graph = PathGraph(np.ascontiguousarray(table.T.astype(np.int32)), times.T.copy())
        np.testing.assert_allclose(
            graph.cut(np.array([0]), 0).time, graph.cut(np.array([0])).time, rtol=1e-12
        )
