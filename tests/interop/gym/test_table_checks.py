"""A table that does not describe its environment is not read without a warning."""

import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")

from gymnasium import wrappers  # noqa: E402

from first_occupancy.interop.gym.finite_environments import MDPEnvironment  # noqa: E402
from first_occupancy.interop.gym.table_checks import EPISODES, STEPS, TableWarning, unknown_wrappers  # noqa: E402
from first_occupancy.interop.gym.tables import read_table  # noqa: E402
from first_occupancy.interop.skills import skills_of  # noqa: E402


def lake():
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def warnings_of(environment, read=read_table, **options):
    """Return what reading the environment's table warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(environment, **options)
    assert all(warning.category is TableWarning for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("FrozenLake-v1", {}),
        ("FrozenLake-v1", {"map_name": "8x8", "is_slippery": False}),
        ("CliffWalking-v1", {}),
        ("CliffWalking-v1", {"is_slippery": True}),
        ("Taxi-v4", {}),
        ("Taxi-v4", {"is_rainy": True}),
    ],
)
def test_worlds_that_keep_to_their_tables_are_read_without_a_warning(name, options):
    assert warnings_of(gymnasium.make(name, **options)) == []


@pytest.mark.parametrize("rainy", [False, True])
def test_a_fickle_passenger_is_noticed(rainy):
    options = {"fickle_passenger": True, "is_rainy": rainy}
    (message,) = warnings_of(gymnasium.make("Taxi-v4", **options))
    assert message.startswith("read_table: the table P of Taxi-v4 may be wrong: action ")
    assert message.endswith(
        " with reward -1, which has probability 0 in the table; "
        "use interop.skills.learn_skills to learn from interaction"
    )
    # Steps are seeded, so the next reading finds the same, and so do skills.
    again = warnings_of(gymnasium.make("Taxi-v4", **options), read=skills_of, discount=0.9)
    assert again == [message]


def test_the_environment_goes_on_as_if_its_table_had_not_been_read():
    environment, other = (gymnasium.make("FrozenLake-v1") for _ in range(2))
    for each in (environment, other):
        each.reset(seed=3)
        each.step(2)
    before = environment.unwrapped.np_random.bit_generator.state
    read_table(environment)
    assert environment.unwrapped.np_random.bit_generator.state == before
    steps = [[each.step(action)[:4] for action in (2, 1, 2)] for each in (environment, other)]
    assert steps[0] == steps[1]


class Logging(gymnasium.Wrapper):
    """A wrapper of one's own, of which nothing is known."""


class TimeLimit(wrappers.TimeLimit):
    """A wrapper that only has the name of one that is known."""


@pytest.mark.parametrize(
    ("wrap", "named"),
    [
        (lambda env: wrappers.StickyAction(env, 0.5), "StickyAction"),
        (lambda env: wrappers.TransformReward(env, lambda reward: -reward), "TransformReward"),
        (lambda env: TimeLimit(env, 9), "TimeLimit"),
        (
            lambda env: Logging(wrappers.RecordEpisodeStatistics(wrappers.StickyAction(env, 0.5))),
            "Logging, StickyAction",
        ),
    ],
    ids=["sticky", "reward", "subclass", "several"],
)
def test_wrappers_that_may_change_steps_are_named(wrap, named):
    environment = wrap(lake())
    assert warnings_of(environment) == [
        f"read_table: the table P describes FrozenLake-v1 without {named}, which may change what "
        "steps do; use interop.skills.learn_skills to learn from interaction, or pass "
        "environment.unwrapped if that does not matter"
    ]
    assert warnings_of(environment.unwrapped) == []


def test_wrappers_that_only_watch_or_cut_off_are_not_named():
    environment = wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(lake(), 9))
    assert unknown_wrappers(environment) == []
    assert warnings_of(environment) == []


class Ring(gymnasium.Env):
    """Three states in a ring; a step forward pays 1, and ends the episode where it begins again."""

    metadata = {"render_modes": ["human"]}  # noqa: RUF012  Gymnasium's form
    observation_space = gymnasium.spaces.Discrete(3)
    action_space = gymnasium.spaces.Discrete(2, start=5)
    initial_state_distrib = np.eye(3)[0]
    P = {  # noqa: RUF012  Gymnasium's form
        state: {0: [(1.0, state, 0.0, False)], 1: [(1.0, (state + 1) % 3, 1.0, state == 2)]}
        for state in range(3)
    }
    drawn = 0

    def __init__(self, render_mode=None, first=0, pays=1.0, ends=0, shown=lambda state: state):
        self.render_mode = render_mode
        self.first, self.pays, self.ends, self.shown = first, pays, ends, shown
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.first
        return self.shown(self.state), {}

    def step(self, action):
        self.steps += 1
        Ring.drawn += self.render_mode == "human"
        forward = action - 5
        self.state = (self.state + forward) % 3
        ended = bool(forward) and self.state == self.ends
        return self.shown(self.state), self.pays * forward, ended, False, {}


BEGINNING = "read_table: the table P of Ring may be wrong: "
ENDING = "; use interop.skills.learn_skills to learn from interaction"


@pytest.mark.parametrize(
    ("options", "doubt"),
    [
        (
            {"pays": 2.0},
            "action 1 led from state 0 to state 1 with reward 2, "
            "which has probability 0 in the table",
        ),
        (
            {"ends": 1},
            "action 1 led from state 0 to state 1 with reward 1 and ended the episode, "
            "which has probability 0 in the table",
        ),
        ({"first": 1}, "an episode began in state 1, where the start distribution is 0"),
        (
            {"shown": lambda state: state + 1},
            "action 1 led from state 2 to state 3 with reward 1, "
            "which has probability 0 in the table",
        ),
        ({"shown": float}, "its observation 0.0 is not one of the table's states"),
        (
            {"shown": lambda state: {}[state]},
            "its steps could not be compared with the table (KeyError: 0)",
        ),
    ],
    ids=["reward", "end", "start", "state", "no number", "broken"],
)
def test_what_a_table_does_not_allow_is_told(options, doubt):
    start = None if "first" in options else np.eye(3)[0]
    assert warnings_of(Ring(**options), start=start) == [BEGINNING + doubt + ENDING]


def test_a_start_that_is_given_need_not_be_the_environments_own():
    assert warnings_of(Ring(first=1), start=np.full(3, 1 / 3)) == []


def test_checking_draws_nothing_and_takes_a_bounded_number_of_steps():
    environment = Ring(render_mode="human")
    environment.lock = threading.Lock()  # cannot be copied, and neither can a window
    counted = []
    environment.shown = lambda state: counted.append(state) or state
    assert warnings_of(environment) == []
    assert Ring.drawn == environment.steps == 0
    assert environment.render_mode == "human"
    assert 6 <= len(counted) <= EPISODES * (STEPS + 1)


def test_steps_that_need_what_cannot_be_copied_are_warned_of():
    class Locked(Ring):
        def step(self, action):
            with self.lock:
                return super().step(action)

    environment = Locked()
    environment.lock = threading.Lock()
    (message,) = warnings_of(environment)
    assert message.startswith(
        "read_table: the table P of Locked may be wrong: "
        "its steps could not be compared with the table (TypeError: "
    )


def test_tables_without_steps_and_our_own_worlds_are_not_checked():
    table = SimpleNamespace(P=Ring.P, initial_state_distrib=Ring.initial_state_distrib)
    assert warnings_of(table) == []
    ours = MDPEnvironment(read_table(table).mdp)
    ours.step = ours.reset = None
    assert warnings_of(ours) == []
