"""Enumerated worlds come back from files, to plan in and, with their environment, to act."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
from first_occupancy.interop.enumeration.jax_worlds import enumerate_jax
from first_occupancy.interop.enumeration.world_files import attached, load_world, save_world
from functional_worlds import LEFT, Corridor, corridor, full_state
from saved_things import altered


@pytest.fixture(scope="module")
def world():
    return enumerate_jax(corridor())


def same(ours, theirs):
    for one, other in zip(ours.action_chains, theirs.action_chains, strict=True):
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    np.testing.assert_array_equal(ours.ended, theirs.ended)
    assert (ours.samples, ours.action_names) == (theirs.samples, theirs.action_names)


def test_a_jax_world_comes_back_and_acts(world, tmp_path, error_of):
    save_world(world, tmp_path / "world.npz")
    loaded = load_world(tmp_path / "world.npz")
    same(loaded, world)
    plan = fo.plan(loaded, loaded.ends, discount=0.9)
    again = attached(loaded, corridor())
    assert int(again.policy(plan)(world.state(0))) == LEFT
    assert error_of(lambda: loaded.number(world.state(0))) == (
        "JaxWorld: needs its environment, but comes from a file; see attached"
    )
    assert error_of(lambda: attached(loaded, corridor(), key=lambda place: place.cell)) == (
        "attached: environment and key must be those of the world, but its states have other keys "
        "there"
    )


def test_a_copied_world_comes_back_and_acts(tmp_path, error_of):
    world = enumerate_copies(Corridor(), key=full_state)
    save_world(world, tmp_path / "world.npz")
    loaded = load_world(tmp_path / "world.npz")
    same(loaded, world)
    assert loaded.keys == world.keys
    environment = Corridor()
    again = attached(loaded, environment, key=full_state)
    plan = fo.plan(again, again.ends, discount=0.9)
    assert again.agent(plan, environment).predict()[0] == LEFT
    assert error_of(lambda: loaded.where(bool)) == (
        "CopiedWorld: needs its environment, but comes from a file"
    )


CHANGES = {
    "ended": ({"ended": np.zeros(3, np.uint8)}, "must say how many samples there were"),
    "samples": ({"facts": {"samples": 0}}, "must say how many samples there were"),
    "words": ({"words": np.zeros((11, 2))}, "must hold words and leaves of 11 states"),
    "leaves": ({"leaf_1": None}, "must hold words and leaves of 11 states"),
    "flags": ({"facts": {"flags": 3}}, "must hold words and leaves of 11 states"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_files_that_do_not_fit_are_refused(change, world, tmp_path):
    changes, message = CHANGES[change]
    save_world(world, tmp_path / "world.npz")
    altered(tmp_path / "world.npz", **changes)
    with pytest.raises(fo.InputError, match=message):
        load_world(tmp_path / "world.npz")
