"""Places do not depend on units, shear, rotation or offset; numbers that wrap become angles."""

import numpy as np
import pytest

from first_occupancy.continuous._metrics import fitted_metric, jumped


@pytest.fixture(scope="module")
def steps():
    rng = np.random.default_rng(0)
    before = rng.uniform(-5, 5, (3000, 3))
    return before, before + rng.normal(size=before.shape) * [0.1, 1.0, 0.3]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_distances_are_those_of_any_linear_observation(steps, scale, offset):
    before, after = steps
    shear = scale * np.array([[1.0, 0.7, 0.0], [0.0, 1.0, -2.0], [0.0, 0.0, 0.5]])
    shown = [part @ shear + offset * scale for part in (before, after)]
    plain, sheared = fitted_metric(before, after), fitted_metric(*shown)
    far = np.linalg.norm(np.diff(plain.places(before), axis=0), axis=1)
    assert np.linalg.norm(np.diff(sheared.places(shown[0]), axis=0), axis=1) == pytest.approx(
        far, rel=1e-4
    )
    moves = np.linalg.norm(sheared.places(shown[1]) - sheared.places(shown[0]), axis=1)
    assert np.median(moves) == pytest.approx(1, rel=0.05)
    back = sheared.observations(sheared.places(shown[0]))
    assert back == pytest.approx(shown[0], abs=1e-6 * scale * (1 + offset))


def test_jumps_do_not_widen_the_unit(steps):
    before, after = steps
    leap = after.copy()
    leap[:60] += 500
    plain, jumping = fitted_metric(before, after), fitted_metric(before, leap)
    assert jumping.scale == pytest.approx(plain.scale, rel=0.05)
    far = np.linalg.norm(jumping.places(leap) - jumping.places(before), axis=1)
    assert jumped(far).nonzero()[0].tolist() == list(range(60))


def test_fast_steps_are_no_jumps():
    assert not jumped(np.linspace(0, 30, 1000) ** 1.5).any()
    assert jumped(np.array([1.0, 1, 1, 2, 12])).tolist() == [False] * 4 + [True]
    assert not jumped(np.zeros(5)).any()


@pytest.mark.parametrize("period", [2 * np.pi, 360.0])
def test_an_angle_that_wraps_around_is_a_circle(period):
    rng = np.random.default_rng(0)
    angles, others = rng.uniform(0, period, 4000), rng.normal(size=(2, 4000))
    after = (angles + period / 80 * rng.normal(size=4000)) % period
    before = np.stack([angles, others[0]], axis=1)
    metric = fitted_metric(before, np.stack([after, others[1]], axis=1))
    assert metric.periods == pytest.approx([period, 0], rel=1e-3)
    ends = metric.places(np.array([[0.001 * period, 0], [0.999 * period, 0], [0.5 * period, 0]]))
    near, far = np.linalg.norm(ends[1:] - ends[0], axis=1)
    assert near < 0.3 < 10 < far
    seen = metric.observations(metric.places(before))
    off = (seen - before)[:, 0]
    assert np.abs(off - period * np.round(off / period)).max() < 1e-6 * period
    assert seen[:, 1] == pytest.approx(before[:, 1])


def test_numbers_that_never_change_do_not_count(steps):
    before, after = (np.hstack([part, np.full((len(part), 1), 7.0)]) for part in steps)
    metric = fitted_metric(before, after)
    far = np.linalg.norm(metric.places(after) - metric.places(before), axis=1)
    assert np.median(far) == pytest.approx(1, rel=0.05)
    assert metric.observations(metric.places(before)) == pytest.approx(before)
