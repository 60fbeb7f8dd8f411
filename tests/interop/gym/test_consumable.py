"""FR values are what running brings when each reward can be had once."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError, chain
from first_occupancy.environments import maze, river_swim
from first_occupancy.representations import first_occupancy, value

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")

from first_occupancy.interop.gym import consumable  # noqa: E402
from first_occupancy.interop.gym.consumable import ConsumableRewards, mean_return  # noqa: E402
from first_occupancy.interop.gym.finite_environments import MazeEnvironment, MDPEnvironment  # noqa: E402
from first_occupancy.interop.gym.tables import read_table  # noqa: E402
from first_occupancy.interop.states import DiscreteStates  # noqa: E402

DISCOUNT = 0.9
river = MDPEnvironment(river_swim())
room = MazeEnvironment(maze(["S..", ".#.", "..G"], noise=0.2))
rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("environment", "rewards", "start"),
    [
        (river, rng.normal(size=6), 0),
        (room, rng.normal(size=8), 0),
        (room, {5: 1.0, 0: -0.5}, 0),
    ],
    ids=["river", "room", "few"],
)
def test_mean_returns_are_the_frs_values(environment, rewards, start):
    mdp = environment.mdp
    policy = np.random.default_rng(1).dirichlet(np.ones(mdp.num_actions), mdp.num_states)
    pays = rewards if isinstance(rewards, dict) else dict(enumerate(rewards))
    vector = jnp.array([pays.get(state, 0.0) for state in range(mdp.num_states)])
    one = chain(mdp, jnp.asarray(policy))
    expected = value(first_occupancy.solve(one, discount=DISCOUNT), vector)[start]
    # After 100 steps the discount is below 1e-4.
    task = ConsumableRewards(gymnasium.wrappers.TimeLimit(environment, 100), rewards)
    mean, error = mean_return(
        task, policy, discount=DISCOUNT, num_episodes=150, seed=0, options={"state": start}
    )
    assert abs(mean - float(expected)) < 3 * error
    # Paying at every visit would be seen.
    visits = np.linalg.inv(np.eye(len(vector)) - DISCOUNT * np.asarray(one)) @ vector
    assert abs(mean - visits[start]) > 3 * error


def test_what_is_never_reached_is_not_waited_for():
    endless = MazeEnvironment(maze(["S.", ".."]), goals=[])
    task = ConsumableRewards(endless, {3: 1.0})
    up = np.zeros(4, int)
    assert mean_return(task, up, discount=DISCOUNT, num_episodes=2, seed=0) == (0, 0)


def test_on_the_lake_with_its_own_table():
    environment = gymnasium.make("FrozenLake-v1")
    world = read_table(environment)
    goal = world.ends[-1]
    policy = np.full((16, 4), 0.25)
    expected = first_occupancy.solve(chain(world.mdp, jnp.asarray(policy)), discount=0.95)[0, goal]
    mean, error = mean_return(
        ConsumableRewards(environment, {goal: 1.0}, world),
        policy,
        discount=0.95,
        num_episodes=800,
        seed=0,
    )
    assert error < 0.5 * float(expected)
    assert abs(mean - float(expected)) < 3 * error


def test_each_reward_is_had_once_and_when_all_are_had_it_ends():
    task = ConsumableRewards(MazeEnvironment(maze(["S.."]), goals=[]), {0: 2.0, 1: 3.0, 2: 4.0})
    _, info = task.reset(seed=0)
    assert (info["reward_at_start"], info["left"]) == (2.0, (1, 2))
    steps = [task.step(action) for action in (1, 3, 1, 1)]
    assert [step[1] for step in steps] == [3.0, 0.0, 0.0, 4.0]
    assert [step[2] for step in steps] == [False, False, False, True]
    assert steps[0][4]["left"] == (2,)
    task.reset()
    assert task.step(1)[1] == 3.0


def test_gymnasium_finds_nothing_wrong():
    from gymnasium.utils.env_checker import check_env

    task = ConsumableRewards(MDPEnvironment(river_swim()), {5: 1.0})
    with pytest.warns(UserWarning, match="different from the unwrapped version"):
        check_env(task, skip_render_check=True)


MISTAKES = {
    "unknown state": (
        lambda: ConsumableRewards(river, {6: 1.0}),
        "ConsumableRewards: rewards' states must be in 0..5, got 6",
    ),
    "not finite": (
        lambda: ConsumableRewards(river, {3: np.inf}),
        "ConsumableRewards: rewards must be finite, got inf in state 3",
    ),
    "unseen": (
        lambda: ConsumableRewards(river, {1: 1.0}, DiscreteStates(2)).reset(options={"state": 4}),
        "DiscreteStates: observation must be in 0..1, got 4",
    ),
    "episodes": (
        lambda: mean_return(
            ConsumableRewards(river, {1: 1.0}), None, discount=0.9, num_episodes=1, seed=0
        ),
        "mean_return: num_episodes must be at least 2, got 1",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(consumable, "gymnasium", None)
    with pytest.raises(InputError, match=r"ConsumableRewards: needs Gymnasium: .*\[interop\]"):
        ConsumableRewards(river, {})
