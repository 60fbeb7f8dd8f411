"""What was saved comes back as it was, with what it is of; what cannot be used is named."""

import json
import resource
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.storage import saving
from saved_things import house, refusal_of, skills

THINGS = {
    "a world": house,
    "a world without names": lambda: house().unnamed(),
    "FRs": skills,
    "SRs": lambda: skills(representation=fo.successor, policy_names=["up", "still"]),
    "in between": lambda: skills(representation=fo.LambdaRepresentation(0.5)),
    "bare FRs": lambda: fo.Occupancies(np.eye(2, dtype=np.float32)[None], discount=0.9),
    "a plan": lambda: planning.plan_to_goal(skills(), 2),
    "plans": lambda: planning.plan_to_every_goal(skills()),
}


@pytest.mark.parametrize("name", THINGS)
def test_things_come_back_as_they_were(tmp_path, name):
    thing, path = THINGS[name](), tmp_path / "thing.npz"
    fo.save(thing, path)
    loaded = fo.load(str(path), type(thing))
    assert jax.tree.structure(loaded) == jax.tree.structure(thing)
    for here, there in zip(jax.tree.leaves(thing), jax.tree.leaves(loaded), strict=True):
        np.testing.assert_array_equal(there, here)
        assert there.dtype == here.dtype
    first = path.read_bytes()
    fo.save(loaded, path)
    assert path.read_bytes() == first


def test_in_single_precision_numbers_come_back_in_it(tmp_path):
    fo.save(house(), tmp_path / "world.npz")
    with jax.enable_x64(False):
        assert fo.load(tmp_path / "world.npz").transition.dtype == jnp.float32


def test_numpy_reads_the_file_and_nothing_in_it_runs(tmp_path):
    fo.save(house(), tmp_path / "world.npz")
    with np.load(tmp_path / "world.npz", allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["transition"], house().transition)
        assert json.loads(str(archive["facts"]))["state_names"][1] == "Küche"


def test_an_archive_of_someone_elses_is_told_from_a_damaged_one(tmp_path):
    np.savez(tmp_path / "thing.npz", weights=np.eye(2))
    with pytest.raises(fo.InputError, match="must be a file written by this library, but holds"):
        fo.load(tmp_path / "thing.npz")


def test_another_thing_than_expected_is_named(tmp_path):
    fo.save(house(), tmp_path / "thing.npz")
    with pytest.raises(fo.InputError) as caught:
        fo.load(tmp_path / "thing.npz", fo.Plan)
    assert str(caught.value) == f"load: {tmp_path}/thing.npz must hold Plan, got MDP"


