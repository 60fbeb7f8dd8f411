"""The compiled search cuts paths as the plain one does, to the last tie."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._paths import engine
from first_occupancy.planning._paths.compiled_paths import CompiledPaths
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
    [("any", 1, 1, 2), ("any", 7, 3, 40), ("line", 9, 3, 40), ("any", 200, 2, 3)],
)
def test_cuts_are_those_of_plain_sweeps_ties_included(kind, size, count, tables):
    for table, goal in random_tables(kind, size, count, tables):
        graph = prepare(table)
        cuts = CompiledPaths(graph.by_state, graph.backwards, 0.9).cut(goal)
        policy, subgoal, steps = cuts_by_plain_sweeps(table, goal)
        assert cuts.policy.tolist() == policy
        assert cuts.subgoal.tolist() == subgoal
        assert cuts.cost.tolist() == [np.inf if each < 0 else each for each in steps]
        assert int(cuts.goal) == goal


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_a_planner_of_many_goals_makes_the_same_plans_in_both_ways(discount, monkeypatch):
    monkeypatch.setattr(engine, "COMPILE_AFTER", 3)
    # A room of 20 x 20: levels of 20 states, and one cell that cannot be left or reached.
    world = fo.maze(["." * 20] * 18 + ["." * 17 + "###", "." * 17 + "#.#"])
    planner = fo.Planner(world, discount=discount)
    for goal in (0, 150, world.num_states - 1):
        plain = fo.plan(world, goal, discount=discount)
        [planner.plan(goal) for _ in range(3)]
        compiled = planner.plan(goal)
        for one, other in zip(jax.tree.leaves(plain), jax.tree.leaves(compiled), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        assert jax.tree.structure(plain) == jax.tree.structure(compiled)
    assert planner._paths._compiled is not None


def test_wide_levels_are_cut_in_chunks():
    hub = np.minimum(np.arange(300) // 150, 1)[None]  # 150 states lead to 0, the others to 1.
    graph = prepare(hub)
    cuts = CompiledPaths(graph.by_state, graph.backwards, 0.5).cut(0)
    assert cuts.cost.tolist() == [0] + [1] * 149 + [2] * 150
    assert cuts.subgoal.tolist() == [0] * 300


@pytest.mark.parametrize(
    ("states", "policies", "suits"), [(3266, 4, True), (2**15, 1, True), (2**14, 8, False)]
)
def test_worlds_whose_keys_need_more_than_31_bits_are_not_compiled(states, policies, suits):
    assert CompiledPaths.suits(states, policies) == suits


def test_timed_moves_limits_and_several_goals_are_left_to_the_plain_search(monkeypatch):
    monkeypatch.setattr(engine, "COMPILE_AFTER", 0)
    steps, goal = np.array([[1, 2, 2]]), np.array([2])
    assert engine.PathEngine(steps, None, 0.9).compiled(goal, None) is not None
    assert engine.PathEngine(steps, None, 0.9).compiled(goal, 1) is None
    assert engine.PathEngine(steps, None, 0.9).compiled(np.array([0, 2]), None) is None
    assert engine.PathEngine(steps, np.ones(steps.shape), 0.9).compiled(goal, None) is None
    assert engine.PathEngine(steps, None, 0.0).compiled(goal, None) is None
