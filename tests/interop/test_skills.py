"""From an environment to a policy for any goal; agents that notice a changed world."""

from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP, InputError, chain, constant_policies
from first_occupancy.environments import Maze, four_rooms, maze
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.plans import Plan, unroll
from first_occupancy.representations import first_occupancy
from oracles import fr_by_linear_solves, steps_between

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")

from first_occupancy.interop import plan_policies  # noqa: E402
from first_occupancy.interop.base_policies import tabulate  # noqa: E402
from first_occupancy.interop.discretisers import grid_states  # noqa: E402
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment  # noqa: E402
from first_occupancy.interop.gym.experience import watch  # noqa: E402
from first_occupancy.interop.gym.exploration import UntriedWarning  # noqa: E402
from first_occupancy.interop.gym.finite_environments import MazeEnvironment, MDPEnvironment  # noqa: E402
from first_occupancy.interop.plan_agents import ReplanningAgent, run_episode  # noqa: E402
from first_occupancy.interop.plan_policies import LegPolicy, PlanPolicy  # noqa: E402
from first_occupancy.interop.skills import learn_skills, skills_of, watch_skills  # noqa: E402
from first_occupancy.interop.states import DiscreteStates, KeyedStates, states_of  # noqa: E402

DISCOUNT = 0.9
MOVES = gymnasium.spaces.Discrete(4)


@pytest.fixture(scope="module")
def rooms():
    """Return FourRooms without a goal of its own, and skills in it that were learned."""
    environment = MazeEnvironment(four_rooms(), goals=[])
    states = states_of(environment)
    return environment, learn_skills(environment, states, discount=DISCOUNT, num_steps=5000)


def test_learned_skills_reach_any_goal_by_shortest_paths(rooms):
    environment, skills = rooms
    exact = first_occupancy.solve(
        chain(environment.mdp, constant_policies(environment.mdp)), discount=DISCOUNT
    )
    np.testing.assert_allclose(skills.frs, exact, rtol=1e-10)
    rng = np.random.default_rng(0)
    for goal in rng.choice(68, 8, replace=False):
        policy = skills.policy_to(int(goal))
        observation, _ = environment.reset(seed=0)
        steps = 0
        while observation != goal:
            observation = environment.step(policy.predict(observation)[0])[0]
            steps += 1
        assert policy.plan.discount[environment.world.start] == pytest.approx(DISCOUNT**steps)


def test_three_lines_to_a_plan_over_the_ice():
    environment = gymnasium.make("FrozenLake-v1", is_slippery=False)
    skills = skills_of(environment, discount=DISCOUNT)
    observation, _ = environment.reset(seed=3)
    policy = skills.policy_to(skills.ends[-1])
    assert [str(leg) for leg in unroll(policy.plan, 0)] == [
        "right until (0, 2)",
        "down until (3, 2)",
        "right until (3, 3)",
    ]
    assert skills.occupancies.policy_names == ("left", "down", "right", "up")
    promised, steps, terminated = policy.plan.discount[observation], 0, False
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
    "base_policies",
    [None, [np.full(5, 0), np.full(5, 1)], [np.eye(2)[[1] * 5]], [lambda seen: 2]],
    ids=["one for each action", "arrays of actions", "probabilities", "a function"],
)
def test_arrays_count_actions_from_0_and_functions_as_the_environment_does(base_policies):
    environment = Corridor()
    skills = learn_skills(
        environment,
        states_of(environment),
        discount=DISCOUNT,
        num_steps=40,
        base_policies=base_policies,
    )
    np.testing.assert_allclose(skills.frs[-1, 0], DISCOUNT ** np.arange(5))
    episode = run_episode(environment, ReplanningAgent(skills, 4), seed=0, max_steps=9)
    assert (episode.actions, episode.states) == ([2] * 4, [0, 1, 2, 3, 4])


def test_chance_goes_on_when_the_plan_changes():
    policies = [PlanPolicy(one_step, [np.full((2, 4), 0.25)], two, MOVES) for _ in range(2)]
    drawn = [policies[0].predict(0)[0] for _ in range(20)]
    again = [policies[1].predict(0)[0] for _ in range(10)]
    changed = policies[1].with_plan(one_step)
    assert again + [changed.predict(0)[0] for _ in range(10)] == drawn


class OneArray(gymnasium.ObservationWrapper):
    """A corridor that shows its place in an array, the same one at every step."""

    def __init__(self):
        super().__init__(Corridor())
        self.shown = np.zeros(1)
        self.observation_space = gymnasium.spaces.Box(0, 4, (1,))

    def observation(self, observation):
        self.shown[:] = observation - 10
        return self.shown


