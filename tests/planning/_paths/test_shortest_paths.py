"""Shortest paths cut into the fewest legs, in each of the ways there are."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from first_occupancy.environments import EIGHT_MOVES, maze
from first_occupancy.planning._paths import shortest_paths
from first_occupancy.planning.paths import plan_paths, prepare


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
    np.testing.assert_allclose(swept.log_discount, steps * np.log(0.99), rtol=1e-12)
    for narrow, chunk in [(0, 50), (8, 10**6), (10**6, 1)]:
        monkeypatch.setattr(shortest_paths, "NARROW", narrow)
        monkeypatch.setattr(shortest_paths, "CHUNK", chunk)
        plan = plan_paths(graph, goal, discount=0.99)
        np.testing.assert_array_equal(plan.policy, swept.policy)
        np.testing.assert_array_equal(plan.subgoal, swept.subgoal)
        np.testing.assert_array_equal(plan.log_discount, swept.log_discount)
