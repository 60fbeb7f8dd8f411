"""From an environment to a policy for any goal; agents that notice a changed world."""

from dataclasses import replace

import numpy as np
import pytest

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import maze
from first_occupancy.representations import first_occupancy

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment  # noqa: E402
from first_occupancy.interop.gym.exploration import UntriedWarning  # noqa: E402
from first_occupancy.interop.gym.finite_environments import MazeEnvironment  # noqa: E402
from first_occupancy.interop.plan_agents import ReplanningAgent  # noqa: E402
from first_occupancy.interop.skills import learn_skills, skills_of, watch_skills  # noqa: E402
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of  # noqa: E402
from grid_states import GridStates  # noqa: E402
from plan_episodes import run_episode  # noqa: E402

DISCOUNT = 0.9


def test_learned_skills_reach_any_goal_by_shortest_paths(rooms):
    environment, skills = rooms
    exact = first_occupancy.solve(
        chain(environment.mdp, constant_policies(environment.mdp)), discount=DISCOUNT
    )
    np.testing.assert_allclose(skills.occupancies.values, exact, rtol=1e-10)
    rng = np.random.default_rng(0)
    for goal in rng.choice(68, 8, replace=False):
        policy = skills.plan_to(int(goal)).agent()
        observation, _ = environment.reset(seed=0)
        steps = 0
        while observation != goal:
            observation = environment.step(policy.predict(observation)[0])[0]
            steps += 1
        assert policy.plan.promised[environment.world.start] == pytest.approx(DISCOUNT**steps)


def test_three_lines_to_a_plan_over_the_ice():
    environment = gymnasium.make("FrozenLake-v1", is_slippery=False)
    skills = skills_of(environment, discount=DISCOUNT)
    observation, _ = environment.reset(seed=3)
    policy = skills.plan_to(skills.ends[-1]).agent()
    assert [str(leg) for leg in policy.plan.legs(0)] == [
        "right until (0, 2)",
        "down until (3, 2)",
        "right until (3, 3)",
    ]
    assert skills.occupancies.policy_names == ("left", "down", "right", "up")
    promised, steps, terminated = policy.plan.promised[observation], 0, False
    while not terminated:
        observation, reward, terminated, truncated, _ = environment.step(
            policy.predict(observation)[0]
        )
        steps += 1
        assert not truncated
    assert (reward, steps) == (1, 6)
    assert promised == pytest.approx(DISCOUNT**steps)