def test_an_array_that_the_environment_writes_into_again_is_read_in_time():
    environment = OneArray()
    seen = watch(environment, lambda seen: 2, num_episodes=1, num_steps=5, seed=0)
    assert seen[0, :, 0].tolist() == [0, 1, 2, 3, 4, 4]
    skills = learn_skills(environment, grid_states([0], [4], 5), discount=DISCOUNT, num_steps=40)
    episode = run_episode(environment, ReplanningAgent(skills, 4), seed=0, max_steps=9)
    assert (episode.states, episode.replans) == ([0, 1, 2, 3, 4], 0)


def test_a_batch_is_predicted_as_its_observations_are(rooms):
    _, skills = rooms
    policy = skills.policy_to(9)
    batch, state = policy.predict(np.arange(9), state="passed on")
    assert batch.tolist() == [policy.predict(seen)[0] for seen in range(9)]
    assert state == "passed on"


def test_a_batch_of_none_has_the_type_and_axes_of_one_of_many(rooms):
    environment, skills = rooms
    parts = (skills.plan_to(0), skills.base_policies, skills.states)
    none, leg = np.zeros(0, int), LegPolicy(*parts, environment.action_space)
    actions, legs = leg.predict(none, state=leg.predict(none)[1])
    assert (actions.shape, actions.dtype, legs.shape, legs.dtype) == ((0,), int, (0, 2), int)
    box = gymnasium.spaces.Box(-1, 1, (3,))
    actions, _ = PlanPolicy(*parts, box).predict(none)
    assert (actions.shape, actions.dtype) == ((0, 3), np.float32)


def test_batches_of_dictionaries_and_rows_are_told_from_single_ones():
    states = KeyedStates(lambda seen: tuple(seen["cell"]))
    cells = np.array([[0, 0], [0, 1]])
    for cell in cells:
        states.add({"cell": cell})
    policy = PlanPolicy(one_step, [np.array([3, 2])], states, MOVES)
    assert policy.predict({"cell": cells[0]})[0] == 3
    assert policy.predict({"cell": cells[:1]})[0].tolist() == [3]


@pytest.mark.parametrize("inner", [lambda row: row[0], lambda row: row, lambda row: tuple(row)])
def test_batches_of_tuples_are_told_from_single_ones(inner):
    cells = np.array([[0, 0], [0, 1]])
    singles = [(inner(cell), number) for number, cell in enumerate(cells)]
    states = KeyedStates(lambda seen: int(seen[1]))
    assert [states.add(single) for single in singles] == [0, 1]
    policy = PlanPolicy(one_step, [np.array([3, 2])], states, MOVES)
    assert policy.predict(singles[0])[0] == 3
    assert policy.predict(singles)[0].shape == (2,)
    first = singles[0][0]
    parts = (*cells.T,) if isinstance(first, tuple) else np.array([each for each, _ in singles])
    stacked = parts, np.arange(2)
    assert policy.predict(stacked)[0].shape == (2,)
    assert policy.predict(stacked)[0][0] == 3
    # A model is asked for all states at once, and answers for each.
    model = SimpleNamespace(predict=lambda seen, deterministic=True: (seen[1], None))
    assert tabulate([model], states, 2)[0].tolist() == [[1, 0], [0, 1]]


def test_legs_are_followed_to_their_subgoals_in_each_row_of_a_batch(rooms):
    environment, skills = rooms
    goal = environment.world.state(1, 9)
    plan = skills.plan_to(goal)
    policy = LegPolicy(plan, skills.base_policies, skills.states, MOVES)
    starts = [environment.world.start, environment.world.state(1, 1)]
    leg, observations, passed = None, np.array(starts), [[], []]
    for _ in range(40):
        actions, leg = policy.predict(observations, leg, np.zeros(2, bool))
        for row in range(2):
            passed[row].append(tuple(leg[row]))
        going = observations != goal
        ahead = environment.world.next_states[actions, observations]
        observations = np.where(going, ahead, observations)
    assert (observations == goal).all()
    for row, start in enumerate(starts):
        legs = dict.fromkeys(leg for leg in passed[row] if leg[0] >= 0)
        assert list(legs) == [tuple(leg) for leg in unroll(plan, start)]
    # A new episode begins a new leg, whatever one was in.
    _, begun = policy.predict(np.array(starts), np.array([[3, 5], [3, 5]]), np.array([True, False]))
    assert begun.tolist() == [list(unroll(plan, starts[0])[0]), [3, 5]]
    action, single = policy.predict(starts[0])
    assert (action, tuple(single)) == (unroll(plan, starts[0])[0].policy, tuple(begun[0]))


@pytest.fixture(scope="module")
def noisy():
    """Return a small room under noise, and skills in it that were learned."""
    environment = MazeEnvironment(maze(["S..", ".#.", "..G"], noise=0.3))
    states = states_of(environment)
    return environment, learn_skills(
        environment, states, discount=DISCOUNT, num_steps=2500, tries=60
    )


