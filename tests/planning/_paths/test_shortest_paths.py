"""Shortest paths cut into the fewest legs, in each of the ways there are."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from first_occupancy.environments import EIGHT_MOVES, maze
from first_occupancy.planning._paths import shortest_paths
from first_occupancy.planning._paths.shortest_paths import cut_shortest_paths, decoded, packing
from first_occupancy.planning.paths import plan_paths, prepare
from oracles import cuts_by_plain_sweeps
from strategies import random_paths


@pytest.mark.parametrize("narrow", [0, 2, 1000], ids=["arrays", "both", "plain loop"])
def test_cuts_are_those_of_plain_sweeps_ties_included(narrow, monkeypatch):
    monkeypatch.setattr(shortest_paths, "NARROW", narrow)
    monkeypatch.setattr(shortest_paths, "CHUNK", 4)
    for seed in range(200):
        table, goal = random_paths(seed)
        graph = prepare(table)
        cuts = cut_shortest_paths(graph.by_state, graph.backwards, goal)
        assert [part.tolist() for part in cuts] == [*cuts_by_plain_sweeps(table, goal)]


@pytest.mark.parametrize(("num_states", "num_policies"), [(1, 1), (2, 1), (5, 3), (64, 8)])
def test_keys_sort_by_steps_then_subgoal_then_policy_and_are_read_back(num_states, num_policies):
    keys = packing(num_states, num_policies)
    triples = [(n, s, p) for n in range(3) for s in range(num_states) for p in range(num_policies)]
    packed = [n * keys.one + (s << keys.policy_bits) + p for n, s, p in triples]
    assert packed == sorted(set(packed))
    goal = 0
    for steps, subgoal, policy in triples[:: max(1, len(triples) // 50)]:
        key = steps * keys.one + (subgoal << keys.policy_bits) + policy
        # The goal's own key stands in front, and the state's behind it.
        best, known = np.array([goal, key]), np.array([0, steps], np.int32)
        cuts = decoded(best, known, keys=keys, goal=goal)
        assert (cuts.policy[1], cuts.subgoal[1], cuts.steps[1]) == (policy, subgoal, steps)
        assert (cuts.policy[0], cuts.subgoal[0]) == (-1, goal)


def test_states_that_never_arrive_have_nothing_to_follow():
    graph = prepare(np.array([[1, 1, 3, 2]]))
    cuts = cut_shortest_paths(graph.by_state, graph.backwards, 2)
    assert cuts.policy.tolist() == [-1, -1, -1, 0]
    assert cuts.subgoal.tolist() == [-1, -1, 2, 2]
    assert cuts.steps.tolist() == [-1, -1, 0, 1]


def serpentine(rows, columns):
    """Return a maze that is one long corridor."""
    lines = ["." * columns]
    for turn in range(rows // 2):
        gap = "." if turn % 2 else "#"
        lines += [gap + "#" * (columns - 2) + ("#" if turn % 2 else "."), "." * columns]
    return lines


DRAWINGS = {
    "half open": [
        "".join(row) for row in np.where(np.random.default_rng(1).random((30, 30)) < 0.25, "#", ".")
    ],
    "corridor": serpentine(21, 20),
    "room and corridor": ["." * 12 + "#" * 20] * 9 + ["." * 32] + ["." * 12 + "#" * 20] * 9,
}


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_arrays_and_plain_loop_and_sweeps_to_the_end_find_one_plan(drawing, monkeypatch):
    world = maze(DRAWINGS[drawing], moves=EIGHT_MOVES)
    graph, goal = prepare(world.next_states), world.num_states // 3
    swept = plan_paths(graph, goal, discount=0.99, max_switches=world.num_states)
    steps = dijkstra(graph.backwards, indices=goal, unweighted=True)
    np.testing.assert_allclose(swept.log_promised, steps * np.log(0.99), rtol=1e-12)
    for narrow, chunk in [(0, 50), (8, 10**6), (10**6, 1)]:
        monkeypatch.setattr(shortest_paths, "NARROW", narrow)
        monkeypatch.setattr(shortest_paths, "CHUNK", chunk)
        plan = plan_paths(graph, goal, discount=0.99)
        np.testing.assert_array_equal(plan.policy, swept.policy)
        np.testing.assert_array_equal(plan.subgoal, swept.subgoal)
        np.testing.assert_array_equal(plan.log_promised, swept.log_promised)
