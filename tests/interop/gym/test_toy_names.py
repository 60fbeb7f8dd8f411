"""Gymnasium's toys have the names of its documentation."""

import pytest

from first_occupancy.interop.gym.tables import read_table

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


@pytest.fixture(scope="module")
def lake():
    return read_table(gymnasium.make("FrozenLake-v1"))


def test_states_and_actions_have_the_names_of_the_documentation(lake):
    assert lake.mdp.state_names[6] == "(1, 2)"
    assert lake.mdp.action_names == ("left", "down", "right", "up")
    taxi = read_table(gymnasium.make("Taxi-v4"))
    assert taxi.mdp.state_names[328] == ("taxi at (3, 1), passenger at yellow for red")
    assert gymnasium.make("Taxi-v4").unwrapped.encode(3, 1, 2, 0) == 328
    assert taxi.mdp.action_names[-1] == "drop off"
    # Steps go where the names say.
    for name in ("FrozenLake-v1", "CliffWalking-v1"):
        options = {} if name.startswith("Cliff") else {"is_slippery": False}
        mdp = read_table(gymnasium.make(name, **options)).mdp
        inside = mdp.state("(1, 0)"), mdp.state("(0, 0)")
        assert mdp.transition[inside[0], mdp.action("up"), inside[1]] == 1
        assert mdp.transition[inside[1], mdp.action("down"), inside[0]] == 1
        assert mdp.transition[inside[1], mdp.action("right"), mdp.state("(0, 1)")] == 1
