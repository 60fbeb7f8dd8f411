"""Ends of episodes are told from the states observed there, however the world is learned."""

from itertools import permutations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from first_occupancy.core import InputError
from plan_episodes import run_episode
from strategies import seeds

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")

from first_occupancy.interop.ends import (  # noqa: E402
    StatesWithEnds,
    names_with_ends,
    policies_with_ends,
    separate_ends,
    with_ends,
)
from first_occupancy.interop.gym.experience import Experience, collect  # noqa: E402
from first_occupancy.interop.gym.exploration import UntriedWarning, explore  # noqa: E402
from first_occupancy.interop.gym.tables import read_table  # noqa: E402
from first_occupancy.interop.learned_worlds import learned_world  # noqa: E402
from first_occupancy.interop.plan_agents import ReplanningAgent  # noqa: E402
from first_occupancy.interop.skills import learn_skills, skills_of, watch_skills  # noqa: E402
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of  # noqa: E402

DISCOUNT = 0.9


class FromTable(gymnasium.Env):
    """A world that does what its table says."""

    def __init__(self, table, start):
        self.P, self.initial_state_distrib = table, np.asarray(start)
        self.observation_space = gymnasium.spaces.Discrete(len(table))
        self.action_space = gymnasium.spaces.Discrete(len(table[0]))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = int(self.np_random.choice(len(self.P), p=self.initial_state_distrib))
        return self.state, {}

    def step(self, action):
        outcomes = self.P[self.state][action]
        drawn = self.np_random.choice(len(outcomes), p=[outcome[0] for outcome in outcomes])
        _, self.state, reward, terminated = outcomes[drawn]
        return self.state, reward, terminated, False, {}


def corridor(order=("stop", "right", "left"), size=5):
    """Return cells in a row; "stop" ends the episode in whatever cell it is."""
    steps = {"stop": 0, "right": 1, "left": -1}
    table = {
        cell: {
            number: [(1.0, int(np.clip(cell + steps[name], 0, size - 1)), 0.0, name == "stop")]
            for number, name in enumerate(order)
        }
        for cell in range(size)
    }
    return FromTable(table, np.eye(size)[0])


@pytest.mark.parametrize("order", [*permutations(("stop", "right", "left"))], ids="-".join)
def test_all_actions_are_tried_where_one_ends_the_episode_on_the_spot(order):
    environment = corridor(order)
    skills = learn_skills(environment, states_of(environment), discount=DISCOUNT, num_steps=200)
    assert (skills.tries[:5] >= 1).all()
    for cell in range(5):
        assert skills.plan_to(cell).promised[0] == pytest.approx(DISCOUNT**cell)
    # Nothing follows an end: it is reached by stopping, and leads nowhere.
    assert (len(skills.chains[0]), skills.ends) == (10, [5, 6, 7, 8, 9])
    assert skills.plan_to(5 + 3).promised[0] == pytest.approx(DISCOUNT**4)
    assert not skills.plan_to(4).reachable[5:].any()


def random_table(rng):
    """Return a deterministic table in which all states but the last can be left.

    Other actions may end the episode anywhere, also where they began; in the last state nothing can
    be done or gained, and half of the episodes begin there.
    """
    last, table = 4, {}
    for state in range(last):
        others = [
            [(1.0, int(rng.integers(last + 1)), float(rng.integers(3)), bool(rng.random() < 0.5))]
            for _ in range(2)
        ]
        table[state] = dict(enumerate([[(1.0, (state + 1) % last, 0.0, False)], *others]))
    table[last] = {action: [(1.0, last, 0.0, bool(rng.random() < 0.5))] for action in range(3)}
    return table


@given(seeds)
def test_a_world_that_is_explored_is_the_one_its_table_says(seed):
    rng = np.random.default_rng(seed)
    table, order = random_table(rng), rng.permutation(3)
    table = {state: {n: row[a] for n, a in enumerate(order)} for state, row in table.items()}
    environment = FromTable(table, [0.5, 0, 0, 0, 0.5])
    read = read_table(environment)
    seen = explore(environment, states_of(environment), num_steps=500, seed=0)
    learned = learned_world(seen)
    np.testing.assert_array_equal(learned.mdp.transition, read.mdp.transition)
    np.testing.assert_array_equal(learned.mdp.reward, read.mdp.reward)
    np.testing.assert_array_equal(learned.ended, read.ended)
    assert not learned.untried.any()


