"""Edges and probabilities that change, against plans made afresh."""

import numpy as np
import pytest
from scipy.sparse import random_array

import first_occupancy as fo
from changed_plans import is_as_made_afresh
from first_occupancy.environments.graphs import from_scipy


def test_edges_that_are_added_removed_and_reweighted():
    rng = np.random.default_rng(2)
    planner = fo.Planner(from_scipy(random_array((50, 50), density=0.05, rng=rng)), discount=0.9)
    for _ in range(60):
        edges = planner.world.edges.tocoo()
        pairs = zip(edges.row.tolist(), edges.col.tolist(), strict=True)
        pairs = [pair for pair in pairs if pair[0] != pair[1]]
        chosen = pairs[int(rng.integers(len(pairs)))]
        kind = int(rng.integers(5))
        if kind == 0:
            edit = {"edges": {chosen: None}}
        elif kind == 1:
            edit = {"edges": {chosen: float(rng.random()) + 1e-3}}
        elif kind == 2:
            begin, end = (int(each) for each in rng.choice(50, 2, replace=False))
            edit = {"edges": {(begin, end): 0.5, chosen: None}}
            edit["edges"].update({(begin, end): 0.5})
        elif kind == 3:
            edit = {"close": [int(each) for each in rng.integers(8, 50, 2)]}
        else:
            edit = {"open": list(range(50))}
        planner.change(**edit)
        is_as_made_afresh(planner)


def test_a_removed_edge_leaves_its_rank_to_the_next():
    roads = fo.from_edges([("a", "b", 1.0), ("a", "c", 5.0), ("b", "c", 1.0), ("c", "a", 1.0)])
    planner = fo.Planner(roads, discount=0.9)
    planner.change(edges={("a", "b"): None})
    plan, _ = is_as_made_afresh(planner, "c")
    assert planner.world.path(plan, "a") == ["a", "c"]
    assert int(plan.policy[0]) == 1
    planner.change(edges={("a", "b"): 2.0, ("c", "b"): 1.0})
    plan, _ = is_as_made_afresh(planner, "c")
    assert planner.world.path(plan, "a") == ["a", "b", "c"]
    assert int(plan.policy[0]) == 0


@pytest.mark.parametrize("dense", [True, False])
def test_probabilities_between_certain_and_uncertain(dense):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 12, (2, 12))
    world = fo.SparseMDP([np.eye(12)[each] for each in ends])
    planner = fo.Planner(world.dense() if dense else world, discount=0.9)
    is_as_made_afresh(planner)
    for chances in ({3: 1.0}, {3: 0.5, 4: 0.5}, {4: 1.0}, {5: 0.25, 1: 0.75}):
        planner.change(probabilities={(2, 1): chances, (8, 0): {int(rng.integers(12)): 1}})
        is_as_made_afresh(planner)
        planner.change(close=[5, 9])
        is_as_made_afresh(planner)
        row = np.asarray(planner.world.policy_chains(None)[1][[2]].todense() if not dense
                         else planner.world.transition[2, 1]).ravel()  # fmt: skip
        closed = {to: chance for to, chance in chances.items() if to != 5}
        assert all(row[to] == chance for to, chance in closed.items())
        assert row[2] == chances.get(5, 0)
        planner.change(open=[5, 9])
