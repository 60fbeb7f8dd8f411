"""Planners whose worlds change, by policies of their own and with states to avoid."""

import numpy as np
import pytest

import first_occupancy as fo
from changed_plans import GOAL, assert_equal_plans, is_as_made_afresh
from first_occupancy.core.errors import InputError

RNG = np.random.default_rng(0)
DRAWING = ["".join(row) for row in np.where(RNG.random((9, 11)) < 0.2, "#", ".")]


def test_base_policies_states_to_avoid_and_few_switches():
    rng, world = np.random.default_rng(1), fo.maze(DRAWING)
    policies = rng.integers(0, 4, (3, world.num_states))
    for options in ({"policies": policies}, {"policies": fo.constant_policies(world.mdp)}):
        planner = fo.Planner(world, discount=0.9, **options)
        for cell in (30, 11, 52):
            planner.change(close=cell)
            is_as_made_afresh(planner)
            is_as_made_afresh(planner, max_switches=1)
            assert planner.touched is None
    planner = fo.Planner(world, discount=0.9, avoid=[31, 32])
    for cell in (30, 11, 31):
        planner.change(close=cell)
        fresh = fo.plan(planner.world, GOAL, discount=0.9, avoid=[31, 32])
        assert_equal_plans(planner.plan(GOAL), fresh)


def test_what_cannot_change_says_so():
    world = fo.maze(["S..", "..G"])
    frs = fo.occupancies(world.mdp, fo.constant_policies(world.mdp), discount=0.9)
    with pytest.raises(InputError, match="policies must be actions or probabilities"):
        fo.Planner(world, policies=frs, discount=0.9).change(close=1)
    log = fo.transition_log([0, 1], [1, 0], policies=[0, 0])
    with pytest.raises(InputError, match="world must be a maze, a graph"):
        fo.Planner(fo.count_transitions(log), discount=0.9).change(close=1)
