"""A Minari dataset, recorded and read back, gives the FRs of the transitions it was made of."""

import warnings

import gymnasium
import minari
import numpy as np
import pytest
from minari.data_collector import EpisodeBuffer

from first_occupancy.interop.data.log_estimates import frs_from_log
from first_occupancy.interop.data.logs import transition_log
from first_occupancy.interop.data.minari import from_minari


def episode_of(environment, rng, seed):
    """Return one episode of random actions as Minari wants it."""
    state, _ = environment.reset(seed=seed)
    episode = EpisodeBuffer(id=seed, observations=[state], actions=[], infos={})
    while not (episode.rewards and (episode.terminations[-1] or episode.truncations[-1])):
        action = int(rng.integers(4))
        state, reward, terminated, truncated, _ = environment.step(action)
        episode.observations.append(state)
        episode.actions.append(action)
        episode.rewards.append(reward)
        episode.terminations.append(terminated)
        episode.truncations.append(truncated)
    return episode


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Return a dataset of FrozenLake from disk, and the episodes it was made of."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    rng = np.random.default_rng(0)
    with gymnasium.make("FrozenLake-v1", max_episode_steps=8) as environment:
        episodes = [episode_of(environment, rng, seed) for seed in range(40)]
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            minari.create_dataset_from_buffers("lake-v0", episodes, environment)
    return minari.load_dataset("lake-v0"), episodes


def test_a_minari_dataset_gives_the_frs_of_its_transitions(recorded):
    dataset, episodes = recorded
    transitions = [
        (episode.observations[t], episode.observations[t + 1], action, number, ended)
        for number, episode in enumerate(episodes)
        for t, (action, ended) in enumerate(zip(episode.actions, episode.terminations, strict=True))
    ]
    states, ahead, actions, numbers, ends = np.array(transitions).T
    expected = transition_log(
        states, ahead, actions, episodes=numbers, terminations=ends.astype(bool), num_states=16
    )
    made = from_minari(dataset, policy_of=lambda episode: episode.actions)
    for name in ("states", "next_states", "policies", "episodes", "terminal"):
        np.testing.assert_array_equal(getattr(made, name), getattr(expected, name))
    assert 0 < made.terminal.sum() < 16
    assert any(episode.truncations[-1] for episode in episodes)
    np.testing.assert_array_equal(
        frs_from_log(made, discount=0.9).values, frs_from_log(expected, discount=0.9).values
    )
