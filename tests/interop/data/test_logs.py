"""Logs are counted as they are, and intervals hold the truth as often as they say."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError, memory
from first_occupancy.interop.data import logs, resampled_logs
from first_occupancy.interop.data.log_estimates import frs_from_log
from first_occupancy.interop.data.logs import (
    LeftEndWarning,
    count_transitions,
    sparse_chains,
    transition_log,
)
from first_occupancy.representations import first_occupancy, successor
from first_occupancy.representations.features import linear, targets
from oracles import fr_by_linear_solves
from walked_logs import DISCOUNT, walk_episodes


def test_counts_are_those_of_a_plain_loop_and_frs_those_of_the_shares():
    _, states, ahead, policies, _ = walk_episodes(
        np.random.default_rng(0), num_episodes=20, num_steps=15
    )
    counts = np.zeros((2, 3, 3), int)
    for policy, state, following in zip(policies, states, ahead, strict=True):
        counts[policy, state, following] += 1
    transitions = transition_log(states, ahead, policies, state_names=("a", "b", "c"))
    empirical = count_transitions(transitions)
    np.testing.assert_array_equal(empirical.counts, counts)
    np.testing.assert_array_equal(empirical.visits, counts.sum(axis=-1))
    for sparse, dense in zip(sparse_chains(transitions), empirical.chains, strict=True):
        np.testing.assert_allclose(sparse.toarray(), dense, rtol=1e-12)
    frs = frs_from_log(transitions, discount=DISCOUNT)
    assert (frs.discount, frs.state_names) == (DISCOUNT, ("a", "b", "c"))
    for policy in range(2):
        shares = counts[policy] / counts[policy].sum(axis=-1, keepdims=True)
        expected = fr_by_linear_solves(shares, DISCOUNT)
        np.testing.assert_allclose(frs.values[policy], expected, rtol=1e-12)


def test_a_log_is_counted_piece_by_piece(monkeypatch):
    _, states, ahead, policies, _ = walk_episodes(
        np.random.default_rng(1), num_episodes=20, num_steps=15
    )
    whole = count_transitions(transition_log(states, ahead, policies))
    monkeypatch.setattr("first_occupancy.interop.data.logs.PIECE", 7)
    np.testing.assert_array_equal(
        count_transitions(transition_log(states, ahead, policies)).counts, whole.counts
    )


def test_weights_that_sum_to_less_than_one_become_shares_too():
    assert logs.shares(jnp.array([[0.125, 0.375], [0.0, 0.0]])).tolist() == [[0.25, 0.75], [0, 1]]


def test_unvisited_states_are_marked_and_terminal_ones_are_not():
    # Two episodes, 0 -> 1 -> 2 (the end) and 0 -> 1, cut short; state 3 was never seen.
    states, ahead = np.array([0, 1, 0]), np.array([1, 2, 1])
    ends = np.array([False, True, False])
    empirical = count_transitions(transition_log(states, ahead, terminations=ends, num_states=4))
    assert empirical.visited.tolist() == [[True, True, True, False]]
    assert not count_transitions(transition_log(states, ahead, num_states=4)).visited[0, 2]
    np.testing.assert_array_equal(empirical.chains[0, 2:], np.eye(4)[2:])
    # The first episode's end is no transition to the second one's start.
    frs = fo.first_occupancy.solve(empirical.chains, discount=0.5)
    assert frs[0, 2, 0] == 0
    np.testing.assert_array_equal(frs[0, 0], [1, 0.5, 0.25, 0])


def test_an_end_that_is_left_is_named_and_one_with_a_state_of_its_own_is_not_passed():
    states, ahead, ends = np.array([0, 1, 1]), np.array([1, 1, 2]), np.array([True, False, False])
    with pytest.warns(LeftEndWarning) as caught:
        through = transition_log(states, ahead, terminations=ends, state_names=("a", "b", "c"))
    assert str(caught[0].message) == (
        "transition_log: episodes terminated in 1 of 3 states that others left, first 1 'b', "
        "so plans may lead through those ends; give ends separate states"
    )
    assert frs_from_log(through, discount=0.5).values[0, 0, 2] > 0
    apart = transition_log(states, np.where(ends, ahead + 3, ahead), terminations=ends)
    assert frs_from_log(apart, discount=0.5).values[0, 0].tolist() == [1, 0, 0, 0, 0.5]
    # Some logs go on after the end without leaving it.
    transition_log([0, 1], [1, 1], terminations=[True, False])


def test_an_end_is_visited_once_by_td_and_for_ever_by_chains_and_by_walks_that_stay():
    states, ahead = np.array([1, 0]), np.array([2, 1])
    empirical = count_transitions(transition_log(states, ahead, terminations=ahead == 2))
    log = (states, ahead, np.zeros(2, int))
    for representation, target, (for_ever, once) in (
        (successor, targets.Successor(), (0.5, 0.25)),
        (first_occupancy, targets.FirstOccupancy(1.0), (0.25, 0.25)),
    ):
        assert representation.solve(empirical.chains, discount=0.5)[0, 0, 2] == pytest.approx(
            for_ever
        )
        start = representation.initial(3)[None]
        learned = representation.td_learn_log(start, *log, discount=0.5, step_size=1.0)
        assert learned[0, 0, 2] == once
        for walk, expected in (([0, 1, 2], 0), ([0, 1, 2, 2], for_ever)):
            seen = jnp.eye(3)[jnp.array([walk])]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", targets.UnreachedWarning)
                weights = linear.solve(target, seen, features=lambda place: place, discount=0.5)
            assert weights[0, 2] == pytest.approx(expected)


ONES = np.ones(3, int)


def test_too_many_states_to_count_are_refused_and_sparse_chains_named(monkeypatch):
    walk = transition_log([0, 1], [1, 0], [0, 2], num_states=1000)
    monkeypatch.setattr(memory, "on_host", lambda: 2**20)
    with pytest.raises(InputError) as caught:
        frs_from_log(walk, discount=0.5)
    assert str(caught.value) == (
        "count_transitions: needs about 68.7 MiB of memory, but 1.0 MiB are free; use "
        "interop.data.logs.sparse_chains, with first_occupancy.solve_columns for the goals that "
        "matter, instead"
    )
    second = sparse_chains(walk)[1]
    assert (second.nnz, second.diagonal().sum()) == (1000, 1000)


def test_sparse_chains_of_unsigned_numbers_are_right_to_the_last_digit():
    ahead = np.arange(70_000, dtype=np.uint64) % 7
    (chain,) = sparse_chains(transition_log(np.zeros(70_000, np.uint64), ahead))
    np.testing.assert_array_equal(chain.toarray()[0], np.full(7, 1 / 7))


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([[0], [1, 2]], "transition_log: columns must be rows of numbers; .*inhomogeneous"),
        ([0, 2**60], "transition_log: needs about .*use states numbered from 0 without gaps"),
    ],
    ids=["ragged", "ids that are no numbers of states"],
)
def test_columns_that_are_no_states_are_refused(states, message):
    with pytest.raises(InputError, match=message):
        transition_log(states, [1, 2])


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: transition_log(ONES, ONES[:2]),
            "transition_log: states, next_states must be rows of one length, at least 1, "
            "got shapes [[3], [2]]",
        ),
        (
            lambda: transition_log(ONES[:0], ONES[:0]),
            "transition_log: states, next_states must be rows of one length, at least 1, "
            "got shapes [[0], [0]]",
        ),
        (
            lambda: transition_log(ONES, ONES * 0.5),
            "transition_log: next_states must be whole numbers, got float64",
        ),
        (
            lambda: transition_log(ONES, ONES, terminations=ONES),
            "transition_log: terminations must be true or false, got int64",
        ),
        (
            lambda: transition_log(ONES, ONES, num_states=1),
            "transition_log: states must be in 0..0, got 1 at position 0",
        ),
        (
            lambda: transition_log(ONES, ONES, -ONES),
            "transition_log: policies must be in 0..0, got -1 at position 0",
        ),
        (
            lambda: transition_log(ONES, ONES, num_policies=0),
            "transition_log: num_policies must be at least 1, got 0",
        ),
        (
            lambda: transition_log(ONES, ONES, num_states=2.0),
            "transition_log: num_states must be a whole number at least 1 or None, got 2.0",
        ),
        (
            lambda: transition_log(ONES, ONES, state_names=("a", "a")),
            "transition_log: state_names must differ, got 'a' at positions 0 and 1",
        ),
        (
            lambda: resampled_logs.resample_episodes(
                transition_log(ONES, ONES, episodes=ONES),
                jax.random.split(jax.random.key(0)),
                discount=0.5,
            ),
            "resample_episodes: key must be jax.random.key(seed), got an array of shape [2]",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(fo.InputError) as caught:
        call()
    assert str(caught.value) == message
