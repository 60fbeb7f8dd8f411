"""Plans become pure functions, for the world and the policies that they were made with."""

import jax
import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy import planning


def test_a_plan_in_a_maze_is_a_function_of_the_state_under_jit():
    world = fo.maze(["S..", ".#.", "..G"])
    plan = fo.plan(world, (2, 2), discount=0.9)
    act = jax.jit(plan.policy_function())
    states = jnp.arange(world.num_states)
    known = np.asarray(plan.policy) >= 0
    np.testing.assert_array_equal(jax.vmap(act)(states)[known], plan.policy[known])
    np.testing.assert_array_equal(jax.vmap(plan.policy_function().knows)(states), known)
    moves = jnp.asarray(world.next_states)
    arrived, _ = jax.lax.scan(lambda s, _: (moves[act(s), s], None), world.start, None, length=4)
    assert int(arrived) == int(plan.goal)


def test_base_policies_that_draw_need_a_key(error_of):
    world = fo.maze(["S.G"])
    plan = fo.plan(world, 2, policies=np.full((1, 3, 4), 0.25), discount=0.9)
    act = plan.policy_function()
    drawn = {int(act(0, key)) for key in jax.random.split(jax.random.key(0), 60)}
    assert drawn == {0, 1, 2, 3}
    message = "policy_function: key must be given where policies are stochastic"
    assert error_of(lambda: act(0)) == message


def test_mistakes_get_one_sentence(error_of):
    plan = fo.plan(fo.maze(["S.G"]), 2, discount=0.9)
    assert error_of(lambda: plan.policy_function(policies=np.zeros((1, 3), int))) == (
        "policy_function: policies must be those of the plan, which follows policy 1, got 1"
    )
    assert error_of(lambda: plan.policy_function(policies="x")) == (
        "policy_function: policies must be actions [N S] or probabilities [N S A] over the plan's "
        "3 states, got 'x'"
    )
    assert error_of(lambda: planning.plan_to_every_goal(jnp.eye(2)[None]).policy_function()) == (
        "policy_function: policies must be given, since the plan does not know its world's actions"
    )
