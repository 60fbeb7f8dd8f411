"""When one arrives from one start."""

import numpy as np
import pytest

import first_occupancy as fo


def arrival(start=0, chain=((0.5, 0.25, 0.25), (0, 1, 0), (0, 0, 1)), target=1):
    return fo.hitting(np.array(chain), target).arrival(start)


def test_moments_are_those_of_the_distribution():
    found = arrival()
    times = np.arange(200.0)
    shares = found.distribution(200) / found.probability
    assert found.probability == pytest.approx(0.5)
    assert shares @ times == pytest.approx(found.mean)
    assert np.sqrt(shares @ times**2 - found.mean**2) == pytest.approx(found.std)
    np.testing.assert_allclose(found.by([0, 1, 2.9, -1]), [0, 0.25, 0.375, 0])
    assert found.by(1) == pytest.approx(0.25)
    assert (found.quantile(0.5), found.quantile(0.51)) == (1, 2)


def test_it_says_how_surely_and_how_soon():
    assert repr(arrival()) == "Arrival from 0: arrives with probability 0.5, after 2 ± 1.41 steps"
    assert repr(arrival(2)) == "Arrival from 2: never arrives"
    assert repr(arrival(1)) == "Arrival from 1: arrives for certain, after 0 steps"
    assert arrival(2).quantile(0.5) == np.inf


@pytest.mark.parametrize("share", [0, 1, -1, np.nan, "x", None, [0.5]])
def test_a_quantile_is_of_a_share(share):
    with pytest.raises(fo.InputError, match="share"):
        arrival().quantile(share)


@pytest.mark.parametrize("time", [np.nan, np.inf, "x", None])
def test_a_time_is_a_number(time):
    with pytest.raises(fo.InputError, match="time"):
        arrival().by(time)