class Corridor(gymnasium.Env):
    """Five places in a row; observations count from 10, and actions from 1: back, on."""

    observation_space = gymnasium.spaces.Discrete(5, start=10)
    action_space = gymnasium.spaces.Discrete(2, start=1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return 10, {}

    def step(self, action):
        self.place = max(0, self.place + {1: -1, 2: 1}[action])
        return 10 + self.place, 0.0, self.place == 4, False, {}


@pytest.mark.parametrize(
    "policies",
    [None, [np.full(5, 0), np.full(5, 1)], [np.eye(2)[[1] * 5]], [lambda seen: 2]],
    ids=["one for each action", "arrays of actions", "probabilities", "a function"],
)
def test_arrays_count_actions_from_0_and_functions_as_the_environment_does(policies):
    environment = Corridor()
    skills = learn_skills(
        environment,
        states_of(environment),
        discount=DISCOUNT,
        num_steps=40,
        policies=policies,
    )
    np.testing.assert_allclose(skills.occupancies.values[-1, 0], DISCOUNT ** np.arange(5))
    episode = run_episode(environment, ReplanningAgent(skills, 4), seed=0, max_steps=9)
    assert (episode.actions, episode.states) == ([2] * 4, [0, 1, 2, 3, 4])


class OneArray(gymnasium.ObservationWrapper):
    """A corridor that shows its place in an array, the same one at every step."""

    def __init__(self):
        super().__init__(Corridor())
        self.shown = np.zeros(1)
        self.observation_space = gymnasium.spaces.Box(0, 4, (1,))

    def observation(self, observation):
        self.shown[:] = observation - 10
        return self.shown


def test_watched_skills_are_planned_with_by_the_names_of_their_states():
    states = KeyedStates(lambda seen: f"place {seen - 10}")
    skills = watch_skills(
        Corridor(),
        [lambda seen: 2],
        states,
        discount=DISCOUNT,
        num_steps=8,
        policy_names=["on"],
    )
    plan = skills.plan_to("place 4")
    assert [str(leg) for leg in plan.legs(0)] == ["on until place 4"]
    np.testing.assert_allclose(plan.promised, DISCOUNT ** np.arange(4, -1, -1))


def test_an_array_that_the_environment_writes_into_again_is_read_in_time():
    environment = OneArray()
    skills = learn_skills(environment, GridStates([0], [4], [5]), discount=DISCOUNT, num_steps=40)
    episode = run_episode(environment, ReplanningAgent(skills, 4), seed=0, max_steps=9)
    assert (episode.states, episode.replans) == ([0, 1, 2, 3, 4], 0)


@pytest.mark.parametrize(
    ("noise", "options", "message"),
    [
        (
            0.0,
            {"num_steps": 7},
            "learn_skills: 9 of 16 state-action pairs were tried fewer than tries=1 times "
            "in 7 steps, and untried actions are assumed to stay in place; "
            "pass a larger num_steps",
        ),
        (
            0.3,
            {"num_steps": 500, "seed": 1},
            "learn_skills: action 0 led from state 0 '(0, 0)' to different states, so it is "
            "stochastic, and tries=1 is too few to estimate probabilities; pass a larger tries",
        ),
    ],
    ids=["steps ran out", "chance"],
)
def test_one_is_told_when_actions_were_tried_too_seldom(noise, options, message):
    environment = MazeEnvironment(maze(["S..", ".#.", "..G"], noise=noise))
    with pytest.warns(UntriedWarning) as caught:
        skills = learn_skills(environment, states_of(environment), discount=DISCOUNT, **options)
    assert [str(warning.message) for warning in caught] == [message]
    assert skills.tries.sum() <= options["num_steps"]


def test_states_that_cannot_be_reached_are_no_reason_to_warn():
    states = DiscreteStates(6, 10)
    skills = learn_skills(Corridor(), states, discount=DISCOUNT, num_steps=40)
    assert (skills.tries > 0).all(axis=1).tolist() == [True] * 4 + [False] * 2


def test_continuous_skills_are_watched_and_chained():
    environment = gymnasium.wrappers.TimeLimit(MountainCarEnvironment(), 150)
    powers = [
        lambda seen, power=power: np.array([np.sign(seen[1] + 1e-9) * power])
        for power in (0.1, 0.2, 0.3, 1.0)
    ]
    states = GridStates([-1.2, -0.07], [0.6, 0.07], (17, 4))
    skills = watch_skills(environment, powers, states, discount=0.98, num_steps=3000, seed=0)
    start = states(environment.reset(seed=1)[0])
    reached = np.asarray(skills.occupancies.values[:, start]) > 0
    high = [s for s in range(states.num_states) if states.observation(s)[0] > 0.4]
    assert reached[3, high].any()
    assert not reached[:3, high].any()
    goal = int(max(high, key=lambda s: skills.occupancies.values[3, start, s]))
    agent = ReplanningAgent(skills, goal, trust=0.1)
    assert run_episode(environment, agent, seed=1, max_steps=150).reached


two = DiscreteStates(2)
lake = skills_of(gymnasium.make("FrozenLake-v1"), discount=0.9)
MISTAKES = {
    "goal": (lambda: lake.plan_to(16), "plan: goal must be in 0..15, got 16"),
    "no goals": (lambda: lake.nearest([], 0), "nearest: needs at least one goal, got none"),
    "discount": (
        lambda: skills_of(gymnasium.make("FrozenLake-v1"), discount=1.0),
        "skills_of: discount must be at least 0 and below 1, got 1.0",
    ),
    "goals out of reach": (
        lambda: lake.nearest([0, 1], 5),
        "nearest: one of the goals must be reachable from state 5 '(1, 1)', but none of 2 is",
    ),
    "names of policies": (
        lambda: replace(lake, policy_names=["left"]),
        "Skills: policy_names must be 4 names, got 1",
    ),
    "a name, to be read": (
        lambda: skills_of("Taxi-v3", discount=0.9),
        "skills_of: environment must be an environment, got the name 'Taxi-v3'; "
        "pass gymnasium.make('Taxi-v3')",
    ),
    "a name, to be learned": (
        lambda: learn_skills("Grid-v0", two, discount=0.9, num_steps=9),
        "learn_skills: environment must be an environment, got the name 'Grid-v0'; "
        "pass gymnasium.make('Grid-v0')",
    ),
    "a name, for its states": (
        lambda: states_of("Grid-v0"),
        "states_of: environment must be an environment, got the name 'Grid-v0'; "
        "pass gymnasium.make('Grid-v0')",
    ),
    "no environment": (
        lambda: learn_skills(None, two, discount=0.9, num_steps=9),
        "learn_skills: environment must have reset, step, action_space, like a Gymnasium "
        "environment, got <class 'NoneType'> without reset",
    ),
    "one policy alone": (
        lambda: learn_skills(Corridor(), two, discount=0.9, num_steps=9, policies=len),
        "learn_skills: base policies must be a list, got <class 'builtin_function_or_method'>; "
        "pass [policy] for one",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
