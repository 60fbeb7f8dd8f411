"""Experience becomes worlds and FRs, and these are right where the truth is known."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError, chain, constant_policies, memory
from first_occupancy.environments import four_rooms, maze
from first_occupancy.representations import _log_learning, first_occupancy
from oracles import assert_frequencies_are

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")

from first_occupancy.interop.base_policies import decider, tabulate  # noqa: E402
from first_occupancy.interop.data.logs import count_transitions  # noqa: E402
from first_occupancy.interop.gym import experience  # noqa: E402
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment  # noqa: E402
from first_occupancy.interop.gym.experience import Experience, collect, watch  # noqa: E402
from first_occupancy.interop.gym.exploration import explore  # noqa: E402
from first_occupancy.interop.gym.finite_environments import MazeEnvironment  # noqa: E402
from first_occupancy.interop.learned_worlds import learned_world, td_frs  # noqa: E402
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of  # noqa: E402

DRAWING = ["S..", ".#.", "..G"]


def small(**options):
    return MazeEnvironment(maze(DRAWING, **options))


def test_exploring_a_world_without_chance_finds_its_mdp():
    environment = MazeEnvironment(four_rooms(), goals=[(1, 9)])
    seen = explore(environment, states_of(environment), num_steps=5000, seed=0)
    assert 67 * 4 <= len(seen) < 600
    world, truth = learned_world(seen), environment.mdp
    assert not world.untried.any()
    np.testing.assert_array_equal(world.mdp.transition, truth.transition)
    possible = np.asarray(truth.transition) > 0
    np.testing.assert_array_equal(
        np.asarray(world.mdp.reward)[possible], np.asarray(truth.reward)[possible]
    )
    np.testing.assert_array_equal(world.mdp.start_distribution, truth.start_distribution)


def test_exploring_numbers_states_as_they_are_met():
    environment = small()
    states = KeyedStates(environment.world.cell)
    world = learned_world(explore(environment, states, num_steps=200, seed=0))
    order = [environment.world.state(*cell) for cell in states.keys]
    assert sorted(order) == list(range(8))
    truth = np.asarray(environment.mdp.transition)[np.ix_(order, range(4), order)]
    np.testing.assert_array_equal(world.mdp.transition, truth)


def test_exploring_stops_when_time_is_up_and_says_what_is_untried():
    environment = small()
    seen = explore(environment, states_of(environment), num_steps=7, seed=0)
    assert len(seen) == 7
    world = learned_world(seen)
    assert world.untried.sum() >= 8 * 4 - 7 - 4
    where = np.argwhere(world.untried)
    assert all(world.mdp.transition[s, a, s] == 1 for s, a in where)


def test_under_noise_frequencies_come_near_the_truth():
    environment = small(noise=0.4)
    seen = explore(environment, states_of(environment), num_steps=4000, seed=0, tries=60)
    world, truth = learned_world(seen), environment.mdp
    assert world.tries[~world.ended].min() >= 60
    for state, action in zip(*np.nonzero(world.tries), strict=True):
        mine = (seen.states == state) & (seen.actions == action)
        shares = np.eye(8)[seen.next_states[mine]].mean(axis=0)
        np.testing.assert_allclose(world.mdp.transition[state, action], shares)
        assert_frequencies_are(seen.next_states[mine], truth.transition[state, action])


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


def test_chains_of_policies_are_the_frequencies_of_their_own_steps(random_walk):
    _, _, seen = random_walk
    counted = count_transitions(seen.log())
    chains, visits = np.asarray(counted.chains), np.asarray(counted.visits)
    for policy, state in np.ndindex(2, 8):
        mine = (seen.policies == policy) & (seen.states == state)
        assert visits[policy, state] == mine.sum()
        row = np.bincount(seen.next_states[mine], minlength=8) / max(mine.sum(), 1)
        np.testing.assert_allclose(chains[policy, state], row if mine.any() else np.eye(8)[state])


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


def test_equal_seeds_make_equal_experience(random_walk):
    environment, policies, seen = random_walk
    again = collect(environment, policies, states_of(environment), num_steps=2000, seed=0)
    other = collect(environment, policies, states_of(environment), num_steps=2000, seed=1)
    np.testing.assert_array_equal(seen.next_states, again.next_states)
    assert (seen.next_states != other.next_states).any()


def test_walks_are_watched_as_observed_and_stay_where_they_end():
    environment = MountainCarEnvironment(goal=-0.38)
    walks = watch(environment, lambda seen: np.ones(1), num_episodes=3, num_steps=60, seed=0)
    assert walks.shape == (3, 61, 2)
    for walk in walks:
        over = int((walk[:, 0] >= -0.38).argmax())
        assert over > 0
        assert (walk[over:] == walk[over]).all()
    assert (walks[0, 0] != walks[1, 0]).any()


@pytest.mark.usefixtures("as_users_run_it")
def test_walks_that_would_have_gone_on_are_refused():
    limited = gymnasium.wrappers.TimeLimit(MountainCarEnvironment(), 5)
    with pytest.raises(InputError, match=r"watch: num_steps must be within .* limit, 5, got 6"):
        watch(limited, lambda seen: np.ones(1), num_episodes=1, num_steps=6, seed=0)
    walks = watch(limited, lambda seen: np.ones(1), num_episodes=1, num_steps=5, seed=0)
    assert walks.shape == (1, 6, 2)


def test_actions_that_are_several_numbers_pass_as_they_are():
    space = gymnasium.spaces.MultiDiscrete([2, 3])
    act = decider("collect", lambda seen: np.array([1, 2]), 0, space)
    assert act(None, 0, np.random.default_rng(0)).tolist() == [1, 2]


class Model:
    """What Stable-Baselines3's models look like, for one action per observation."""

    def __init__(self, actions):
        self.actions = np.asarray(actions)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        assert deterministic
        return self.actions[observation], state


