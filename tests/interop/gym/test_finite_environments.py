"""MDPs and mazes as environments of Gymnasium's do what their arrays say."""

import numpy as np
import pytest

from first_occupancy.core import MDP, InputError, absorbing
from first_occupancy.environments import escape_arena, four_rooms, maze, river_swim, six_arms
from first_occupancy.interop.gym import finite_environments
from first_occupancy.interop.gym.finite_environments import (
    MazeEnvironment,
    MDPEnvironment,
    ended_states,
)
from gym_worlds import DRAWING, made
from oracles import assert_frequencies_are

pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


@pytest.mark.parametrize(
    ("environment", "mdp"),
    [
        (MDPEnvironment(river_swim()), river_swim()),
        (MDPEnvironment(six_arms()), six_arms()),
        (MazeEnvironment(maze(DRAWING, noise=0.4, bump_cost=0.5)), None),
    ],
    ids=["river", "arms", "maze"],
)
def test_transitions_and_starts_have_the_mdps_frequencies_and_rewards(environment, mdp):
    mdp = environment.mdp if mdp is None else mdp
    size, actions = mdp.num_states, mdp.num_actions
    transition, rewards, ends = map(np.asarray, (mdp.transition, mdp.reward, ended_states(mdp)))
    environment.reset(seed=5)
    starts = np.array([environment.reset()[0] for _ in range(400)])
    assert_frequencies_are(starts, mdp.start_distribution)
    for state in range(size):
        for action in range(actions):
            seen = []
            for _ in range(100):
                environment.reset(options={"state": state})
                following, reward, ended, cut, _ = environment.step(action)
                assert abs(reward - rewards[state, action, following]) < 1e-12
                assert ended == ends[following]
                assert not cut
                seen.append(following)
            assert_frequencies_are(seen, transition[state, action])


@pytest.mark.parametrize(
    ("name", "world", "options"),
    [("FourRooms", four_rooms(0.25), {"noise": 0.25}), ("Escape", escape_arena(9), {"size": 9})],
    ids=["rooms", "escape"],
)
def test_every_step_in_the_rooms_is_one_the_arrays_allow(name, world, options):
    environment = made(name, **options).unwrapped
    transition, reward = np.asarray(world.mdp.transition), np.asarray(world.mdp.reward)
    goals = environment.goals
    environment.reset(seed=3)
    for state in set(range(world.num_states)) - set(goals):
        for action in range(world.num_actions):
            environment.reset(options={"state": state})
            following, paid, ended, _, info = environment.step(action)
            assert transition[state, action, following] > 0
            assert paid == reward[state, action, following] + (following in goals)
            assert ended == (following in goals)
            assert info == {"cell": world.cell(following)}


def test_a_mazes_arrays_are_those_of_its_goal_made_absorbing():
    environment = MazeEnvironment(maze(DRAWING))
    expected = absorbing(environment.world.mdp, environment.world.goals[0])
    np.testing.assert_array_equal(environment.mdp.transition, expected.transition)
    np.testing.assert_array_equal(
        environment.mdp.transition * environment.mdp.reward, expected.transition * expected.reward
    )


MISTAKES = {
    "action": (
        lambda: (e := MDPEnvironment(river_swim())).reset() and e.step(2),
        "step: action must be in 0..1, got 2",
    ),
    "start": (
        lambda: made("Maze").reset(options={"state": 5}),
        "reset: options['state'] must be in 0..4, got 5",
    ),
    "render mode": (
        lambda: MazeEnvironment(maze(DRAWING), render_mode="human"),
        "MazeEnvironment: render_mode must be None, 'ansi' or 'rgb_array', got 'human'",
    ),
    "goal in a wall": (
        lambda: MazeEnvironment(maze(DRAWING), goals=[(0, 2)]),
        "state: cell must be free, but (0, 2) is a wall",
    ),
    "goal at the start": (
        lambda: MazeEnvironment(maze(DRAWING), goals=[(0, 0)]),
        "MazeEnvironment: a start must not be a goal or a wall, but all starts are",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(finite_environments, "gymnasium", None)
    expected = r"Environment: needs Gymnasium: pip install .*\[interop\]"
    with pytest.raises(InputError, match=expected):
        MDPEnvironment(MDP(np.ones((1, 1, 1))))
