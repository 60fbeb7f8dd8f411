"""Graphs of deterministic policies: each move that leads elsewhere, once, backwards."""

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.planning._paths.path_graphs import path_graph


def test_edges_lead_backwards_and_are_listed_once():
    steps = np.array([[1, 2, 2], [1, 0, 2]])
    graph = path_graph("plan", steps)
    assert graph.num_states == 3
    np.testing.assert_array_equal(graph.by_state, steps.T)
    # Both policies lead from 0 to 1; nothing leads from 2 elsewhere.
    expected = [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert graph.backwards.toarray().tolist() == expected


def test_messages_begin_with_the_caller_and_know_a_transposed_array():
    with pytest.raises(InputError, match=r"^somebody: .*it is \[N S\], a row for each policy"):
        path_graph("somebody", np.array([[5], [0], [1]]))
