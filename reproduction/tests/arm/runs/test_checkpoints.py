"""Checkpoints come back as they were, or say what is wrong with them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy_paper.arm.runs import checkpoints

FACTS = {"agent": "apf", "seeds": [0, 1]}


class Record(eqx.Module):
    weights: jax.Array
    nothing: None
    name: str = eqx.field(static=True)


def a_tree():
    return {
        "record": Record(jnp.arange(6.0).reshape(2, 3), None, "a"),
        "keys": jax.random.split(jax.random.key(3), 2),
        "host": [np.array(7), np.ones((2, 2), np.uint8)],
    }


@pytest.fixture(name="path")
def a_checkpoint(tmp_path):
    checkpoints.save(tmp_path / "here.npz", a_tree(), facts=FACTS)
    return tmp_path / "here.npz"


def test_everything_comes_back(path):
    like = jax.tree.map(lambda leaf: leaf, a_tree())
    loaded = checkpoints.load(path, like, facts=FACTS)
    assert jax.tree.structure(loaded) == jax.tree.structure(a_tree())
    assert jnp.array_equal(loaded["record"].weights, a_tree()["record"].weights)
    assert isinstance(loaded["host"][1], np.ndarray)
    drawn, expected = (jax.random.normal(tree["keys"][1]) for tree in (loaded, a_tree()))
    assert drawn == expected


@pytest.mark.parametrize(
    ("change", "facts", "message"),
    [
        (lambda tree: tree, {"agent": "aps"}, 'its agent is "apf", not "aps"'),
        (lambda tree: tree, {"width": 4}, "its width is nothing, not 4"),
        (lambda tree: tree | {"more": np.ones(1)}, {}, "lacks ['more']"),
        (
            lambda tree: tree | {"host": [np.array(7), np.ones((2, 3), np.uint8)]},
            {},
            "['host'][1] must be uint8[2, 3], got uint8[2, 2]",
        ),
    ],
)
def test_a_checkpoint_of_something_else_is_named(path, change, facts, message):
    with pytest.raises(InputError) as error:
        checkpoints.load(path, change(a_tree()), facts=FACTS | facts)
    assert message in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("keep", [0, 10, 300, -30])
def test_a_cut_off_checkpoint_is_named(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="is damaged, truncated or not an archive"):
        checkpoints.load(path, a_tree(), facts=FACTS)


def test_a_flipped_bit_is_noticed(path):
    content = bytearray(path.read_bytes())
    place = content.index(np.arange(6.0).tobytes()) + 8
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="is damaged, truncated or not an archive"):
        checkpoints.load(path, a_tree(), facts=FACTS)


def test_a_failed_save_leaves_the_old_one(path):
    class Unwritable:
        def __array__(self, dtype=None, copy=None):
            raise OSError("disk full")

    before = path.read_bytes()
    with pytest.raises(OSError, match="disk full"):
        checkpoints.save(path, {"leaf": Unwritable()}, facts=FACTS)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["here.npz"]


def test_other_files_and_other_numbers_are_named(tmp_path):
    np.save(tmp_path / "array.npy", np.ones(3))
    with pytest.raises(InputError, match="not an archive of arrays"):
        checkpoints.load(tmp_path / "array.npy", a_tree(), facts=FACTS)
    with pytest.raises(InputError, match="must have a numeric NumPy dtype, got bfloat16"):
        checkpoints.save(tmp_path / "b.npz", {"a": jnp.ones(2, jnp.bfloat16)}, facts=FACTS)
