"""Intervals of resampled logs hold the truth as often as they say."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.interop.data import resampled_logs
from first_occupancy.interop.data.corrected_intervals import corrected_interval, plan_interval
from first_occupancy.interop.data.log_estimates import frs_from_log
from first_occupancy.interop.data.logs import count_transitions, transition_log
from first_occupancy.planning.evaluation import discount_of_legs
from first_occupancy.representations import successor
from oracles import fr_by_linear_solves
from walked_logs import CHAINS, DISCOUNT, walk_episodes


def draw_logs(number):
    rng = np.random.default_rng(3)
    for _ in range(number):
        _, states, ahead, policies, episodes = walk_episodes(rng, num_episodes=40, num_steps=12)
        yield transition_log(states, ahead, policies, episodes=episodes)


@cache
def frs_of_resampled_logs(way, number):
    """Return the FRs of many logs, each resampled: [B trials N S S]; and the logs."""
    resampled, logs = [], list(draw_logs(number))
    for trial, transitions in enumerate(logs):
        key, options = jax.random.key(trial), {"discount": DISCOUNT, "num_resamples": 200}
        if way == "episodes":
            frs = resampled_logs.resample_episodes(transitions, key, **options)
        else:
            empirical = count_transitions(transitions)
            frs = resampled_logs.resample_transitions(empirical, key, **options)
        resampled.append(np.asarray(frs))
    return jnp.asarray(np.stack(resampled, axis=1)), logs


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("way", ["transitions", "episodes"])
def test_intervals_hold_the_truth_as_often_as_they_say(way, level):
    number, plans = 200, 40
    resampled, logs = frs_of_resampled_logs(way, number)
    truth = np.stack([fr_by_linear_solves(chain, DISCOUNT) for chain in CHAINS])
    found = [frs_from_log(log, discount=DISCOUNT) for log in logs]
    estimates = jnp.stack([each.values for each in found])
    ends = corrected_interval(estimates, resampled, level=level)
    held = np.asarray((ends.low <= truth[None]) & (truth[None] <= ends.high))
    plans_held = []
    for trial in range(plans):
        plan = planning.plan_to_goal(found[trial], 2)
        ends = plan_interval(plan, resampled[:, trial], level=level).discount
        brings = discount_of_legs(plan, jnp.asarray(truth))
        plans_held.append((ends.low <= brings) & (brings <= ends.high))
    apart = ~np.eye(3, dtype=bool)
    for shares, trials in (
        (held.mean(axis=0)[:, apart], number),
        (np.mean(plans_held, axis=0)[:2], plans),
    ):
        # Four standard errors of a share, and what an interval of few steps lacks.
        slack = 4 * np.sqrt(level * (1 - level) / trials) + 0.02
        assert (np.abs(shares - level) < slack).all(), shares


def test_a_sure_plan_is_agreed_on_and_an_unsure_one_is_not():
    # Policy 0 surely leads 0 -> 1; policies 0 and 1 are about as good from 1 to 2.
    states, ahead = np.array([0, 0, 1, 1, 1, 1, 2]), np.array([1, 1, 2, 1, 2, 1, 2])
    empirical = count_transitions(transition_log(states, ahead, np.array([0, 0, 0, 0, 1, 1, 0])))
    frs = resampled_logs.resample_transitions(empirical, jax.random.key(0), discount=0.5)
    plan = planning.plan_to_goal(fo.first_occupancy.solve(empirical.chains, discount=0.5), 2)
    sure = plan_interval(plan, frs)
    assert sure.agreement[2] == 1
    assert 0.3 < sure.agreement[1] < 0.8
    assert sure.discount.low[2] == sure.discount.high[2] == 1
    # One move of two led to the goal: uniform chances, between which the median lies.
    found = sure.discount
    assert found.low[1] < 0.1 < found.estimate[1] < 0.45 < found.high[1] < 0.5
    assert found.trusted[2]


def test_plans_that_no_resample_moves_are_not_trusted():
    # State 0 always led to 1, and 2 was never seen to lead to 1.
    empirical = count_transitions(transition_log([0, 0, 1, 1, 2], [1, 1, 2, 1, 2]))
    frs = resampled_logs.resample_transitions(empirical, jax.random.key(0), discount=0.5)
    estimated = fo.first_occupancy.solve(empirical.chains, discount=0.5)
    plans = [planning.plan_to_goal(estimated, goal) for goal in range(3)]
    trusted = [plan_interval(plan, frs).discount.trusted.tolist() for plan in plans]
    # One move of two is too little as well.
    assert trusted == [[True, False, False], [False, True, False], [False, False, True]]


def test_resampled_transitions_have_the_moments_of_a_dirichlet():
    counts = np.array([[7, 2, 1], [0, 30, 10], [0, 0, 0]])
    states, ahead = np.repeat(np.indices((3, 3)).reshape(2, -1), counts.ravel(), axis=1)
    empirical = count_transitions(transition_log(states, ahead, num_states=3))
    options = {"num_resamples": 20_000, "representation": successor}
    srs = resampled_logs.resample_transitions(empirical, jax.random.key(0), discount=0.5, **options)
    chains = (np.eye(3) - np.linalg.inv(np.asarray(srs, float))) / 0.5
    shares, visits = np.asarray(empirical.chains[0]), counts.sum(axis=1, keepdims=True)
    spread = np.sqrt(shares * (1 - shares) / (visits + 1))
    # Four standard errors of means and standard deviations.
    np.testing.assert_allclose(chains[:, 0].mean(axis=0), shares, atol=4 * 0.15 / np.sqrt(20_000))
    np.testing.assert_allclose(chains[:, 0].std(axis=0), spread, atol=8 * 0.15 / np.sqrt(20_000))
    assert np.abs(chains[:, 0][:, shares == 0]).max() < 1e-5


def test_resampling_is_the_same_for_the_same_key_and_in_pieces(monkeypatch):
    transitions = next(draw_logs(1))
    empirical = count_transitions(transitions)
    for resample, source in (
        (resampled_logs.resample_transitions, empirical),
        (resampled_logs.resample_episodes, transitions),
    ):
        options = {"discount": DISCOUNT, "num_resamples": 200}
        monkeypatch.undo()
        first = resample(source, jax.random.key(7), **options)
        np.testing.assert_array_equal(resample(source, jax.random.key(7), **options), first)
        assert not np.array_equal(resample(source, jax.random.key(8), **options), first)
        monkeypatch.setattr(resampled_logs, "AT_ONCE", 64 * 4 * 8 * 18)
        pieces = resample(source, jax.random.key(7), **options)
        assert pieces.shape == first.shape
        np.testing.assert_array_equal(pieces[:64], first[:64])


ONES = np.ones(3, int)


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: resampled_logs.resample_episodes(
                transition_log(ONES, ONES), jax.random.key(0), discount=0.5
            ),
            "resample_episodes: transitions must have episodes, got None; "
            "pass episodes=... to transition_log",
        ),
        (
            lambda: resampled_logs.resample_episodes(
                count_transitions(transition_log(ONES, ONES)), jax.random.key(0), discount=0.5
            ),
            "resample_episodes: transitions must be a Log, got EmpiricalChains; "
            "use resample_transitions for counts",
        ),
        (
            lambda: resampled_logs.resample_transitions(
                transition_log(ONES, ONES), jax.random.key(0), discount=0.5
            ),
            "resample_transitions: empirical must be EmpiricalChains, got Log; "
            "use resample_episodes for a log, or count_transitions on it first",
        ),
        (
            lambda: resampled_logs.resample_transitions(
                count_transitions(transition_log(ONES, ONES)), jax.random.key(0), discount=1.0
            ),
            "resample_transitions: discount must be at least 0 and below 1, got 1.0",
        ),
        (
            lambda: resampled_logs.resample_transitions(
                count_transitions(transition_log(ONES, ONES)),
                jax.random.key(0),
                discount=0.5,
                num_resamples=0,
            ),
            "resample_transitions: num_resamples must be at least 1, got 0",
        ),
        (
            lambda: resampled_logs.resample_transitions(
                count_transitions(transition_log(ONES, ONES)), 0, discount=0.5
            ),
            "resample_transitions: key must be jax.random.key(seed), got 0",
        ),
        (
            lambda: plan_interval(
                planning.plan_to_goal(jnp.eye(2)[None], 0), jnp.ones((3, 1, 3, 3))
            ),
            "plan_interval: plan must be to one goal, over 3 states, got policies of shape [2]",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(fo.InputError) as caught:
        call()
    assert str(caught.value) == message
