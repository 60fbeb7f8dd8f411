"""Files say what they hold, in which version; other files and other arrays are named."""

import numpy as np
import pytest

from saved_things import house, refusal_of

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
