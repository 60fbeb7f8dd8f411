"""Enumerated JAX worlds are those of a search in plain Python, and plans in them hold."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.interop.enumeration.functional_environments import FunctionalEnvironment
from first_occupancy.interop.enumeration.jax_worlds import enumerate_jax
from functional_worlds import LEFT, RIGHT, USE, corridor, plain_worlds


@pytest.fixture(scope="module")
def world():
    return enumerate_jax(corridor(), names=lambda place: f"{place.cell} {place[1:3]}")


def test_states_and_transitions_are_those_of_a_plain_search(world):
    queue, edges = plain_worlds()
    found = [
        tuple(np.asarray(part).item() for part in world.state(s)[:3]) for s in range(len(queue))
    ]
    assert found == queue
    for action, chain in enumerate(world.action_chains):
        expected = [queue.index(edges[place, action]) for place in queue]
        np.testing.assert_array_equal(chain.toarray(), np.eye(len(queue))[expected])
    assert (world.samples, world.error, world.start) == (1, 0.0, 0)
    assert [queue[end][0] for end in world.ends] == [4]
    assert world.num_transitions == 3 * (len(queue) - 1)
    assert world.mdp.rewards.sum() == 1
    assert world.state_names[0].startswith("1 ")
    assert repr(world) == "JaxWorld(11 states, 1 ends, 3 actions, 30 transitions)"


def test_plans_lead_to_sets_of_states_named_by_a_condition(world):
    opened = world.where(lambda place: place.is_open)
    plan = fo.plan(world, opened, discount=0.9)
    # One left, pick the key up, two right, open.
    assert float(plan.expected_time[world.start]) == 5
    assert [leg.policy for leg in plan.legs(world.start)] == [LEFT, USE, RIGHT, USE]
    assert float(fo.plan(world, world.ends, discount=0.9).expected_time[world.start]) == 7


def test_a_plan_is_a_function_that_acts_under_jit_as_promised(world):
    environment, plan = corridor(), fo.plan(world, world.ends, discount=0.9)
    act = plan.policy_function()

    def advance(place, _):
        following, _, ended = environment.step(jax.random.key(0), place, act(place))
        return following, ended

    start = environment.reset(jax.random.key(0))
    _, ended = jax.jit(lambda: jax.lax.scan(advance, start, None, length=7))()
    assert ended.tolist() == [False] * 6 + [True]
    assert int(act(start)) == LEFT
    assert bool(act.knows(start))
    assert int(world.number(start)) == 0
    elsewhere = start._replace(cell=jnp.array(9))
    assert int(jax.jit(world.number)(elsewhere)) == -1
    with pytest.raises(fo.InputError, match="number: state must be one that was met"):
        world.number(elsewhere)
    assert int(act(start._replace(cell=jnp.array(9)))) == 0


def test_functions_of_the_state_are_skills(world):
    def to_the_key(place):
        return jnp.where(place.cell == 0, USE, LEFT)

    def to_the_door(place):
        return jnp.where((place.cell == 2) & ~place.is_open, USE, RIGHT)

    skills = world.policies([to_the_key, to_the_door])
    plan = fo.plan(world, world.ends, policies=skills, discount=0.9)
    assert float(plan.expected_time[world.start]) == 7
    assert len(plan.legs(world.start)) == 2
    assert int(plan.policy_function()(world.state(0))) == LEFT
    mixed = world.policies([to_the_key, lambda place: jnp.full(3, 1 / 3)])
    assert mixed.shape == (2, 11, 3)
    plan = fo.plan(world, world.ends, policies=mixed, discount=0.9)
    act = plan.policy_function()
    drawn = {int(act(world.state(0), key)) for key in jax.random.split(jax.random.key(0), 40)}
    assert drawn <= {LEFT, RIGHT, USE}


def test_slips_are_estimated_within_the_stated_error():
    world = enumerate_jax(corridor(slip=0.25), samples=4000)
    assert 0 < world.error < 0.05
    queue, edges = plain_worlds()
    assert world.num_states == len(queue)
    places = [tuple(np.asarray(part).item() for part in world.state(s)[:3]) for s in range(11)]
    for action, chain in enumerate(world.action_chains):
        for state, place in enumerate(places):
            expected = np.zeros(11)
            sure = 1.0 if action == USE or place[0] == 4 else 0.75
            expected[places.index(edges[place, action])] += sure
            expected[state] += 1 - sure
            off = np.abs(chain.toarray()[state] - expected)
            assert off.max() <= world.error
            assert (off <= 6 * np.sqrt(expected * (1 - expected) / world.samples) + 1e-12).all()


def test_the_clock_matters_only_where_time_limits_end_the_world():
    def limited(random, place, action):
        following, reward, ended = corridor().step(random, place, action)
        return following, reward, ended, following.time >= 3

    environment = FunctionalEnvironment(corridor().reset, limited, 3)
    world = enumerate_jax(environment, time_limit=True)
    assert set(np.asarray(world.states.time)[world.ended].tolist()) == {3}
    assert enumerate_jax(environment, key=lambda place: place[:3]).num_states == 11


def test_random_starts_have_their_frequencies():
    def reset(random):
        return corridor().reset(random)._replace(cell=jax.random.randint(random, (), 0, 2))

    world = enumerate_jax(
        FunctionalEnvironment(reset, corridor().step, 3, key=lambda place: place[:3]),
        num_resets=200,
    )
    shares = world.mdp.start_distribution
    cells = np.asarray(world.states.cell)
    assert shares[cells == 0].sum() + shares[cells == 1].sum() == 1
    assert abs(shares[cells == 0].sum() - 0.5) < 6 * np.sqrt(0.25 / 200)


def in_place():
    def step(random, state, action):
        state["time"] = state["time"] + 1
        return state, 0.0, False

    return FunctionalEnvironment(lambda random: {"time": jnp.array(0)}, step, 1)


def moody():
    rng = np.random.default_rng(0)

    def reset(random):
        return jnp.array(rng.random())

    return FunctionalEnvironment(reset, lambda random, state, action: (state, 0.0, False), 1)


def reshaping():
    def step(random, state, action):
        return jnp.append(state, 1.0), 0.0, False

    return FunctionalEnvironment(lambda random: jnp.zeros(2), step, 1)


MISTAKES = {
    "infinite": (
        lambda: enumerate_jax(corridor(key=lambda place: place), limit=40),
        "enumerate_jax: the world must have at most limit=40 states, but 46 were found and more "
        "are to come; state.time alone takes 8 values: leave it out with key=, or raise limit",
    ),
    "key": (
        lambda: enumerate_jax(corridor(), key=lambda place: {"cell": place.cell}),
        "enumerate_jax: key must tell apart states with different futures, but action 'right' "
        "leads two states with the key {'cell': 2} to different outcomes; they differ in "
        "state.has_key, state.is_open, state.time: add to key= what matters",
    ),
    "in place": (
        lambda: enumerate_jax(in_place()),
        "enumerate_jax: step must return a new state, but changes the given one in place; copy it "
        "first",
    ),
    "moody": (
        lambda: enumerate_jax(moody()),
        "enumerate_jax: reset must compute the same for the same key, but two calls with one key "
        "differ; draw from jax.random with the given key only",
    ),
    "reshaping": (
        lambda: enumerate_jax(reshaping()),
        "enumerate_jax: step must return a state like that of reset, got PyTreeDef(*) of shapes "
        "[(3,)] instead of PyTreeDef(*) of shapes [(2,)]",
    ),
    "samples": (
        lambda: enumerate_jax(corridor(), samples=0),
        "enumerate_jax: samples must be at least 1, got 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_mistakes_with_a_world_get_one_sentence(world, error_of):
    assert error_of(lambda: world.where(lambda place: place.cell == 9)) == (
        "JaxWorld.where: condition must hold somewhere, but does in none of the 11 states"
    )
    assert error_of(lambda: world.where(lambda place: place.cell)) == (
        "JaxWorld.where: condition must return True or False for each state, got "
        f"{np.asarray(world.states.cell).dtype} of shape []"
    )
    assert error_of(lambda: world.policies([])) == (
        "JaxWorld.policies: needs at least one function, got none"
    )
    assert error_of(lambda: world.policies([lambda place: 0.5])) == (
        "JaxWorld.policies: function 0 must return an action or the probabilities of 3, got "
        f"{np.asarray(jnp.array(0.5)).dtype} of shape []"
    )
    assert error_of(lambda: world.picture(0)) == (
        "JaxWorld.picture: needs an environment with draw, but it has none"
    )
