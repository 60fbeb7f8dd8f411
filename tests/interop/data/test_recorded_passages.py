"""First passage of recorded chains."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.interop.data.recorded_passages import RecordedPassage

CHAIN = np.array([[0.2, 0.5, 0.1, 0.2], [0.4, 0.2, 0.3, 0.1], [0, 0, 1, 0], [0, 0, 0, 1]])


def log_of(rng, moves=120):
    states = np.repeat([0, 1], moves // 2)
    return fo.transition_log(states, [rng.choice(4, p=CHAIN[s]) for s in states], num_states=4)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    exact, rng, held = fo.hitting(CHAIN, 2), np.random.default_rng(0), []
    for _ in range(60):
        found = fo.hitting(log_of(rng), 2)
        assert isinstance(found, RecordedPassage)
        intervals = found.intervals(num_resamples=100)
        for name in ("probability", "mean"):
            each = getattr(intervals, name)
            low, high = np.asarray(each.low), np.asarray(each.high)
            truth = getattr(exact, name)[:2]
            held += ((low[:2] <= truth) & (truth <= high[:2])).tolist()
    assert np.mean(held) > 0.85


def test_what_a_log_cannot_move_is_not_trusted():
    intervals = fo.hitting(log_of(np.random.default_rng(1)), 2).intervals(num_resamples=50)
    assert intervals.probability.trusted.tolist() == [True, True, True, False]
    assert float(intervals.probability.high[3]) == 0
    assert repr(intervals).startswith("PassageIntervals\n  probability: 3 trusted")


def test_a_log_of_several_policies_is_refused():
    log = fo.transition_log([0, 1], [1, 0], [0, 1])
    with pytest.raises(fo.InputError, match="one policy"):
        fo.hitting(log, 1)