@pytest.mark.usefixtures("as_users_run_it")
def test_only_known_things_are_saved(tmp_path):
    with pytest.raises(fo.InputError) as caught:
        fo.save(jnp.eye(2), tmp_path / "thing.npz")
    assert str(caught.value) == (
        "save: the thing to save must be one of MDP, Occupancies, Plan, SparseMDP, got ArrayImpl; "
        "FRs are saved as Occupancies(frs, discount=...), mazes as their .mdp"
    )
    with pytest.raises(fo.InputError, match="save: values must be concrete, got traced ones"):
        jax.jit(lambda mdp: fo.save(mdp, tmp_path / "thing.npz"))(house())
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_named_and_leaves_what_was_there(tmp_path):
    path = tmp_path / "thing.npz"
    fo.save(house(), path)
    before = path.read_bytes()
    large = fo.Occupancies(np.eye(200)[None], discount=0.9)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (0, 500, 100_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large") as caught:
                fo.save(large, path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert str(caught.value) == f"[Errno 27] File too large: '{path}'"
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("precious")
    for path, reason in (
        (tmp_path / "file" / "thing.npz", "[Errno 20] Not a directory"),
        (tmp_path / "no" / "thing.npz", "[Errno 2] No such file or directory"),
        (tmp_path, "[Errno 21] Is a directory"),
    ):
        with pytest.raises(OSError, match="Errno") as caught:
            fo.save(house(), path)
        assert str(caught.value) == f"{reason}: '{path}'"
    assert (tmp_path / "file").read_text() == "precious"
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


class Recipe(NamedTuple):
    """A record that the library knows nothing of."""

    title: str
    grams: np.ndarray


@pytest.fixture
def recipes(monkeypatch):
    """Let files hold recipes for the time of a test."""

    def pack(recipe):
        return {"grams": recipe.grams}, {"title": recipe.title}

    def unpack(path, facts, arrays):
        saving.check_arrays(path, arrays, {"grams": (saving.REALS, "N")})
        return saving.made(path, recipe_of, facts.get("title"), arrays["grams"])

    def recipe_of(title, grams):
        if not isinstance(title, str):
            raise fo.InputError(f"Recipe: title must be a string, got {title!r}")
        return Recipe(title, grams)

    home = SimpleNamespace(KINDS={"recipe": saving.Kind(Recipe, pack, unpack)})
    monkeypatch.setitem(sys.modules, "recipes", home)
    monkeypatch.setitem(saving.HOMES, "recipe", "recipes")


@pytest.mark.usefixtures("recipes")
def test_another_kind_comes_back(tmp_path):
    recipe, path = Recipe("bread", np.array([500.0, 10.0, 350.0])), tmp_path / "bread.npz"
    fo.save(recipe, path)
    loaded = fo.load(path, Recipe)
    assert loaded.title == "bread"
    np.testing.assert_array_equal(loaded.grams, recipe.grams)
    with pytest.raises(fo.InputError, match=r"bread\.npz must hold MDP, got Recipe"):
        fo.load(path, fo.MDP)
    # Its own checks are made, and the file is named.
    assert refusal_of(path, recipe, {"facts": {"title": 7}}) == (
        f"{path}: Recipe: title must be a string, got 7"
    )
    assert refusal_of(path, recipe, {"grams": None}) == f"{path}: lacks grams"
    with pytest.raises(
        fo.InputError, match="must be one of MDP, Occupancies, Plan, Recipe, SparseMDP, got"
    ):
        fo.save("bread", path)


def test_a_kind_that_is_not_known_is_named(recipes, tmp_path, monkeypatch):
    path = tmp_path / "bread.npz"
    fo.save(Recipe("bread", np.ones(2)), path)
    monkeypatch.delitem(saving.HOMES, "recipe")
    with pytest.raises(fo.InputError) as caught:
        fo.load(path)
    kinds = "mdp, occupancies, plan, sparse_mdp"
    assert str(caught.value) == f"{path}: must hold one of {kinds}, got 'recipe'"


@pytest.mark.parametrize("name", saving.HOMES)
def test_the_module_of_each_kind_has_it(name):
    assert name in import_module(saving.HOMES[name]).KINDS


@pytest.mark.usefixtures("as_users_run_it")
def test_a_path_in_the_first_place_is_told_of(tmp_path):
    with pytest.raises(fo.InputError, match="got PosixPath; the path comes second; FRs are saved"):
        fo.save(tmp_path / "thing.npz", house())


CHANGES = {
    "another version": ({"facts": {"format": 1}}, "{path}: must be of format 2, got 1"),
    "another library": (
        {"facts": {"library": "x"}},
        "{path}: must be a file written by this library, but holds other arrays",
    ),
    "another kind": (
        {"facts": {"kind": "cake"}},
        "{path}: must hold one of mdp, occupancies, plan, sparse_mdp, got 'cake'",
    ),
    "of another kind's arrays": ({"facts": {"kind": "plan"}}, "{path}: "),
    "an array missing": ({"start_distribution": None}, "{path}: lacks start_distribution"),
    "an array too many": ({"more": np.ones(2)}, "{path}: must not have more"),
    "shapes": (
        {"start_distribution": np.ones(4)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got float64[4]",
    ),
    "types": (
        {"start_distribution": np.ones(3, int)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got int64[3]",
    ),
    "long numbers": (
        {"start_distribution": np.ones(3, np.longdouble)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got float128[3]",
    ),
    "nothing": (
        {"start_distribution": np.ones(0)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got float64[0]",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("name", CHANGES)
def test_files_of_other_things_or_with_other_arrays_are_named(tmp_path, name):
    change, message = CHANGES[name]
    path = tmp_path / "thing.npz"
    assert refusal_of(path, house(), change).startswith(message.format(path=path))
