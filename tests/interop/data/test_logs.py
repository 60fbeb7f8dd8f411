"""Logs are counted as they are, and intervals hold the truth as often as they say."""

import warnings
from functools import cache
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError, memory
from first_occupancy.interop.data import log_intervals, logs
from first_occupancy.interop.data.logs import (
    LeftEndWarning,
    count_transitions,
    frs_from_log,
    sparse_chains,
    transition_log,
)
from first_occupancy.interop.data.minari import from_minari
from first_occupancy.interop.states import KeyedStates
from first_occupancy.planning.evaluation import discount_of_legs
from first_occupancy.representations import first_occupancy, successor
from first_occupancy.representations.features import linear
from oracles import fr_by_linear_solves

DISCOUNT = 0.8
CHAINS = np.array(
    [
        [[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]],
        [[0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.5, 0.25, 0.25]],
    ]
)


def walk_episodes(rng, *, num_episodes, num_steps):
    """Return the columns of a log: episodes of both policies in turn, from random starts."""
    policies = np.arange(num_episodes) % 2
    states = [rng.integers(3, size=num_episodes)]
    for _ in range(num_steps):
        chances = CHAINS[policies, states[-1]].cumsum(axis=-1)
        states.append((rng.random((num_episodes, 1)) > chances).sum(axis=-1).clip(0, 2))
    walks = np.stack(states, axis=1)
    of_each = np.repeat(np.arange(num_episodes), num_steps)
    return walks, walks[:, :-1].ravel(), walks[:, 1:].ravel(), policies[of_each], of_each


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
    frs = empirical.occupancies(discount=0.5).values
    assert frs[0, 2, 0] == 0
    np.testing.assert_array_equal(frs[0, 0], [1, 0.5, 0.25, 0])


