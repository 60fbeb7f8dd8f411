"""Counted transitions become probabilities; their stated error is Hoeffding's."""

import numpy as np
import pytest

from first_occupancy.interop.enumeration.enumerated_worlds import EnumeratedWorld, assembled


@pytest.fixture
def world():
    edges = np.array([[0, 0, 0, 3], [0, 0, 1, 5], [0, 1, 1, 8]]).T
    ended = np.array([False, True])
    mdp = assembled(edges, np.ones((2, 2)), ended, np.array([0, 0, 0]), samples=8)
    return EnumeratedWorld(mdp, ended, 8)


def test_counts_become_probabilities_and_ends_lead_nowhere(world):
    chains = [chain.toarray().tolist() for chain in world.action_chains]
    assert chains == [[[3 / 8, 5 / 8], [0, 1]], [[0, 1], [0, 1]]]
    assert world.mdp.rewards.tolist() == [[1, 1], [0, 0]]
    assert world.mdp.start_distribution.tolist() == [1, 0]
    assert (world.num_transitions, world.start, world.ends.tolist()) == (3, 0, [1])
    assert world.durations is None


def test_the_error_is_hoeffdings_for_all_probabilities_at_once(world):
    # Three that were seen, and one more for each of the two actions that can be taken.
    expected = np.sqrt(np.log(2 * 5 / 0.05) / 16)
    assert world.error == pytest.approx(expected)
    assert "probabilities within 0.58" in repr(world)


def test_no_probability_is_off_by_more_than_one():
    edges = np.array([[0, 0, 0, 1], [0, 0, 1, 1]]).T
    mdp = assembled(edges, np.ones((2, 1)), np.array([False, True]), np.array([0]), samples=2)
    assert EnumeratedWorld(mdp, np.array([False, True]), 2).error == 1
