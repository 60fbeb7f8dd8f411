"""What planning needs to know of a world, and who fulfils it."""

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core.names import Names
from first_occupancy.core.world import KnownByChains, World, certain_steps, numbered
from first_occupancy.interop.data.logs import EmpiricalChains
from first_occupancy.interop.skills import Skills


class Turntable(KnownByChains):
    """Three places: one policy turns, the other stays or turns by chance."""

    def __init__(self, *, chance=0.0, state_names=None):
        turn, stay = np.eye(3)[[1, 2, 0]], np.eye(3)
        self.chains = np.stack([turn, chance * turn + (1 - chance) * stay])
        self.state_names = state_names
        self.policy_names = ("turn", "wait")


@pytest.mark.parametrize(
    "world", [fo.small_room(), fo.river_swim(), Turntable()], ids=["maze", "MDP", "chains"]
)
def test_mazes_mdps_and_worlds_known_by_chains_are_worlds(world):
    assert isinstance(world, World)


def test_skills_and_counted_logs_are_worlds_and_arrays_are_not():
    for kind in (Skills, EmpiricalChains):
        assert issubclass(kind, KnownByChains)
    assert not isinstance(np.eye(3), World)


@pytest.mark.parametrize("seed", range(5))
def test_steps_are_certain_where_every_row_has_one_outcome(seed):
    rng = np.random.default_rng(seed)
    there = rng.integers(4, size=(2, 4))
    rows = np.zeros((2, 4, 4))
    for policy, state in np.ndindex(2, 4):
        rows[policy, state, there[policy, state]] = 1
    found = certain_steps(rows)
    assert (found.tolist(), found.dtype) == (there.tolist(), np.int32)
    assert certain_steps(rows[0]).tolist() == there[0].tolist()
    policy, state = rng.integers(2), rng.integers(4)
    rows[policy, state] = [0.25, 0.25, 0.25, 0.25]
    assert certain_steps(rows) is None


def test_a_world_known_by_chains_says_what_the_chains_say():
    certain, uncertain = Turntable(), Turntable(chance=0.5, state_names=["a", "b", "c"])
    assert certain.num_states == 3
    assert certain.steps(None).tolist() == [[1, 2, 0], [0, 1, 2]]
    assert uncertain.steps(None) is None
    np.testing.assert_array_equal(uncertain.policy_chains(None), uncertain.chains)
    assert uncertain.labels(None) == (["a", "b", "c"], ("turn", "wait"))
    assert [uncertain.state_number(each) for each in (1, "b", np.int8(1), jnp.array(1))] == [1] * 4


@pytest.mark.parametrize("names", [("a", "b"), ["a", "b"], Names(["a", "b"])])
def test_states_are_found_by_their_names_however_these_are_kept(names):
    assert numbered("b", 2, names) == 1


MISTAKES = {
    "beyond the last": (lambda: numbered(3, 3, None), "state must be in 0..2, got 3"),
    "half": (lambda: numbered(0.5, 3, None), "state must be in 0..2, got 0.5"),
    "several": (
        lambda: numbered([0, 1], 3, None),
        "state must be one state, a number or a name, got [0, 1]",
    ),
    "without names": (
        lambda: numbered("attic", 3, None),
        "state must be a number, since states have no names, got 'attic'",
    ),
    "another name": (
        lambda: numbered("atic", 2, ("hall", "attic")),
        "state must be the name of a state, got 'atic'; the nearest is 'attic'",
    ),
    "other policies": (
        lambda: Turntable().steps(np.zeros((1, 3), int)),
        "plan: policies must be None in a world that has only its own policies",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
