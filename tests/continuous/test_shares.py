"""Shares of landmarks: kernels, and shares whose mean is the place itself."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from first_occupancy.continuous import _shares
from first_occupancy.continuous._shares import balanced_shares, kernel_shares


def test_kernels_fall_with_the_distance_and_stop_at_walls():
    far = np.array([[0.1, 0.5, 1.4, 1.6], [2.0, 2.1, 2.2, 5.0]])
    shares = kernel_shares(far, 1.0)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (np.diff(shares) <= 0).all()
    assert shares[0, 3] == 0  # beyond 1.5 spacings
    assert shares[1].tolist() == [1, 0, 0, 0]  # all are beyond, so the nearest has it all
    assert shares[0, 1] / shares[0, 0] == pytest.approx(np.exp(-2 * (0.5**2 - 0.1**2)))


@pytest.fixture
def offsets():
    """Return twelve landmarks around each of a hundred places, nearest first."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(100, 12, 3))
    order = np.argsort(np.linalg.norm(drawn, axis=2), axis=1)
    return np.take_along_axis(drawn, order[:, :, None], axis=1)


def test_balanced_shares_reproduce_linear_functions(offsets, monkeypatch):
    # Each landmark has one opposite, twice as far: the place is inside their hull, off the middle.
    around = np.concatenate([offsets, -2 * offsets], axis=1)
    slope = np.array([1.0, -2.0, 0.5])
    for ridge, most in ((1e-9, 1e-5), (_shares.RIDGE, 0.05)):
        monkeypatch.setattr(_shares, "RIDGE", ridge)
        shares = balanced_shares(around)
        assert shares.sum(axis=1) == pytest.approx(1)
        assert (shares >= 0).all()
        assert np.abs(np.einsum("bk,bko,o->b", shares, around, slope)).max() < most


def test_far_landmarks_do_not_make_shares_undefined():
    line = np.array([0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.3, 1, 2, 3, 5, -50])[None, :, None]
    shares = balanced_shares(line)
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("aside", [0.0, 1.0, 3.0, 30.0])
def test_balanced_shares_minimise_the_relative_entropy(offsets, aside):
    """The dual by SciPy, with the same ridge, finds the same shares; outside the hull too."""
    offsets = offsets + np.array([aside, 0.0, 0.0])
    order = np.argsort(_far(offsets), axis=1)
    offsets = np.take_along_axis(offsets, order[:, :, None], axis=1)
    far = _far(offsets)
    width = far[:, 6]
    for number in range(5):
        kernel = np.exp(-0.5 * (far[number] / width[number]) ** 2)
        steps = offsets[number] / width[number]

        def dual(tilt, kernel=kernel, steps=steps):
            logs = np.log(kernel) + steps @ tilt
            return logsumexp(logs) + 0.5 * _shares.RIDGE * tilt @ tilt

        best = minimize(dual, np.zeros(3), tol=1e-12).x
        logs = np.log(kernel) + steps @ best
        expected = np.exp(logs - logs.max())
        found = balanced_shares(offsets[number : number + 1])[0]
        assert found == pytest.approx(expected / expected.sum(), abs=1e-4)


def test_a_place_beyond_all_landmarks_leans_on_the_nearest():
    line = np.arange(1.0, 13.0)[None, :, None]
    shares = balanced_shares(line)[0]
    assert shares[0] > 0.8
    assert np.isfinite(shares).all()


def test_landmarks_at_the_place_itself_do_not_divide_by_zero():
    assert balanced_shares(np.zeros((2, 4, 3))) == pytest.approx(0.25)


def _far(offsets):
    return np.linalg.norm(offsets, axis=2)