def test_base_policies_of_every_form_are_the_same_table():
    actions = np.array([1, 0, 2, 1])
    forms = [actions, np.eye(3)[actions], lambda seen: actions[seen], Model(actions)]
    tables = tabulate(forms, DiscreteStates(4), 3)
    for table in tables:
        np.testing.assert_array_equal(table, np.eye(3)[actions])


def test_models_see_observations_that_are_dictionaries_as_a_batch():
    class Sees:
        def predict(self, observation, deterministic=False):
            assert observation["image"].shape == (2, 3)
            return observation["image"].sum(axis=1), None

    states = KeyedStates()
    for row in (np.array([0, 0, 1]), np.array([0, 0, 0])):
        states.add({"image": row})
    np.testing.assert_array_equal(tabulate([Sees()], states, 2)[0], [[0, 1], [1, 0]])


def nothing_seen():
    none = np.zeros(0, int)
    floats, flags = none.astype(float), none.astype(bool)
    return Experience(none, none, none, floats, flags, none, none, none, 2, num_actions=1)


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
        "collect: needs at least one policy and one step, got 0 and 1",
    ),
    "no episodes": (
        lambda: watch(small(), lambda seen: 0, num_episodes=0, num_steps=1, seed=0),
        "watch: needs episodes from 1 and steps from 0, got 0 and 1",
    ),
    "out of the box": (
        lambda: watch(
            MountainCarEnvironment(),
            lambda seen: np.array([2]),
            num_episodes=1,
            num_steps=1,
            seed=0,
        ),
        "watch: policy 0 must return actions in Box(-1.0, 1.0, (1,), float32), got [2.]",
    ),
    "continuous actions": (
        lambda: explore(MountainCarEnvironment(), KeyedStates(), num_steps=1, seed=0),
        "explore: needs numbered actions to try, got Box(-1.0, 1.0, (1,), float32)",
    ),
    "no tries": (
        lambda: explore(small(), DiscreteStates(8), num_steps=0, seed=0),
        "explore: needs steps and tries from 1, got 0 and 1",
    ),
    "nothing seen": (
        lambda: learned_world(nothing_seen()),
        "learned_world: needs at least one transition, got none",
    ),
    "no numbered actions": (
        lambda: learned_world(
            collect(
                MountainCarEnvironment(),
                [lambda seen: np.ones(1)],
                KeyedStates(),
                num_steps=2,
                seed=0,
            )
        ),
        "learned_world: needs experience with numbered actions; "
        "use logs.count_transitions(seen.log()) where they are continuous",
    ),
    "tabulated out of range": (
        lambda: tabulate([np.array([0, 1]), lambda seen: 3], DiscreteStates(2), 2),
        "tabulate: actions of policy 1 must be in 0..1, got 3 at position 0",
    ),
    "no distribution": (
        lambda: tabulate([np.array([[0.5, 0.4], [0, 1]])], DiscreteStates(2), 2),
        "tabulate: policy 0 at state 0 does not sum to one (sums to 0.9)",
    ),
    "shape": (
        lambda: tabulate([np.zeros((3, 2))], DiscreteStates(2), 2),
        "tabulate: policy 0 must have shape [S A] = [2, 2] or [S] = [2], got [3, 2]",
    ),
    "no tables": (
        lambda: tabulate([], DiscreteStates(2), 2),
        "tabulate: needs at least one policy, got none",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(experience, "gymnasium", None)
    with pytest.raises(InputError, match=r"watch: needs Gymnasium: .*first-occupancy\[interop\]"):
        watch(None, None, num_episodes=1, num_steps=1, seed=0)


def test_a_learned_world_that_would_not_fit_is_refused_before_it_is_made(monkeypatch):
    seen = explore(small(), DiscreteStates(8), num_steps=1, seed=0)
    monkeypatch.setattr(memory, "on_host", lambda: 2**20)
    with pytest.raises(InputError) as caught:
        learned_world(replace(seen, num_states=100))
    assert str(caught.value) == (
        "learned_world: needs about 2.4 MiB of memory, but 1.0 MiB are free; "
        "use fewer states instead"
    )
