"""Rows and columns of deterministic chains' FRs, against the dense FR and plain counting."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations import deterministic, first_occupancy


def counted(table):
    """Return the steps [S S] from state to state by walking, -1 if never."""
    size = len(table)
    steps = np.full((size, size), -1)
    for start in range(size):
        state, count = start, 0
        while steps[start, state] < 0:
            steps[start, state] = count
            state, count = table[state], count + 1
    return steps


@pytest.mark.parametrize("seed", range(40))
def test_steps_are_those_one_counts(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 12))
    table = random.integers(size, size=size)
    steps = counted(table)
    worth = np.where(steps < 0, 0, 0.5 ** np.maximum(steps, 0))
    for state in range(size):
        row, column = (
            read(table, state, discount=0.5) for read in (deterministic.row, deterministic.column)
        )
        np.testing.assert_array_equal(row, worth[state])
        np.testing.assert_array_equal(column, worth[:, state])


def test_rows_and_columns_are_those_of_the_dense_fr():
    table = np.random.default_rng(0).integers(15, size=15)
    dense = first_occupancy.solve(jnp.eye(15)[table], discount=0.9)
    for state in range(15):
        np.testing.assert_allclose(
            deterministic.row(table, state, discount=0.9), dense[state], rtol=1e-13
        )
        np.testing.assert_allclose(
            deterministic.column(table, state, discount=0.9), dense[:, state], rtol=1e-13
        )


def test_a_ring_of_a_million_states_takes_no_square_array():
    size = 10**6
    ring = np.roll(np.arange(size), -1)
    column = deterministic.column(ring, size - 1, discount=1 - 1e-7)
    np.testing.assert_allclose(column, (1 - 1e-7) ** np.arange(size - 1, -1, -1), rtol=1e-12)
    assert deterministic.column(ring, 0, discount=0.0).sum() == 1


MISTAKES = {
    "start": (
        lambda: deterministic.row(np.array([0, 1]), 2, discount=0.9),
        "row: start must be in 0..1, got 2",
    ),
    "goal": (
        lambda: deterministic.column(np.array([0, 1]), -1, discount=0.9),
        "column: goal must be in 0..1, got -1",
    ),
    "discount": (
        lambda: deterministic.column(np.array([0, 1]), 1, discount=1.0),
        "column: discount must be at least 0 and below 1, got 1.0",
    ),
    "states": (
        lambda: deterministic.row(np.array([0, 2]), 0, discount=0.9),
        "row: next_states must be in 0..1, got 2 at position 1",
    ),
    "the table of several policies": (
        lambda: deterministic.column(np.zeros((2, 3), int), 0, discount=0.9),
        "column: next_states must have shape [S], got [2 3]",
    ),
    "a walk through the table of several policies": (
        lambda: deterministic.row(np.zeros((2, 3), int), 0, discount=0.9),
        "row: next_states must have shape [S], got [2 3]",
    ),
    "nothing": (
        lambda: deterministic.row(np.array([], int), 0, discount=0.9),
        "row: next_states must not be empty, got shape [0]",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message