def test_actions_that_were_not_tried_in_the_cell_of_an_end_are_warned_of():
    environment = corridor()
    with pytest.warns(UntriedWarning, match=r"^learn_skills: 2 of 3 state-action pairs"):
        skills = learn_skills(environment, states_of(environment), discount=0.9, num_steps=1)
    # As far as is known, nothing can be done there but end the episode.
    assert (skills.ends, len(skills.chains[0])) == ([0], 5)
    world = learned_world(explore(environment, states_of(environment), num_steps=1, seed=0))
    assert world.untried[0].tolist() == [False, True, True]


def test_watched_skills_do_not_lead_on_through_ends():
    environment = gymnasium.wrappers.TimeLimit(corridor(), 6)
    stops_at_2 = np.array([1, 1, 0, 0, 0])
    goes_right = np.ones(5, int)
    skills = watch_skills(
        environment,
        [stops_at_2, goes_right],
        states_of(environment),
        discount=DISCOUNT,
        num_steps=60,
    )
    assert (skills.ends, skills.states.at_end(2), skills.states(2)) == ([5], 5, 2)
    np.testing.assert_allclose(
        skills.occupancies.values[0, 0], [1, 0.9, 0.9**2, 0, 0, 0.9**3], rtol=1e-12
    )
    np.testing.assert_allclose(
        skills.occupancies.values[1, 0], [*(0.9 ** np.arange(5)), 0], rtol=1e-12
    )


@pytest.mark.parametrize("known", ["table", "learned"])
def test_policies_need_no_rows_for_ends_and_agents_reach_them(known):
    environment = corridor()
    policies = [np.zeros(5, int), lambda seen: 1]
    options = {"discount": DISCOUNT, "policies": policies}
    if known == "table":
        skills = skills_of(environment, **options)
    else:
        skills = learn_skills(environment, states_of(environment), num_steps=200, **options)
    goal = skills.states.at_end(3)
    episode = run_episode(environment, ReplanningAgent(skills, goal), seed=0, max_steps=9)
    assert (episode.actions, episode.states) == ([1, 1, 1, 0], [0, 1, 2, 3, goal])
    assert (episode.reached, episode.terminated, episode.replans) == (True, True, 0)


def test_states_that_are_only_ends_or_only_passed_stay_as_they_are():
    row = np.arange(3)
    seen = Experience(
        states=row[[0, 1, 0]],
        actions=row[[0, 0, 1]],
        next_states=row[[1, 2, 2]],
        rewards=np.zeros(3),
        ended=np.array([False, True, True]),
        policies=row * 0,
        episodes=row[[0, 0, 1]],
        starts=row[[0, 0]],
        num_states=3,
        num_actions=2,
    )
    same, observed = separate_ends(seen)
    assert same is seen
    assert observed.tolist() == [0, 1, 2]
    assert seen.alive.tolist() == [True, True, False]
    states = DiscreteStates(3)
    assert with_ends(states, observed) is states


def test_separating_ends_again_changes_nothing():
    environment = corridor()
    walker = [np.full((5, 3), 1 / 3)]
    seen = collect(environment, walker, states_of(environment), num_steps=200, seed=0)
    apart, observed = separate_ends(seen)
    assert apart.num_states == len(observed) > 5
    again, _ = separate_ends(apart)
    assert again is apart
    assert not apart.alive[5:].any()


def test_ends_are_named_and_observed_as_the_states_they_belong_to():
    states = KeyedStates()
    for name in ("a", "b", "c"):
        states.add(name)
    numbered = StatesWithEnds(states, np.array([0, 1, 2, 0, 2]))
    assert numbered.num_states == 5
    assert numbered.names == ["a", "b", "c", "a, ended", "c, ended"]
    assert [numbered.observation(state) for state in range(5)] == ["a", "b", "c", "a", "c"]
    assert [numbered(name) for name in "abc"] == [0, 1, 2]
    assert [numbered.at_end(name) for name in "abc"] == [3, 1, 4]
    assert names_with_ends(None, np.array([0, 0])) is None
    assert names_with_ends(["a"], np.array([0, 1, 0])) == ["a"]
    states.add("d")
    assert numbered.names == ["a", "b", "c", "a, ended", "c, ended"]
    with pytest.raises(InputError, match=r"^StatesWithEnds: .* one of 3, got 3; learn again$"):
        numbered("d")


def test_arrays_get_rows_for_ends_and_other_policies_stay_as_they_are():
    observed = np.array([0, 1, 0])
    actions, table = np.array([1, 0]), jnp.array([[0.0, 1.0], [1.0, 0.0]])
    whole = np.array([1, 0, 0])
    longer = policies_with_ends([actions, table, whole, len], observed)
    assert longer[0].tolist() == [1, 0, 1]
    assert longer[1].tolist() == [[0, 1], [1, 0], [0, 1]]
    assert longer[2] is whole
    assert longer[3] is len
    assert policies_with_ends(None, observed) is None
