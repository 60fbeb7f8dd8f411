"""Experience becomes worlds and FRs, and these are right where the truth is known."""

import numpy as np
import pytest

from first_occupancy.core import InputError
from gym_worlds import small

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")
from first_occupancy.interop.data.logs import count_transitions  # noqa: E402
from first_occupancy.interop.gym import experience  # noqa: E402
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment  # noqa: E402
from first_occupancy.interop.gym.experience import collect  # noqa: E402
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of  # noqa: E402


@pytest.fixture(scope="module")
def random_walk():
    environment = small(noise=0.2)
    policies = [np.full((8, 4), 0.25), np.full(8, 1)]
    seen = collect(environment, policies, states_of(environment), num_steps=2000, seed=0)
    return environment, policies, seen


def test_chains_of_policies_are_the_frequencies_of_their_own_steps(random_walk):
    _, _, seen = random_walk
    counted = count_transitions(seen.log())
    chains, visits = np.asarray(counted.chains), np.asarray(counted.visits)
    for policy, state in np.ndindex(2, 8):
        mine = (seen.policies == policy) & (seen.states == state)
        assert visits[policy, state] == mine.sum()
        row = np.bincount(seen.next_states[mine], minlength=8) / max(mine.sum(), 1)
        np.testing.assert_allclose(chains[policy, state], row if mine.any() else np.eye(8)[state])


def test_equal_seeds_make_equal_experience(random_walk):
    environment, policies, seen = random_walk
    again = collect(environment, policies, states_of(environment), num_steps=2000, seed=0)
    other = collect(environment, policies, states_of(environment), num_steps=2000, seed=1)
    np.testing.assert_array_equal(seen.next_states, again.next_states)
    assert (seen.next_states != other.next_states).any()


def act(policy):
    return collect(small(), [policy], DiscreteStates(8), num_steps=1, seed=0)


MISTAKES = {
    "out of range": (
        lambda: act(lambda seen: 7),
        "collect: policy 0 must return actions in 0..3, got 7 in state 0",
    ),
    "no action": (
        lambda: act(lambda seen: "up"),
        "collect: policy 0 must return actions in 0..3, got up in state 0",
    ),
    "no policy": (
        lambda: act("up"),
        "collect: policy 0 must be an array, a function or have predict, got <class 'str'>",
    ),
    "no policies": (
        lambda: collect(small(), [], DiscreteStates(8), num_steps=1, seed=0),
        "collect: needs at least one policy, got none",
    ),
    "out of the box": (
        lambda: collect(
            MountainCarEnvironment(),
            [lambda seen: np.array([2])],
            KeyedStates(),
            num_steps=1,
            seed=0,
        ),
        "collect: policy 0 must return actions in Box(-1.0, 1.0, (1,), float32), got [2.]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(experience, "gymnasium", None)
    with pytest.raises(InputError, match=r"experience: needs Gymnasium: pip install .*\[interop\]"):
        experience.Recorder(None, DiscreteStates(1), seed=0)