@pytest.mark.parametrize(
    ("noise", "options", "message"),
    [
        (
            0.0,
            {"num_steps": 7},
            "learn_skills: 9 of 16 pairs of state and action were tried fewer than tries=1 times "
            "in 7 steps, and what was never tried is taken to lead nowhere; "
            "take a larger num_steps",
        ),
        (
            0.3,
            {"num_steps": 500, "seed": 1},
            "learn_skills: action 2 led from state 0 '(0, 0)' to different states, so there is "
            "chance, and tries=1 is too few for its frequencies; take a larger tries",
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


def test_what_the_policy_does_under_noise_is_the_fr_of_the_chain_it_makes(noisy):
    environment, skills = noisy
    world = environment.world
    policy = skills.policy_to(world.goals[0])
    followed = np.asarray(environment.mdp.transition)[np.arange(8), policy.plan.policy]
    expected = fr_by_linear_solves(followed, DISCOUNT)[world.start, world.goals[0]]
    worths = []
    environment.reset(seed=0)
    for _ in range(200):
        observation, _ = environment.reset()
        steps, terminated = 0, False
        while not terminated:
            observation, _, terminated, _, _ = environment.step(policy.predict(observation)[0])
            steps += 1
        worths.append(DISCOUNT**steps)
    error = np.std(worths) / np.sqrt(len(worths))
    assert abs(np.mean(worths) - expected) < 3 * error


def shut(world, door):
    """Return the world after a door was shut: the same states, but the door is never entered."""
    here = np.arange(world.num_states)
    blocked = np.where(world.next_states == door, here, world.next_states)
    blocked[:, door] = door
    return replace(world, next_states=blocked)


def test_an_agent_walks_round_a_door_that_was_shut(rooms):
    _, skills = rooms
    world: Maze = four_rooms()
    door, goal = world.state(5, 1), world.state(1, 1)
    changed = MazeEnvironment(shut(world, door), goals=[(1, 1)])
    agent = ReplanningAgent(skills, goal)
    before = float(agent.plan.log_discount[world.start])
    episode = run_episode(changed, agent, seed=0, max_steps=200)
    assert episode.reached
    assert episode.terminated
    assert episode.replans >= 1
    # The plan as corrected is the one FRs solved anew would have made.
    anew = first_occupancy.solve(agent.skills.chains, discount=DISCOUNT)
    np.testing.assert_allclose(
        agent.plan.log_discount, plan_to_goal(anew, goal).log_discount, rtol=1e-9
    )
    # Once known, the way round is the shortest there is, and no surprise is left.
    again = run_episode(changed, agent, seed=0, max_steps=200)
    assert again.reached
    assert again.replans == 0
    shortest = steps_between(changed.world.next_states)[world.start, goal]
    assert len(again.actions) == shortest
    assert shortest * np.log(DISCOUNT) < before


def test_an_agent_without_the_change_never_plans_again(rooms):
    environment, skills = rooms
    agent = ReplanningAgent(skills, environment.world.state(8, 8))
    episode = run_episode(environment, agent, seed=0)
    assert episode.reached
    assert (episode.replans, agent.replans, episode.terminated) == (0, 0, False)
    assert len(episode.states) == len(episode.actions) + 1 == len(episode.rewards) + 1


def test_expected_chance_is_no_surprise_but_a_threshold_makes_it_one(noisy):
    environment, skills = noisy
    goal = environment.world.goals[0]
    agent = ReplanningAgent(skills, goal)
    assert not any(run_episode(environment, agent, seed=seed).replans for seed in range(5))
    wary = ReplanningAgent(skills, goal, surprise=0.5, trust=0.5)
    assert sum(run_episode(environment, wary, seed=seed).replans for seed in range(5)) > 0
    assert np.asarray(wary.skills.mdp.transition).sum(axis=-1) == pytest.approx(1)


def test_a_plan_after_many_surprises_is_that_of_the_world_as_it_is_then():
    # Changes made one upon the other would be off by 5e-9 here, and by 1 a few later.
    rng, identity = np.random.default_rng(29), np.eye(5)
    likely, unlikely = identity[rng.integers(5, size=(2, 5, 1))]
    world = MDP(0.9 * likely + 0.1 * unlikely, np.ones((5, 1, 5)))
    agent = ReplanningAgent(skills_of(MDPEnvironment(world), discount=0.999), 3)
    for state, next_state in rng.integers(5, size=(14, 2)).tolist():
        agent.learn(state, 0, next_state)
    assert agent.replans == 8
    exact = fr_by_linear_solves(np.asarray(agent.skills.chains[0]), 0.999)[:, 3]
    assert agent.plan.discount == pytest.approx(exact, abs=1e-11)


def test_continuous_skills_are_watched_and_chained():
    environment = gymnasium.wrappers.TimeLimit(MountainCarEnvironment(), 150)
    powers = [
        lambda seen, power=power: np.array([np.sign(seen[1] + 1e-9) * power])
        for power in (0.1, 0.2, 0.3, 1.0)
    ]
    states = grid_states([-1.2, -0.07], [0.6, 0.07], (17, 4))
    skills = watch_skills(environment, powers, states, discount=0.98, num_steps=3000, seed=0)
    start = states(environment.reset(seed=1)[0])
    reached = np.asarray(skills.frs[:, start]) > 0
    high = [s for s in range(states.num_states) if states.observation(s)[0] > 0.4]
    assert reached[3, high].any()
    assert not reached[:3, high].any()
    goal = int(max(high, key=lambda s: skills.frs[3, start, s]))
    agent = ReplanningAgent(skills, goal, trust=0.1)
    assert run_episode(environment, agent, seed=1, max_steps=150).reached


one_step = Plan(
    goal=jnp.array(1),
    policy=jnp.array([0, -1]),
    subgoal=jnp.array([1, 1]),
    log_discount=jnp.array([-1.0, 0.0]),
)
stays = np.zeros(2, int)
two = DiscreteStates(2)
lake = skills_of(gymnasium.make("FrozenLake-v1"), discount=0.9)


def changes_its_mind():
    """Return a policy that acts otherwise at its 21st call, the second in state 4 of 16."""
    turns = count()
    return lambda seen: 3 * (next(turns) == 20)


MISTAKES = {
    "many goals": (
        lambda: PlanPolicy(replace(one_step, goal=jnp.array([0, 1])), [stays], two, MOVES),
        "PlanPolicy: plan must be the plan to one goal; take plan.to(goal)",
    ),
    "other policies": (
        lambda: PlanPolicy(replace(one_step, policy=jnp.array([1, -1])), [stays], two, MOVES),
        "PlanPolicy: base_policies must be those of the plan, which follows policy 1, got 1",
    ),
    "action": (
        lambda: PlanPolicy(one_step, [lambda seen: 9], two, MOVES).predict(0),
        "PlanPolicy: policy 0 must return actions in 0..3, got 9 in state 0",
    ),
    "unplanned state": (
        lambda: PlanPolicy(one_step, [stays], DiscreteStates(3), MOVES).predict(2),
        "PlanPolicy: the plan must know the state, one of 2, got 2; plan again",
    ),
    "unseen state": (
        lambda: PlanPolicy(one_step, [stays], KeyedStates(), MOVES).predict(2),
        "PlanPolicy: states must have been seen, got none",
    ),
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
    "no policy": (
        lambda: skills_of(gymnasium.make("FrozenLake-v1"), discount=0.9, base_policies=[[0] * 16]),
        "tabulate: policy 0 must be an array, a function or have predict, got <class 'list'>",
    ),
    "no action": (
        lambda: skills_of(
            gymnasium.make("FrozenLake-v1"), discount=0.9, base_policies=[lambda seen: None]
        ),
        "tabulate: policy 0 must return an action, a whole number, got None in state 0",
    ),
    "flips coins": (
        lambda: skills_of(
            gymnasium.make("FrozenLake-v1"),
            discount=0.9,
            base_policies=[changes_its_mind()],
        ),
        "tabulate: policy 0 must return the same action whenever asked, got 0 and 3 in state 4; "
        "give its probabilities as an array [S A], or use watch_skills",
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
        "learn_skills: environment must have reset, step, action_space, as Gymnasium's have, "
        "got <class 'NoneType'> without reset",
    ),
    "one policy alone": (
        lambda: learn_skills(Corridor(), two, discount=0.9, num_steps=9, base_policies=len),
        "learn_skills: base policies must be a list, got <class 'builtin_function_or_method'>; "
        "pass [policy] for one",
    ),
    "rows missing": (
        lambda: PlanPolicy(one_step, [np.zeros(0, int)], two, MOVES).predict(0),
        "PlanPolicy: policy 0 must have a row for each state, got 0 rows and state 0",
    ),
    "surprise": (
        lambda: ReplanningAgent(lake, 15, surprise=1.0),
        "ReplanningAgent: surprise must be at least 0 and below 1, got 1.0",
    ),
    "trust": (
        lambda: ReplanningAgent(lake, 15, trust=0.0),
        "ReplanningAgent: trust must be above 0 and at most 1, got 0.0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(plan_policies, "gymnasium", None)
    with pytest.raises(InputError, match=r"PlanPolicy: needs Gymnasium: .*\[interop\]"):
        PlanPolicy(one_step, [], two, MOVES)
