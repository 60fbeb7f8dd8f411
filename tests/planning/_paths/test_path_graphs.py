"""Graphs of deterministic policies: each move that leads elsewhere, backwards."""

from itertools import pairwise

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.planning._paths.path_graphs import path_graph


def test_edges_are_listed_backwards():
    steps = np.array([[1, 2, 2], [1, 0, 2]])
    graph = path_graph("plan", steps)
    assert graph.num_states == 3
    np.testing.assert_array_equal(graph.by_state, steps.T)
    # Both policies lead from 0 to 1; nothing leads from 2 elsewhere.
    starts, behind = graph.backwards
    lists = [sorted(behind[one:end]) for one, end in pairwise(starts)]
    assert lists == [[1], [0, 0], [1]]


def test_messages_begin_with_the_caller_and_know_a_transposed_array():
    with pytest.raises(InputError, match=r"^somebody: .*it is \[N S\], a row for each policy"):
        path_graph("somebody", np.array([[5], [0], [1]]))


def test_durations_too_far_apart_for_floats_arrive_or_are_refused():
    # The way from 1 leads through 2, which is no nearer to the goal, as far as floats can tell.
    table, times = np.array([[0, 2, 0]]), np.array([[1.0, 1e-3, 1e20]])
    with pytest.raises(InputError, match="durations must not differ"):
        path_graph("plan", table, times).cut(np.array([0]))
    table = np.array([[0, 0, 0], [0, 2, 1]])
    times = np.array([[1.0, 1e20, 1e20], [1.0, 1e-3, 1e-3]])
    assert path_graph("plan", table, times).cut(np.array([0])).policy.tolist() == [-1, 0, 0]
