"""Models of Stable-Baselines3 as base policies, and plans where it expects its models."""

import numpy as np
import pytest

from first_occupancy.environments import maze

stable_baselines3 = pytest.importorskip(
    "stable_baselines3", reason="the extra 'skills' is not installed"
)
torch = pytest.importorskip("torch")

import gymnasium  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402

from first_occupancy.interop.base_policies import tabulate  # noqa: E402
from first_occupancy.interop.gym.experience import collect  # noqa: E402
from first_occupancy.interop.gym.finite_environments import MazeEnvironment  # noqa: E402
from first_occupancy.interop.skills import learn_skills, watch_skills  # noqa: E402
from first_occupancy.interop.states import states_of  # noqa: E402

torch.set_num_threads(1)
DRAWING = ["...", ".#.", "..."]


def environment(*goals):
    world = MazeEnvironment(maze(DRAWING), goals=list(goals))
    return gymnasium.wrappers.TimeLimit(world, 20)


@pytest.fixture(scope="module")
def models():
    """Return two models that were never trained: any policy will do."""
    kinds = (stable_baselines3.DQN, stable_baselines3.PPO)
    return [
        kind("MlpPolicy", environment(), policy_kwargs={"net_arch": [8]}, seed=seed)
        for seed, kind in enumerate(kinds)
    ]


def test_models_act_and_are_tabulated_as_they_predict(models):
    states = states_of(environment())
    tables = tabulate(models, states, 4)
    seen = collect(environment(), models, states, num_steps=80, seed=0)
    for number, (model, table) in enumerate(zip(models, tables, strict=True)):
        said = [int(model.predict(np.array(s), deterministic=True)[0]) for s in range(8)]
        np.testing.assert_array_equal(np.argmax(table, axis=1), said)
        mine = seen.policies == number
        np.testing.assert_array_equal(seen.actions[mine], np.array(said)[seen.states[mine]])


def test_chains_watched_are_those_tabulated_where_models_went(models):
    states = states_of(environment())
    options = {"discount": 0.9, "num_steps": 400, "seed": 0}
    known = learn_skills(environment(), states, policies=models, **options)
    watched = watch_skills(environment(), models, states, **options)
    seen = collect(environment(), models, states, num_steps=400, seed=0)
    visited = np.zeros((2, 8), bool)
    visited[seen.policies, seen.states] = True
    np.testing.assert_array_equal(
        np.asarray(watched.chains)[visited], np.asarray(known.chains)[visited]
    )


def test_stable_baselines_scores_a_plan_as_it_scores_its_models():
    goal = (2, 2)
    skills = learn_skills(environment(goal), states_of(environment()), discount=0.9, num_steps=400)
    plan = skills.plan_to(maze(DRAWING).state(*goal)).agent()
    worlds = DummyVecEnv([lambda: environment(goal)] * 3)
    rewards, lengths = evaluate_policy(
        plan, worlds, n_eval_episodes=12, return_episode_rewards=True, warn=False
    )
    assert rewards == [1.0] * 12
    assert max(lengths) <= 4
