"""FRs of logs come with intervals if these are asked for."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.interop.data.corrected_intervals import (
    UntrustedWarning,
    estimate_with_interval,
)
from first_occupancy.interop.data.log_estimates import frs_from_log

LOG = fo.transition_log([0, 1, 2, 1] * 20, [1, 2, 1, 0] * 20, state_names=("a", "b", "c"))


@pytest.mark.parametrize("representation", [fo.first_occupancy, fo.successor])
def test_values_are_those_of_the_chain_and_intervals_those_of_resamples(representation):
    options = {"discount": 0.9, "representation": representation}
    plain = frs_from_log(LOG, **options)
    assert plain.interval is None
    counts = fo.count_transitions(LOG)
    np.testing.assert_array_equal(plain.values, representation.solve(counts.chains, discount=0.9))
    with pytest.warns(UntrustedWarning):
        sure = frs_from_log(LOG, interval=0.8, num_resamples=20, seed=3, **options)
    with pytest.warns(UntrustedWarning):
        expected = estimate_with_interval(
            counts, jax.random.key(3), level=0.8, num_resamples=20, **options
        )
    np.testing.assert_array_equal(sure.interval.low, expected.low)
    np.testing.assert_array_equal(sure.interval.trusted, expected.trusted)
    np.testing.assert_array_equal(sure.values, plain.values)
    assert repr(sure).endswith(f"with intervals, {int(expected.trusted.sum())} of 9 trusted")


def test_they_plan_and_are_saved_like_other_frs(tmp_path):
    frs = frs_from_log(LOG, discount=0.9)
    plan = planning.plan_to_goal(frs, 2)
    assert plan.promised[0] == pytest.approx(frs.values[0, 0, 2])
    fo.save(frs, tmp_path / "frs.zip")
    np.testing.assert_array_equal(fo.load(tmp_path / "frs.zip").values, frs.values)
