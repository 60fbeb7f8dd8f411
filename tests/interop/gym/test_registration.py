"""Our worlds in Gymnasium do what their arrays say."""

import sys

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP, InputError, absorbing
from first_occupancy.environments import (
    escape_arena,
    four_rooms,
    maze,
    mountain_car,
    river_swim,
    six_arms,
)
from oracles import assert_frequencies_are

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")

from first_occupancy.interop.gym import car_environment, finite_environments, registration  # noqa: E402
from first_occupancy.interop.gym.finite_environments import (  # noqa: E402
    MazeEnvironment,
    MDPEnvironment,
    ended_states,
)

DRAWING = ["S.#", "..G"]
ARGUMENTS = {"first_occupancy/Maze-v0": {"drawing": DRAWING}}


def made(name, **options):
    name = f"first_occupancy/{name}-v0"
    return gymnasium.make(name, **ARGUMENTS.get(name, {}), **options)


@pytest.mark.parametrize("name", registration.WORLDS)
def test_gymnasium_finds_nothing_wrong(name):
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(name, **ARGUMENTS.get(name, {})).unwrapped)


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


def test_ends_and_time_limits_are_told_apart():
    environment = gymnasium.make("first_occupancy/Maze-v0", drawing=DRAWING)
    environment.reset(seed=0)
    outcomes = [environment.step(action)[2:4] for action in (2, 1, 1)]
    assert outcomes == [(False, False), (False, False), (True, False)]
    river = made("RiverSwim")
    river.reset(seed=0)
    outcomes = [river.step(1)[2:4] for _ in range(5000)]
    assert outcomes[:-1] == [(False, False)] * 4999
    assert outcomes[-1] == (False, True)


@pytest.mark.parametrize("name", ["RiverSwim", "SixArms", "Maze"])
def test_equal_seeds_give_equal_episodes(name):
    def episode(seed):
        environment = made(name)
        environment.action_space.seed(0)
        first, _ = environment.reset(seed=seed)
        return [first, *(environment.step(environment.action_space.sample())[0] for _ in range(40))]

    assert episode(7) == episode(7)
    assert name == "Maze" or episode(7) != episode(8)


def test_mazes_look_like_their_drawings():
    environment = made("Maze", render_mode="ansi")
    environment.reset()
    assert environment.render() == "@.#\n..G"
    environment.step(2)
    assert environment.render() == "..#\n@.G"
    environment = made("Maze", render_mode="rgb_array")
    environment.reset()
    cells = environment.render()[::24, ::24]
    dark = cells.sum(axis=-1) < 300
    np.testing.assert_array_equal(dark, [[False, False, True], [False, False, False]])


def test_rows_and_hills_are_drawn():
    river = made("RiverSwim", render_mode="ansi")
    river.reset(options={"state": 4})
    assert river.render() == " 0  1  2  3 [4] 5 "
    car = made("MountainCar", render_mode="ansi", goal=0.6)
    car.reset(seed=0)
    assert car.render().index("@") in range(20, 28)
    assert car.render()[-1] == "|"
    picture = made("MountainCar", render_mode="rgb_array", goal=0.5)
    picture.reset(seed=0)
    assert picture.render().shape == (240, 360, 3)


def test_the_car_moves_as_ours_and_as_gymnasiums():
    ours, theirs = made("MountainCar"), gymnasium.make("MountainCarContinuous-v0").unwrapped
    state, _ = ours.reset(seed=4)
    theirs.reset(seed=4)
    for action in np.random.default_rng(0).uniform(-1.2, 1.2, (200, 1)).astype(np.float32):
        theirs.state = state.copy()
        expected = mountain_car.step(jnp.asarray(state), action[0])
        state, reward, ended, cut, _ = ours.step(action)
        np.testing.assert_allclose(state, expected, rtol=0, atol=1e-8)
        np.testing.assert_allclose(state, theirs.step(action)[0], rtol=0, atol=1e-7)
        assert (reward, ended) == (0, False)
    assert cut


def test_the_car_ends_at_a_goal():
    environment = made("MountainCar", goal=-0.35)
    environment.reset(seed=0)
    for _ in range(100):
        state, reward, ended, _, _ = environment.step(np.ones(1, np.float32))
        assert (reward, ended) == ((1, True) if state[0] >= -0.35 else (0, False))
        if ended:
            break
    assert ended


def test_importing_the_library_does_not_import_gymnasium():
    import subprocess

    code = "import sys, first_occupancy.interop; assert 'gymnasium' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


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
        "state: cell (0, 2) must be free, but is a wall",
    ),
    "goal at the start": (
        lambda: MazeEnvironment(maze(DRAWING), goals=[(0, 0)]),
        "MazeEnvironment: a start must be no goal, but all starts are goals",
    ),
    "the car's goal": (
        lambda: made("MountainCar", goal=0.7),
        "MountainCarEnvironment: goal must be right of the starts, above -0.4 and at most 0.6, "
        "got 0.7",
    ),
    "the car's action": (
        lambda: car_environment.MountainCarEnvironment().step(np.zeros(2)),
        "step: action must have shape [1], got [2]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    for module in (finite_environments, car_environment):
        monkeypatch.setattr(module, "gymnasium", None)
    for call in (
        lambda: MDPEnvironment(MDP(np.ones((1, 1, 1)))),
        car_environment.MountainCarEnvironment,
    ):
        with pytest.raises(
            InputError, match=r"Environment: needs Gymnasium: .*first-occupancy\[interop\]"
        ):
            call()
