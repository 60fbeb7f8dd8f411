"""Worlds and FRs from experience, against its frequencies and exact solves."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError, chain, constant_policies, memory
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment
from first_occupancy.interop.gym.experience import Experience, collect
from first_occupancy.interop.gym.exploration import explore
from first_occupancy.interop.learned_worlds import learned_world, td_frs
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of
from first_occupancy.representations import _log_learning, first_occupancy
from gym_worlds import small


def test_an_end_that_other_episodes_left_has_a_state_of_its_own():
    environment = small()
    seen = explore(environment, states_of(environment), num_steps=40, seed=0)
    left = int(seen.states[seen.states != seen.next_states][0])
    ended = seen.ended | (seen.next_states == left)
    names = [f"place {state}" for state in range(8)]
    world = learned_world(replace(seen, ended=ended), state_names=names)
    assert world.observed.tolist() == [*range(8), left]
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


@pytest.fixture(scope="module")
def random_walk():
    environment = small(noise=0.2)
    policies = [np.full((8, 4), 0.25), np.full(8, 1)]
    seen = collect(environment, policies, states_of(environment), num_steps=2000, seed=0)
    return environment, policies, seen


@pytest.fixture
def short_pieces(monkeypatch):
    """Let logs be read in pieces that are not longer than those of the tests."""
    monkeypatch.setattr(_log_learning, "PIECE", 4096)


def test_td_over_the_same_experience_comes_to_rest_at_the_learned_worlds_frs(
    random_walk, short_pieces
):
    _, _, seen = random_walk
    mdp = learned_world(seen).mdp
    uneven = jnp.broadcast_to(jnp.array([0.1, 0.2, 0.3, 0.4]), (8, 4))
    policies = jnp.concatenate([constant_policies(mdp), uneven[None]])
    exact = first_occupancy.solve(chain(mdp, policies), discount=0.8)
    frs = td_frs(seen, policies, discount=0.8, step_size=0.02, passes=30)
    # What is left is the noise of steps of this size, .02 of the spread of the targets.
    assert float(jnp.abs(frs - exact).mean()) < 0.01
    assert float(jnp.abs(frs - exact).max()) < 0.1


def test_td_is_exact_where_there_is_no_chance(short_pieces):
    environment = small()
    seen = explore(environment, states_of(environment), num_steps=200, seed=0)
    policies = constant_policies(environment.mdp)
    frs = td_frs(seen, policies, discount=0.8, step_size=1.0, passes=4)
    exact = first_occupancy.solve(chain(environment.mdp, policies), discount=0.8)
    np.testing.assert_allclose(frs, exact, rtol=1e-12)
    with pytest.raises(InputError, match=r"td_frs: .* S = 8 and A = 4, got \(4, 3, 4\)"):
        td_frs(seen, policies[:, :3], discount=0.8, step_size=1.0)


@pytest.mark.usefixtures("as_users_run_it")
def test_td_takes_policies_of_whole_numbers(short_pieces):
    environment = small()
    seen = explore(environment, states_of(environment), num_steps=20, seed=0)
    policies = constant_policies(environment.mdp)
    whole = td_frs(seen, policies.astype(int), discount=0.8, step_size=1.0)
    np.testing.assert_array_equal(whole, td_frs(seen, policies, discount=0.8, step_size=1.0))


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
