"""Worlds and FRs from experience, against its frequencies and exact solves."""

from dataclasses import replace

import numpy as np
import pytest

from first_occupancy.core import InputError, memory
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment
from first_occupancy.interop.gym.experience import Experience, collect
from first_occupancy.interop.gym.exploration import explore
from first_occupancy.interop.learned_worlds import learned_world
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of
from gym_worlds import small


def test_an_end_that_other_episodes_left_has_a_state_of_its_own():
    environment = small()
    seen = explore(environment, states_of(environment), num_steps=40, seed=0)
    left = int(seen.states[seen.states != seen.next_states][0])
    ended = seen.ended | (seen.next_states == left)
    names = [f"place {state}" for state in range(8)]
    world = learned_world(replace(seen, ended=ended), state_names=names)
    assert world.mdp.num_states == 9
    assert not world.ended[left]
    assert world.ended[8]
    assert world.mdp.state_names[8] == f"place {left}, ended"
    assert (np.asarray(world.mdp.transition)[8, :, 8] == 1).all()
    arrives = np.asarray(world.mdp.transition)[:8, :, 8] > 0
    assert set(zip(*np.nonzero(arrives), strict=True)) == {
        (state, action)
        for state, action, ahead in zip(seen.states, seen.actions, seen.next_states, strict=True)
        if ahead == left
    }


def nothing_seen():
    none = np.zeros(0, int)
    floats, flags = none.astype(float), none.astype(bool)
    return Experience(none, none, none, floats, flags, none, none, none, 2, num_actions=1)


MISTAKES = {
    "nothing seen": (
        lambda: learned_world(nothing_seen()),
        "learned_world: needs at least one transition, got none",
    ),
    "no discrete actions": (
        lambda: learned_world(
            collect(
                MountainCarEnvironment(),
                [lambda seen: np.ones(1)],
                KeyedStates(),
                num_steps=2,
                seed=0,
            )
        ),
        "learned_world: needs experience with discrete actions; "
        "use logs.count_transitions(seen.log()) where they are continuous",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_a_learned_world_that_would_not_fit_is_refused_before_it_is_made(monkeypatch):
    seen = explore(small(), DiscreteStates(8), num_steps=1, seed=0)
    monkeypatch.setattr(memory, "on_host", lambda: 2**20)
    with pytest.raises(InputError) as caught:
        learned_world(replace(seen, num_states=100))
    assert str(caught.value) == (
        "learned_world: needs about 2.4 MiB of memory, but 1.0 MiB are free; "
        "use fewer states instead"
    )
