"""Episodes of continuous worlds: checks, parts and splits."""

import numpy as np
import pytest

from first_occupancy.core.episodes import Episodes


@pytest.fixture
def log():
    """Return three episodes of different lengths."""
    seen = [np.arange(2.0 * size).reshape(size, 2) + 100 * size for size in (3, 2, 4)]
    return Episodes(seen, [np.ones((len(each) - 1, 1)) for each in seen])


def test_steps_lead_to_the_next_row_of_the_same_episode(log):
    assert len(log) == 2 + 1 + 3
    assert log.num_episodes == 3
    assert log.steps.tolist() == [0, 1, 3, 5, 6, 7]
    moves = log.observations[log.steps + 1] - log.observations[log.steps]
    assert np.unique(moves).tolist() == [2.0]


def test_a_part_holds_whole_episodes(log):
    part = log.part([2, 0])
    assert part.last.tolist() == [False, False, True, False, False, False, True]
    assert part.observations[:, 0].tolist() == [300, 302, 304, 400, 402, 404, 406]


def test_a_split_holds_every_episode_once(log):
    learn, held = log.split(0.3, seed=1)
    assert learn.num_episodes + held.num_episodes == 3
    assert held.num_episodes == 1
    both = np.concatenate([learn.observations, held.observations])
    assert sorted(map(tuple, both)) == sorted(map(tuple, log.observations))


def test_it_says_what_it_holds(log):
    assert repr(log) == (
        "Episodes: 6 transitions in 3 episodes\n  2 numbers in an observation, 1 in an action"
    )


TWO = [[0.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("seen", "done", "message"),
    [
        ([TWO], None, "Episodes: needs the actions that were taken, got none"),
        (
            [TWO, TWO],
            [[[1.0]]],
            "Episodes: needs observations and actions of the same episodes, at least one, "
            "got 2 and 1",
        ),
        (
            [[[0.0, np.nan], [1.0, 1.0]]],
            [[[1.0]]],
            "Episodes: observations of episode 0 must be finite, got nan at [0, 1]",
        ),
        (
            [TWO[:1]],
            [[]],
            "Episodes: actions of episode 0 must not be empty, got shape [0, 1]",
        ),
        (
            [TWO[:1]],
            [[1.0]],
            "Episodes: an episode must have at least 2 observations, got 1 in episode 0",
        ),
        (
            [TWO, [[0.0], [1.0]]],
            [[[1.0]], [[1.0]]],
            "Episodes: observations of episode 1 must have shape [T O] with O = 2 as in episode 0, "
            "got [2 1]",
        ),
        (
            [TWO, TWO],
            [[[1.0]], [[1.0, 2.0]]],
            "Episodes: actions of episode 1 must have shape [T A] with A = 1 as in episode 0, "
            "got [1 2]",
        ),
        (
            [TWO],
            [[[1.0]] * 4],
            "Episodes: episode 0 must have 1 actions for 2 observations, got 4",
        ),
        (
            [[[0.0], [1.0, 2.0]]],
            [[1.0]],
            "Episodes: observations of episode 0 must be vectors of one size",
        ),
        (
            [np.zeros((2, 2, 2))],
            [[1.0]],
            "Episodes: observations of episode 0 must have shape [T O], got [2 2 2]",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(error_of, seen, done, message):
    assert error_of(lambda: Episodes(seen, done)) == message


def test_parts_and_splits_that_are_not_there_are_refused(error_of, log):
    message = "Episodes.part: chosen must be numbers of 3 episodes, at least one, got [3]"
    assert error_of(lambda: log.part([3])) == message
    message = (
        "Episodes.split: needs a share above 0 and below 1 and at least 2 episodes, got 1.0 and 3"
    )
    assert error_of(lambda: log.split(1.0)) == message
