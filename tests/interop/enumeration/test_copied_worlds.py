"""Worlds of copied environments are those of a search in plain Python, tables those published."""

import threading

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
from first_occupancy.interop.gym.tables import read_table
from functional_worlds import LEFT, RIGHT, USE, Corridor, full_state, plain_worlds

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


@pytest.fixture(scope="module")
def world():
    return enumerate_copies(Corridor(), key=full_state, names=lambda env: str(env.place))


def test_states_and_transitions_are_those_of_a_plain_search(world):
    queue, edges = plain_worlds()
    assert [key for key, _ in world.numbers] == queue
    for action, chain in enumerate(world.action_chains):
        expected = [queue.index(edges[place, action]) for place in queue]
        np.testing.assert_array_equal(chain.toarray(), np.eye(len(queue))[expected])
    assert (world.samples, world.error) == (1, 0.0)
    assert world.state_names[0] == "(1, False, False)"


def test_plans_lead_to_sets_and_agents_follow_them(world):
    opened = world.where(lambda environment: environment.place[2])
    assert float(fo.plan(world, opened, discount=0.9).expected_time[world.start]) == 5
    plan = fo.plan(world, world.ends, discount=0.9)
    environment = Corridor()
    observation, _ = environment.reset()
    agent = plan.agent(environment)
    actions, terminated = [], False
    while not terminated:
        action, _ = agent.predict(observation)
        actions.append(action)
        observation, _, terminated, _, _ = environment.step(action)
    assert actions == [LEFT, USE, RIGHT, RIGHT, USE, RIGHT, RIGHT]
    assert world.number(environment, ended=True) == world.ends[0]
    assert world.picture(0).tolist() == np.ones((2, 2, 3)).tolist()


def test_functions_of_the_environment_are_skills(world):
    skills = world.policies(
        [
            lambda environment: USE if environment.place[0] == 0 else LEFT,
            lambda environment: USE if environment.place[::2] == (2, False) else RIGHT,
        ]
    )
    plan = fo.plan(world, world.ends, policies=skills, discount=0.9)
    assert float(plan.expected_time[world.start]) == 7
    environment = Corridor()
    environment.reset()
    agent = plan.agent(environment)
    assert agent.predict()[0] == LEFT
    environment.place = (9, False, False)  # where it has never been
    assert {agent.predict()[0] for _ in range(60)} == {0, 1, 2}


def test_an_agent_needs_its_environment(world, error_of):
    plan = fo.plan(world, world.ends, discount=0.9)
    message = "agent: environment must be given, since its state is read"
    assert error_of(plan.agent) == message


TABLES = {
    "ice": ("FrozenLake-v1", {"is_slippery": False}, {}),
    "cliff": ("CliffWalking-v1", {}, {"samples": 3}),
    "taxi": ("Taxi-v4", {}, {"num_resets": 300, "samples": 1}),
}


@pytest.mark.parametrize("name", TABLES)
def test_toy_text_is_as_its_tables_say_to_the_last_bit(name):
    made, arguments, options = TABLES[name]
    world = enumerate_copies(gymnasium.make(made, **arguments), **options)
    assert compared(world, gymnasium.make(made, **arguments)) == 0


def test_slippery_ice_is_within_the_stated_error():
    world = enumerate_copies(gymnasium.make("FrozenLake-v1"), samples=400)
    assert 0 < compared(world, gymnasium.make("FrozenLake-v1")) <= world.error < 0.11


def compared(world, environment):
    """Return the largest difference to the environment's table, in probabilities or rewards."""
    table = read_table(environment)
    order = [table.states.at_end(key) if end else table.states(key) for key, end in world.numbers]
    theirs = np.asarray(table.mdp.transition)[np.ix_(order, range(world.num_actions), order)]
    ours = np.stack([chain.toarray() for chain in world.action_chains], axis=1)
    rewards = (np.asarray(table.mdp.transition) * np.asarray(table.mdp.reward)).sum(-1)[order]
    certain = theirs.max(-1) == 1
    np.testing.assert_array_equal(world.mdp.rewards[certain], rewards[certain])
    return np.abs(ours - theirs).max()


class Counting(Corridor):
    """Shows the time, which never ends."""

    def step(self, action):
        observation, *rest = super().step(action)
        return (observation, self.time), *rest


class Shared(Corridor):
    """Hands its state out instead of a copy, and steps write into it."""

    def reset(self, **options):
        self.cell = np.array([0])
        return 0, {}

    def step(self, action):
        self.cell[0] = (self.cell[0] + 1) % 4
        return int(self.cell[0]), 0.0, False, False, {}

    def get_state(self):
        return self.cell

    def set_state(self, state):
        self.cell = state


class Forgetful(Corridor):
    """Forgets whether the door is open when its state is set."""

    def get_state(self):
        return self.place[:2]

    def set_state(self, state):
        self.place = (*state, False)


class Amnesiac(Corridor):
    """Loses the key when it is copied, which its observations do not show."""

    def __deepcopy__(self, memo):
        other = Amnesiac()
        other.place, other.time = (self.place[0], False, False), self.time
        return other


class Moody(Corridor):
    def reset(self, **options):
        super().reset(**options)
        self.place = (int(np.random.default_rng().integers(2**40)), False, False)
        return self.place[0], {}


class Locked(Corridor):
    def reset(self, **options):
        self.lock = threading.Lock()
        return super().reset(**options)


MISTAKES = {
    "lock": (
        lambda: enumerate_copies(Locked()),
        "enumerate_copies: environment must be one that copy.deepcopy takes, but it says: cannot "
        "pickle '_thread.lock' object; give it get_state and set_state, or pass Copies of your own",
    ),
    "infinite": (
        lambda: enumerate_copies(Counting(), limit=30),
        "enumerate_copies: the world must have at most limit=30 states, but 31 were found and more "
        "are to come; ",
    ),
    "key": (
        lambda: enumerate_copies(Corridor(), key=lambda environment: environment.place[0]),
        "enumerate_copies: key must tell apart states with different futures, but action 1 leads "
        "two states with the key 2 to different outcomes; add to key= what matters",
    ),
    "observations": (
        lambda: enumerate_copies(Corridor()),
        "enumerate_copies: a restored state must behave like the saved one, but in the environment "
        "itself action ",
    ),
    "shared": (
        lambda: enumerate_copies(Shared()),
        "enumerate_copies: a saved state must stay as it is, but steps change it in place; copy it "
        "where it is saved and where it is restored",
    ),
    "unfaithful": (
        lambda: enumerate_copies(Forgetful(), key=full_state),
        "enumerate_copies: a restored state must be the saved one, but its key differs; part of "
        "the state is not copied",
    ),
    "unfaithful where nothing shows": (
        lambda: enumerate_copies(Amnesiac()),
        "enumerate_copies: a restored state must behave like the saved one, but in the environment "
        "itself action 1 leads from the state with the key 2 elsewhere; part of the state is not "
        "copied, or not observed: pass key=, or Copies of your own",
    ),
    "moody": (
        lambda: enumerate_copies(Moody()),
        "enumerate_copies: reset(seed=0) must begin in the same state each time, but two resets "
        "differ",
    ),
    "actions": (
        lambda: enumerate_copies(gymnasium.make("Pendulum-v1")),
        "enumerate_copies: needs an environment with Discrete actions, got Box(-2.0, 2.0, (1,), "
        "float32)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call).startswith(message)
