"""States and actions may have names: shown in place of numbers, and looked up by."""

import copy
import pickle
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core.names import Names

ROOMS = ["hall", "kitchen", "attic"]
MOVES = ["climb", "rest"]


def house(transition=None, **names):
    if transition is None:
        climb, rest = np.eye(3)[[1, 2, 2]], np.eye(3)
        transition = np.stack([climb, rest], axis=1)
    return fo.MDP(transition, **({"state_names": ROOMS, "action_names": MOVES} | names))


def test_a_named_world_is_looked_up_by_name():
    world = house()
    assert world.state_names == tuple(ROOMS)
    assert [world.state(name) for name in ROOMS] == [0, 1, 2]
    assert world.action("rest") == 1
    assert fo.MDP(world.transition).state_names is None


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: house().state("atic"),
            "MDP.state: no state is named 'atic'; the nearest is 'attic'",
        ),
        (lambda: house().state(1), "MDP.state: no state is named 1"),
        (lambda: house().state(["hall"]), "MDP.state: no state is named ['hall']"),
        (
            lambda: house(action_names=None).action("rest"),
            "MDP.action: actions must have names to be looked up, but have none",
        ),
        (lambda: house(state_names=["a"]), "MDP: state_names must be 3 names, got 1"),
        (
            lambda: house(state_names=["a", "b", "a"]),
            "MDP: state_names must differ, got 'a' at positions 0 and 2",
        ),
        (
            lambda: house(action_names=["a", 3]),
            "MDP: action_names must be non-empty strings, got 3 at position 1",
        ),
        (
            lambda: house(action_names=["", "b"]),
            "MDP: action_names must be non-empty strings, got '' at position 0",
        ),
        (
            lambda: house(state_names=7),
            "MDP: state_names must be a sequence of strings, got <class 'int'>",
        ),
        (
            lambda: house(state_names="abc"),
            "MDP: state_names must be a sequence of strings, got the one string 'abc'",
        ),
        (
            lambda: house(action_names="ab"),
            "MDP: action_names must be a sequence of strings, got the one string 'ab'",
        ),
        (
            lambda: house(np.full((3, 2, 3), 0.5)),
            "MDP: transition at state 0 'hall', action 0 'climb' does not sum to one (sums to 1.5)",
        ),
        (
            lambda: fo.chain(house(), jnp.full((4, 3, 2), 0.1)),
            "chain: policy at policy 0, state 0 'hall' does not sum to one (sums to 0.2)",
        ),
    ],
)
def test_errors_say_the_names(call, message):
    with pytest.raises(fo.InputError) as caught:
        call()
    assert str(caught.value) == message


def test_names_pass_through_jit_and_vmap_and_are_part_of_the_structure():
    world, same, other = house(), house(), house(state_names=["a", "b", "c"])
    assert jax.tree.structure(world) == jax.tree.structure(same) != jax.tree.structure(other)
    traced = []

    @jax.jit
    def through(mdp):
        traced.append(mdp.state_names)
        return mdp

    assert through(world).state_names == through(same).state_names == tuple(ROOMS)
    assert through(other).state_names == ("a", "b", "c")
    assert len(traced) == 2
    stack = jax.tree.map(lambda *leaves: jnp.stack(leaves), world, same)
    chains = jax.vmap(lambda mdp: fo.chain(mdp, jnp.full((3, 2), 0.5)))(stack)
    assert chains.shape == (2, 3, 3)
    with pytest.raises(ValueError, match="different pytree metadata"):
        jax.tree.map(lambda *leaves: jnp.stack(leaves), world, other)
    plain = jax.tree.map(lambda *leaves: jnp.stack(leaves), world.unnamed(), other.unnamed())
    assert plain.unnamed().transition.shape == (2, 3, 2, 3)


def test_an_absorbing_world_keeps_its_names():
    from first_occupancy.core import absorbing

    assert absorbing(house(), 2).state_names == tuple(ROOMS)


def test_many_names_are_hashed_once_and_compared_by_identity():
    many = Names(f"state {number}" for number in range(300_000))
    hash(many)
    began = time.perf_counter()
    for _ in range(1000):
        assert hash(many) == hash(many)
        assert {many: 1}[many] == 1
        assert many.__eq__(many)
        assert not many.__ne__(many)
    # Gone through each time it would be 4000 x 300,000 steps: many seconds.
    assert time.perf_counter() - began < 1
    again = pickle.loads(pickle.dumps(many))
    assert again == many
    assert many != many[1:]
    assert hash(again) == hash(tuple(many))
    assert again.number_of("state 5") == 5


def test_a_maze_names_its_cells_and_moves():
    world = fo.four_rooms()
    assert world.mdp.state_names is world.state_names
    assert world.mdp.action_names == world.action_names == ("up", "right", "down", "left")
    assert world.mdp.state("(2, 9)") == world.state(2, 9)
    assert [world.state_names[s] for s in range(5)] == [str(world.cell(s)) for s in range(5)]


def test_a_named_plan_shows_its_legs_by_name():
    world = house()
    frs = fo.first_occupancy.solve(fo.chain(world, fo.constant_policies(world)), discount=0.5)
    plan = planning.plan_to_goal(frs, world.state("attic"))
    assert str(plan.legs(0)[0]) == "policy 0 until state 2"
    named = plan.named(states=world.state_names, policies=world.action_names)
    assert plan.named(states=ROOMS).named(policies=world.action_names).state_names == tuple(ROOMS)
    (leg,) = named.legs(world.state("hall"))
    assert str(leg) == "climb until attic"
    assert repr(leg) == "Leg(policy=0 'climb', subgoal=2 'attic')"
    policy, subgoal = leg
    assert leg == (policy, subgoal) == fo.Leg(0, 2)
    assert copy.copy(leg).subgoal_name == pickle.loads(pickle.dumps(leg)).subgoal_name == "attic"
    every = planning.plan_to_every_goal(frs).named(states=ROOMS)
    assert every.to(1).state_names == tuple(ROOMS)
    assert str(every.to(1).legs(0)[0]) == "policy 0 until kitchen"
    with pytest.raises(fo.InputError) as caught:
        every.to(0).legs(2)
    assert str(caught.value) == (
        "legs: goal 0 'hall' must be reachable from start 2 'attic', "
        "but no sequence of the base policies leads there, "
        "or none with as few switches as the plan was made with"
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"states": ["a"]}, "Plan.named: states must be 2 names, got 1"),
        (
            {"policies": "ab"},
            "Plan.named: policies must be a sequence of strings, got the one string 'ab'",
        ),
        (
            {"policies": ["a"]},
            "Plan.named: policies must be at least 2 names, since the plan follows policy 1, got 1",
        ),
    ],
)
def test_a_plan_takes_only_names_that_fit(names, message):
    still, go = jnp.eye(2), jnp.array([[1, 0.5], [0, 1]])
    plan = planning.plan_to_goal(jnp.stack([still, go]), 1)
    with pytest.raises(fo.InputError) as caught:
        plan.named(**names)
    assert str(caught.value) == message


def test_pictures_show_the_names():
    from first_occupancy import plotting

    world = house()
    texts = {text.get_text() for text in plotting.mdp_figure(world).axes[0].texts}
    assert set(ROOMS) <= texts
    assert any("climb" in text for text in texts)
    maze = fo.maze(["S.G"])
    plan = planning.plan_paths(maze.next_states, 2, discount=0.9).named(
        policies=["w", "x", "y", "z"]
    )
    (legend,) = fo.plot(plan, world=maze, start=0).legends
    assert [text.get_text() for text in legend.get_texts()] == ["1: x to (0, 2)"]
