"""MDPs in files that hold what cannot be one."""

import numpy as np
import pytest

from saved_things import house, refusal_of

nan, inf = np.nan, np.inf
CHANGES = {
    "NaN": (
        {"start_distribution": np.array([nan, 0, 1])},
        "{path}: MDP: start_distribution is not finite (has nan)",
    ),
    "infinite rewards": (
        {"reward": np.full((3, 2, 3), inf)},
        "{path}: MDP: reward must be finite everywhere, got NaN or infinity",
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
