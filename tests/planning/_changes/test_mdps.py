"""Probabilities that change, against plans made afresh."""

import numpy as np
import pytest

import first_occupancy as fo
from changed_plans import is_as_made_afresh


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
