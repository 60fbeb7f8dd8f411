import itertools

import pytest

import first_occupancy as fo
from first_occupancy.planning.frp import Leg, follow


@pytest.mark.parametrize("world", [fo.four_rooms(), fo.escape_arena(9)], ids=["four", "eight"])
def test_paths_join_start_and_goal_by_single_moves(world):
    start, goal = world.start, world.num_states - 1
    chains = fo.chain(world.mdp, fo.constant_policies(world.mdp))
    legs = fo.unroll(fo.plan_to_goal(fo.first_occupancy.solve(chains, 0.95), goal), start)
    paths = follow(legs, start, world.next_states)
    assert [path[-1] for path in paths] == [leg.subgoal for leg in legs]
    assert [path[0] for path in paths] == [start, *(leg.subgoal for leg in legs[:-1])]
    for path, leg in zip(paths, legs, strict=True):
        for here, there in itertools.pairwise(path):
            assert world.next_states[leg.policy, here] == there


def test_a_subgoal_off_the_policys_line_is_reached_by_a_jump():
    world = fo.maze(["...", "..."])
    right = world.action_names.index("right")
    assert follow([Leg(right, 4)], 0, world.next_states) == [[0, 1, 2, 4]]
