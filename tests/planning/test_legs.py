"""Legs of plans: where they lead, and which plans have none."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core import InputError
from first_occupancy.planning.legs import Leg, check_goal, follow
from first_occupancy.planning.plans import Plan


@pytest.mark.parametrize("world", [fo.four_rooms(), fo.escape_arena(9)], ids=["four", "eight"])
def test_paths_join_start_and_goal_by_single_moves(world):
    start, goal = world.start, world.num_states - 1
    chains = fo.chain(world.mdp, fo.constant_policies(world.mdp))
    legs = planning.plan_to_goal(fo.first_occupancy.solve(chains, discount=0.95), goal).legs(start)
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


def test_a_plan_that_goes_in_circles_is_refused():
    circle = Plan(jnp.array(2), jnp.array([0, 0, -1]), jnp.array([1, 0, 2]), jnp.zeros(3))
    with pytest.raises(InputError, match="plan must lead to goal 2, but from 0 it does not"):
        circle.legs(0)


def test_a_maze_without_a_start_gives_nothing_to_unroll():
    world = fo.maze("..\n.G")
    plan = fo.plan(world, (1, 1), discount=0.9)
    with pytest.raises(InputError, match="legs: start must be a state, got None; does the draw"):
        plan.legs(world.start)


def test_legs_to_any_of_several_goals_end_at_the_nearest():
    world = fo.maze(["G...S.G"])
    plan = fo.plan(world, list(world.goals), discount=0.9)
    (leg,) = plan.legs(world.start)
    assert leg.subgoal == world.goals[1]


def test_a_plan_whose_likely_moves_go_in_circles_says_so():
    plan = Plan(
        jnp.array(2),
        jnp.array([0, 0, -1]),
        jnp.array([-1, -1, 2]),
        jnp.log(jnp.array([0.5, 0.5, 1.0])),
        achieved=jnp.array([0.5, 0.5, 1.0]),
    )
    with pytest.raises(InputError, match="most likely moves lead round in a circle"):
        plan.legs(0)


WRONG_GOALS = {
    "several": (
        lambda: check_goal("plan", np.array([0, 1]), 3, several="plan_many"),
        "plan: goal must be one whole number (plan_many takes several; a maze's state(row, column) "
        "is the number of a cell), got [0 1]",
    ),
    "beyond the last": (
        lambda: check_goal("plan", 3, 3, several="plan_many"),
        "plan: goal must be in 0..2, got 3",
    ),
}


@pytest.mark.parametrize("mistake", WRONG_GOALS)
def test_a_wrong_goal_gets_one_sentence(mistake, error_of):
    call, message = WRONG_GOALS[mistake]
    assert error_of(call) == message


def test_a_goal_passes_and_so_does_a_traced_number():
    check_goal("plan", np.uint8(2), 3, several="plan_many")

    def checked(goal):
        check_goal("plan", goal, 3, several="plan_many")
        return goal

    assert jax.jit(checked)(jnp.array(7)) == 7
