"""Datasets of Minari's kind are read as the transitions they hold."""

from types import SimpleNamespace

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.interop.data.log_estimates import frs_from_log
from first_occupancy.interop.data.logs import LeftEndWarning, transition_log
from first_occupancy.interop.data.minari import from_minari
from first_occupancy.interop.states import KeyedStates
from walked_logs import DISCOUNT, walk_episodes


def episodes_of(walks, policies, *, terminated=False):
    """Return the walks as Minari keeps them."""
    episodes = [
        SimpleNamespace(
            observations=walk + 5,
            actions=np.full(len(walk) - 1, policy),
            terminations=np.arange(len(walk) - 1) == (len(walk) - 2 if terminated else -1),
        )
        for walk, policy in zip(walks, policies, strict=True)
    ]
    space = SimpleNamespace(n=np.int64(3), start=np.int64(5))
    return SimpleNamespace(observation_space=space, iterate_episodes=lambda: iter(episodes))


def test_a_numbering_of_observations_reads_datasets_as_it_reads_environments():
    rows = {"cell": np.array([7, 9, 7, 8]), "time": np.arange(4)}
    episode = SimpleNamespace(
        observations=rows, actions=np.zeros(3, int), terminations=np.array([False, False, True])
    )
    dataset = SimpleNamespace(observation_space="Dict", iterate_episodes=lambda: iter([episode]))
    log = from_minari(dataset, state_of=KeyedStates(lambda seen: int(seen["cell"])))
    assert (log.states.tolist(), log.next_states.tolist()) == ([0, 1, 0], [1, 0, 2])
    assert (log.terminal.tolist(), log.state_names) == ([False, False, True], ("7", "9", "8"))


@pytest.mark.parametrize("cells", [[7, 9, 7, 8], [7, 9]])
def test_observations_of_several_parts_are_read_row_by_row(cells):
    """Also where there are as many parts as rows, in an episode of one step."""
    rows = np.array(cells)
    for observations, cell in (
        ((rows[:, None], rows % 2), lambda seen: int(seen[0][0])),
        (
            {"at": {"cell": rows, "odd": rows % 2}, "now": rows},
            lambda seen: int(seen["at"]["cell"]),
        ),
        ({"at": (rows, rows % 2), "now": rows}, lambda seen: int(seen["at"][0])),
    ):
        ends = np.arange(1, len(rows)) == len(rows) - 1
        episode = SimpleNamespace(observations=observations, actions=ends, terminations=ends)
        dataset = SimpleNamespace(
            observation_space="", iterate_episodes=lambda e=episode: iter([e])
        )
        states = KeyedStates(cell)
        log = from_minari(dataset, state_of=states)
        numbers = [states.keys.index(cell) for cell in cells]
        assert [*log.states, log.next_states[-1]] == numbers
        assert states.keys == list(dict.fromkeys(cells))
        assert np.flatnonzero(log.terminal).tolist() == [numbers[-1]]


def test_a_dataset_of_episodes_gives_the_frs_of_its_transitions():
    walks, states, ahead, policies, episodes = walk_episodes(
        np.random.default_rng(2), num_episodes=12, num_steps=9
    )
    dataset = episodes_of(walks, np.arange(12) % 2)
    ours = from_minari(dataset, policy_of=lambda episode: episode.actions)
    np.testing.assert_array_equal(ours.episodes, episodes)
    expected = frs_from_log(transition_log(states, ahead, policies), discount=DISCOUNT)
    np.testing.assert_array_equal(frs_from_log(ours, discount=DISCOUNT).values, expected.values)
    one = from_minari(dataset, state_of=lambda rows: rows * 0, num_states=1)
    assert (one.num_policies, one.num_states, one.terminal.any()) == (1, 1, False)
    with pytest.warns(LeftEndWarning, match="in 3 of 3 states"):
        ended = from_minari(episodes_of(walks, np.zeros(12, int), terminated=True))
    assert set(np.flatnonzero(ended.terminal)) == set(walks[:, -1])


ONES = np.ones(3, int)


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: from_minari(
                SimpleNamespace(observation_space="Box", iterate_episodes=lambda: iter([ONES]))
            ),
            "from_minari: observations must be discrete unless state_of is given, got Box",
        ),
        (
            lambda: from_minari(episodes_of([], [])),
            "from_minari: dataset must have at least one episode, got none",
        ),
        (
            lambda: from_minari("lake-v0"),
            "from_minari: dataset must be a Minari dataset, as minari.load_dataset returns, "
            "got <class 'str'>",
        ),
        (
            lambda: from_minari(episodes_of([ONES], [0]), policy_of=lambda episode: ONES),
            "from_minari: episode 0 must have one policy, or one for each of 2 steps, "
            "got shape [3]",
        ),
        (
            lambda: from_minari(episodes_of([ONES], [0]), state_of=lambda rows: rows[1:]),
            "from_minari: episode 0 must have a state for each of 3 observations, got shape [2]",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(fo.InputError) as caught:
        call()
    assert str(caught.value) == message