def test_an_end_that_is_left_is_named_and_one_with_a_state_of_its_own_is_not_passed():
    states, ahead, ends = np.array([0, 1, 1]), np.array([1, 1, 2]), np.array([True, False, False])
    with pytest.warns(LeftEndWarning) as caught:
        through = transition_log(states, ahead, terminations=ends, state_names=("a", "b", "c"))
    assert str(caught[0].message) == (
        "transition_log: episodes terminated in 1 of 3 states that others left, first 1 'b', "
        "so plans may lead on through those ends; give ends states of their own"
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
        (successor, linear.Successor(), (0.5, 0.25)),
        (first_occupancy, linear.FirstOccupancy(1.0), (0.25, 0.25)),
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
                warnings.simplefilter("ignore", linear.UnreachedWarning)
                weights = linear.solve(target, seen, features=lambda place: place, discount=0.5)
            assert weights[0, 2] == pytest.approx(expected)


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


def draw_logs(number):
    rng = np.random.default_rng(3)
    for _ in range(number):
        _, states, ahead, policies, episodes = walk_episodes(rng, num_episodes=40, num_steps=12)
        yield transition_log(states, ahead, policies, episodes=episodes)


@cache
def resampled_logs(way, number):
    """Return the FRs of many logs, each resampled: [B trials N S S]; and the logs."""
    resampled, logs = [], list(draw_logs(number))
    for trial, transitions in enumerate(logs):
        key, options = jax.random.key(trial), {"discount": DISCOUNT, "num_resamples": 200}
        if way == "episodes":
            frs = log_intervals.resample_episodes(transitions, key, **options)
        else:
            empirical = count_transitions(transitions)
            frs = log_intervals.resample_transitions(empirical, key, **options)
        resampled.append(np.asarray(frs))
    return jnp.asarray(np.stack(resampled, axis=1)), logs


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("way", ["transitions", "episodes"])
def test_intervals_hold_the_truth_as_often_as_they_say(way, level):
    number, plans = 200, 40
    resampled, logs = resampled_logs(way, number)
    truth = np.stack([fr_by_linear_solves(chain, DISCOUNT) for chain in CHAINS])
    ends = log_intervals.interval(resampled, level=level)
    held = np.asarray((ends.low <= truth[None]) & (truth[None] <= ends.high))
    plans_held = []
    for trial in range(plans):
        plan = fo.plan_to_goal(frs_from_log(logs[trial], discount=DISCOUNT), 2)
        ends = log_intervals.plan_interval(plan, resampled[:, trial], level=level).discount
        brings = discount_of_legs(plan, jnp.asarray(truth))
        plans_held.append((ends.low <= brings) & (brings <= ends.high))
    apart = ~np.eye(3, dtype=bool)
    for shares, trials in (
        (held.mean(axis=0)[:, apart], number),
        (np.mean(plans_held, axis=0)[:2], plans),
    ):
        # Four standard errors of a share, and what a percentile interval of few steps lacks.
        slack = 4 * np.sqrt(level * (1 - level) / trials) + 0.02
        assert (np.abs(shares - level) < slack).all(), shares


def test_a_sure_plan_is_agreed_on_and_an_unsure_one_is_not():
    # Policy 0 surely leads 0 -> 1; policies 0 and 1 are about as good from 1 to 2.
    states, ahead = np.array([0, 0, 1, 1, 1, 1, 2]), np.array([1, 1, 2, 1, 2, 1, 2])
    empirical = count_transitions(transition_log(states, ahead, np.array([0, 0, 0, 0, 1, 1, 0])))
    frs = log_intervals.resample_transitions(empirical, jax.random.key(0), discount=0.5)
    plan = fo.plan_to_goal(empirical.occupancies(discount=0.5), 2)
    sure = log_intervals.plan_interval(plan, frs)
    assert sure.agreement[2] == 1
    assert 0.3 < sure.agreement[1] < 0.8
    assert sure.discount.low[2] == sure.discount.high[2] == 1
    assert sure.discount.low[1] == 0
    assert sure.discount.high[1] == 0.5


def test_resampling_is_the_same_for_the_same_key_and_in_pieces(monkeypatch):
    transitions = next(draw_logs(1))
    empirical = count_transitions(transitions)
    for resample, source in (
        (log_intervals.resample_transitions, empirical),
        (log_intervals.resample_episodes, transitions),
    ):
        options = {"discount": DISCOUNT, "num_resamples": 200}
        monkeypatch.undo()
        first = resample(source, jax.random.key(7), **options)
        np.testing.assert_array_equal(resample(source, jax.random.key(7), **options), first)
        assert not np.array_equal(resample(source, jax.random.key(8), **options), first)
        monkeypatch.setattr(log_intervals, "AT_ONCE", 64 * 4 * 8 * 18)
        pieces = resample(source, jax.random.key(7), **options)
        assert pieces.shape == first.shape
        np.testing.assert_array_equal(pieces[:64], first[:64])


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
            "transition_log: num_policies must be a whole number from 1, got 0",
        ),
        (
            lambda: transition_log(ONES, ONES, num_states=2.0),
            "transition_log: num_states must be a whole number from 1, got 2.0",
        ),
        (
            lambda: transition_log(ONES, ONES, state_names=("a", "a")),
            "transition_log: state_names must differ, got 'a' at positions 0 and 1",
        ),
        (
            lambda: log_intervals.resample_episodes(
                transition_log(ONES, ONES), jax.random.key(0), discount=0.5
            ),
            "resample_episodes: the log must say which episode each transition is of, but does not",
        ),
        (
            lambda: log_intervals.resample_episodes(
                count_transitions(transition_log(ONES, ONES)), jax.random.key(0), discount=0.5
            ),
            "resample_episodes: transitions must be a Log, got EmpiricalChains; "
            "use resample_transitions for counts",
        ),
        (
            lambda: log_intervals.resample_transitions(
                transition_log(ONES, ONES), jax.random.key(0), discount=0.5
            ),
            "resample_transitions: empirical must be EmpiricalChains, got Log; "
            "use resample_episodes for a log, or count_transitions on it first",
        ),
        (
            lambda: log_intervals.resample_transitions(
                count_transitions(transition_log(ONES, ONES)), jax.random.key(0), discount=1.0
            ),
            "resample_transitions: discount must be at least 0 and below 1, got 1.0",
        ),
        (
            lambda: log_intervals.resample_transitions(
                count_transitions(transition_log(ONES, ONES)),
                jax.random.key(0),
                discount=0.5,
                num_resamples=0,
            ),
            "resample_transitions: num_resamples must be a whole number from 1, got 0",
        ),
        (
            lambda: log_intervals.resample_transitions(
                count_transitions(transition_log(ONES, ONES)), 0, discount=0.5
            ),
            "resample_transitions: key must be jax.random.key(seed), got 0",
        ),
        (
            lambda: log_intervals.resample_episodes(
                transition_log(ONES, ONES, episodes=ONES),
                jax.random.split(jax.random.key(0)),
                discount=0.5,
            ),
            "resample_episodes: key must be jax.random.key(seed), got an array of shape [2]",
        ),
        (
            lambda: log_intervals.interval(jnp.ones((3, 2)), level=1.0),
            "interval: level must be between 0 and 1, got 1.0",
        ),
        (
            lambda: log_intervals.plan_interval(
                fo.plan_to_goal(jnp.eye(2)[None], 0), jnp.ones((3, 1, 3, 3))
            ),
            "plan_interval: plan must be to one goal, over 3 states, got policies of shape [2]",
        ),
        (
            lambda: from_minari(
                SimpleNamespace(observation_space="Box", iterate_episodes=lambda: iter([]))
            ),
            "from_minari: observations must be discrete unless state_of is given, got Box",
        ),
        (
            lambda: from_minari(episodes_of([], [])),
            "from_minari: the dataset must have an episode, but has none",
        ),
        (
            lambda: from_minari("lake-v0"),
            "from_minari: dataset must be what minari.load_dataset returns, got <class 'str'>",
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
