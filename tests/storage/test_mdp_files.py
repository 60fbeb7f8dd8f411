"""MDPs in files that hold what cannot be one."""

import numpy as np
import pytest

import first_occupancy as fo
from saved_things import altered, house, refusal_of

nan, inf = np.nan, np.inf
CHANGES = {
    "NaN": (
        {"start_distribution": np.array([nan, 0, 1])},
        "{path}: MDP: start_distribution is not finite (has nan)",
    ),
    "infinite rewards": (
        {"reward": np.full((3, 2, 3), inf)},
        "{path}: MDP: reward must be finite, got inf at [0, 0, 0]",
    ),
    "names": (
        {"facts": {"state_names": ["a", "b"]}},
        "{path}: MDP: state_names must be 3 names, got 2",
    ),
    "no names": (
        {"facts": {"state_names": 7}},
        "{path}: MDP: state_names must be a sequence of strings, got <class 'int'>",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("name", CHANGES)
def test_files_that_hold_what_cannot_be_an_mdp_are_named(tmp_path, name):
    change, message = CHANGES[name]
    path = tmp_path / "thing.npz"
    assert refusal_of(path, house(), change).startswith(message.format(path=path))


ROWS = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [0.2, 0.8]]])


@pytest.mark.parametrize("durations", [None, np.array([[1.0, 2.0], [3.0, 4.0]])])
def test_a_world_comes_back_as_it_was(durations, tmp_path):
    world = fo.SparseMDP(
        ROWS,
        rewards=[1.0, 2.0],
        durations=durations,
        start_distribution=[0.25, 0.75],
        state_names=["a", "b"],
        action_names=["x", "y"],
    )
    fo.save(world, tmp_path / "world.npz")
    back = fo.load(tmp_path / "world.npz", expected=fo.SparseMDP)
    for one, other in zip(world.action_chains, back.action_chains, strict=True):
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    for name in ("rewards", "durations", "start_distribution", "state_names", "action_names"):
        np.testing.assert_array_equal(getattr(back, name), getattr(world, name))


def test_half_precision_is_read_as_any_other(tmp_path):
    rows = np.eye(2)[[[0, 1], [1, 1]]]
    fo.save(fo.SparseMDP(rows), tmp_path / "world.npz")
    altered(tmp_path / "world.npz", probabilities=np.ones(4, np.float16))
    half = fo.load(tmp_path / "world.npz")
    np.testing.assert_array_equal(half.action_chains[0].toarray(), rows[:, 0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": np.array([0, 1, 0, 1, 0, 9])}, "columns must be in 0..1"),
        ({"row_starts": np.array([[0, 2, 3], [4, 4, 6]])}, "row_starts must divide"),
        ({"row_starts": np.array([[0, 3, 2], [2, 4, 6]])}, "row_starts must divide"),
        ({"probabilities": np.full(6, 0.1)}, "does not sum to one"),
    ],
)
def test_what_makes_no_world_is_refused(change, message, tmp_path):
    path = tmp_path / "world.npz"
    fo.save(fo.SparseMDP(ROWS), path)
    altered(path, **change)
    with pytest.raises(fo.InputError, match=message):
        fo.load(path)
