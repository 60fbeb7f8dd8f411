"""Our worlds are made by their names, and keep Gymnasium's rules."""

import subprocess
import sys

import pytest

from gym_worlds import ARGUMENTS, DRAWING, made

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")
from first_occupancy.interop.gym import registration  # noqa: E402


@pytest.mark.parametrize("name", registration.WORLDS)
def test_gymnasium_finds_nothing_wrong(name):
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(name, **ARGUMENTS.get(name, {})).unwrapped)


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


def test_gymnasium_imports_the_module_that_a_name_begins_with():
    name = "first_occupancy.interop.gym.registration:first_occupancy/FourRooms-v0"
    code = f"import gymnasium; print(gymnasium.make({name!r}).spec.id)"
    command = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("first_occupancy/FourRooms-v0\n", "")


def test_importing_the_library_does_not_import_gymnasium():
    code = "import sys, first_occupancy.interop; assert 'gymnasium' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
