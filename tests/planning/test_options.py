import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP, chain, constant_policies
from first_occupancy.environments import four_rooms
from first_occupancy.planning import options
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy


def test_executing_a_plan_follows_its_legs_one_by_one():
    world = four_rooms()
    base = constant_policies(world.mdp)
    goal = world.state(1, 9)
    plan = plan_to_goal(first_occupancy.solve(chain(world.mdp, base), discount=0.95), goal)
    expected = [world.start]
    for leg in plan.legs(world.start):
        while expected[-1] != leg.subgoal:
            expected.append(int(world.next_states[leg.policy, expected[-1]]))
    assert len(expected) == 17
    walk = options.execute(
        options.from_plan(plan, base, world.start),
        world.mdp,
        jax.random.key(0),
        world.start,
        num_steps=16,
    )
    assert walk.states.tolist() == expected
    moved = np.asarray(world.next_states)[walk.actions, walk.states[:-1]]
    assert moved.tolist() == expected[1:]


def test_an_option_per_leg_ends_at_the_subgoal_and_nowhere_else():
    frs = jnp.array([[[1, 0.9, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0.9], [0, 0, 1]]])
    base = jnp.eye(2)[jnp.array([[0, 0, 0], [1, 1, 1]])]
    first, second = options.from_plan(plan_to_goal(frs, 2), base, 0)
    assert first.termination.tolist() == [0, 1, 0]
    assert second.termination.tolist() == [0, 0, 1]
    np.testing.assert_array_equal(first.policy, base[0])
    np.testing.assert_array_equal(second.policy, base[1])


@pytest.mark.parametrize("chance", [0.0, 0.25, 1.0])
def test_an_option_ends_with_its_probability_on_arriving(chance):
    """A ring walked by action 0; the second option stays where the first one ended."""
    ring = MDP(jnp.stack([jnp.roll(jnp.eye(4), 1, axis=1), jnp.eye(4)], axis=1))
    go, stay = jnp.eye(2)[jnp.zeros(4, int)], jnp.eye(2)[jnp.ones(4, int)]
    ways = [options.Option(go, chance * jnp.eye(4)[1]), options.Option(stay, jnp.zeros(4))]
    keys = jax.random.split(jax.random.key(0), 2000)
    last = jax.vmap(lambda key: options.execute(ways, ring, key, 0, num_steps=3).states[-1])(keys)
    stopped = np.asarray(last == 1)
    error = np.sqrt(chance * (1 - chance) / 2000)
    assert abs(stopped.mean() - chance) <= 5 * error
    assert (np.asarray(last)[~stopped] == 3).all()
