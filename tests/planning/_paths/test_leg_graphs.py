"""Two searches cut paths as the walk through levels does, to the last tie."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._paths import leg_graphs
from first_occupancy.planning._paths.leg_graphs import leg_graph
from first_occupancy.planning._paths.shortest_paths import cut_shortest_paths
from first_occupancy.planning.paths import prepare
from oracles import cuts_by_plain_sweeps


def random_tables(kind, size, count, tables):
    """Yield where policies lead, and a goal; in half of them some states cannot reach it."""
    for seed in range(tables):
        rng = np.random.default_rng([size, seed])
        table = rng.integers(size, size=(count, size))
        if kind == "line":  # Steps along a line make many ways equally long.
            table = np.clip(np.arange(size) + rng.integers(-2, 3, (count, 1)), 0, size - 1)
        if seed % 2:
            stuck = rng.choice(size, size // 4, replace=False)
            table[:, stuck] = stuck
        yield table, int(rng.integers(size))


@pytest.mark.parametrize(
    ("kind", "size", "count", "tables"),
    [("any", 1, 1, 2), ("any", 7, 3, 60), ("line", 9, 3, 60), ("line", 200, 2, 3)],
)
def test_cuts_are_those_of_plain_sweeps_ties_included(kind, size, count, tables, monkeypatch):
    monkeypatch.setattr(leg_graphs, "MOST_LEGS", 1000)  # Random policies run in circles.
    listed = 0
    for table, goal in random_tables(kind, size, count, tables):
        graph = prepare(table)
        legs = leg_graph(graph.by_state)
        if legs is None:  # Some circle does not come back to where the run began.
            continue
        listed += 1
        cuts = legs.cut(graph.backwards, goal)
        policy, subgoal, steps = cuts_by_plain_sweeps(table, goal)
        assert cuts.policy.tolist() == policy
        assert cuts.subgoal.tolist() == subgoal
        assert cuts.steps.tolist() == steps
    assert listed >= min(tables, 10) - 1


def test_cuts_in_a_maze_are_those_of_the_walk_through_levels():
    rng = np.random.default_rng(0)
    cells = rng.random((25, 25)) < 0.7
    world = fo.maze(["".join(".#"[not free] for free in row) for row in cells])
    graph = prepare(np.asarray(world.next_states))
    legs = leg_graph(graph.by_state)
    for goal in range(0, world.num_states, 7):
        expected = cut_shortest_paths(graph.by_state, graph.backwards, goal)
        for one, other in zip(legs.cut(graph.backwards, goal), expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_leg_that_runs_past_the_goal_into_a_trap_is_no_leg():
    # 0 -> 1 -> 2 -> 3, and 3 cannot be left: from 0, two steps are as many as three less one.
    legs = leg_graph(prepare(np.array([[1, 2, 3, 3]])).by_state)
    backwards = prepare(np.array([[1, 2, 3, 3]])).backwards
    assert [each.tolist() for each in legs.cut(backwards, 2)] == [
        [0, 0, -1, -1],
        [2, 2, 2, -1],
        [2, 1, 0, -1],
    ]


@pytest.mark.parametrize("discount", [0.0, 0.9, 1.0])
def test_later_plans_of_a_planner_equal_the_first(discount):
    # A room of 20 x 20, and one cell that cannot be left or reached.
    world = fo.maze(["." * 20] * 18 + ["." * 17 + "###", "." * 17 + "#.#"])
    planner = fo.Planner(world, discount=discount)
    planner.plan(5)
    assert planner._engine._legs is not None
    for goal in (0, 150, world.num_states - 1):
        first, later = fo.plan(world, goal, discount=discount), planner.plan(goal)
        assert later.policy.committed == first.policy.committed
        for one, other in zip(jax.tree.leaves(first), jax.tree.leaves(later), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        assert jax.tree.structure(first) == jax.tree.structure(later)


def test_legs_are_not_listed_where_there_are_too_many(monkeypatch):
    line = np.minimum(np.arange(100) + 1, 99)[:, None]
    assert leg_graph(line) is None  # 50 legs per edge
    assert leg_graph(line[:10].clip(max=9)) is not None
    monkeypatch.setattr(leg_graphs, "MOST_EDGES", 9)
    assert leg_graph(line[:10].clip(max=9)) is None


def test_policies_that_run_into_a_circle_are_left_to_the_walk():
    into = np.array([[1], [2], [1]])  # 0 enters the circle of 1 and 2 and never comes back.
    assert leg_graph(into) is None
    assert leg_graph(into[1:] - 1) is not None  # The circle itself is listed up to its beginning.
